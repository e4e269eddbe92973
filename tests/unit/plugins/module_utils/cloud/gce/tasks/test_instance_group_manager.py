# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Managed groups: they follow their template, and their size stays as long as it is within the bounds."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.http_health_check import HTTPHealthcheck
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.instance_group_manager import (
    InstanceGroupManager,
    UpdatePolicy,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.target_pool import TargetPool
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError

from .conftest import PROJECT, apply, changed, plan
from .test_instance_template import MANAGER, template

NAME = "b-nodes-demo-example-com"
KEY = f"InstanceGroupManager/{NAME}"


def pool() -> TargetPool:
    return TargetPool("api-demo", health_check=HTTPHealthcheck("api-demo", port=3990, request_path="/healthz"))


def manager(**fields) -> InstanceGroupManager:
    wanted = {
        "zone": "us-east1-b",
        "base_instance_name": "nodes",
        "instance_template": template(),
        "list_managed_instances_results": "PAGINATED",
        "target_size": 2,
        "bounds": (2, 5),
        "update_policy": UpdatePolicy("REPLACE", "OPPORTUNISTIC"),
        "target_pools": [],
    }
    return InstanceGroupManager(NAME, **{**wanted, **fields})


def test_what_is_made(cloud, compute):
    apply(cloud, manager(target_pools=[pool()]))
    made = compute.only("instanceGroupManagers")
    assert made["description"] == "kubeops.kops cluster demo.example.com"
    assert {key: made[key] for key in ("baseInstanceName", "targetSize", "listManagedInstancesResults")} == {
        "baseInstanceName": "nodes",
        "targetSize": 2,
        "listManagedInstancesResults": "PAGINATED",
    }
    assert made["updatePolicy"] == {"minimalAction": "REPLACE", "type": "OPPORTUNISTIC"}
    assert [url.rpartition("/")[2] for url in made["targetPools"]] == ["api-demo"]


def test_a_second_run_writes_nothing_and_asks_for_each_kind_once(cloud, compute):
    apply(cloud, manager(target_pools=[pool()]))
    compute.forget()
    assert not plan(cloud, manager(target_pools=[pool()])).changed
    assert sorted(path.rpartition("/")[2] for _method, path in compute.asked) == [
        "httpHealthChecks",
        "instanceGroupManagers",
        "instanceTemplates",
        "targetPools",
    ]


@pytest.mark.parametrize(("size", "wanted"), [(0, 2), (1, 2), (2, 2), (4, 4), (5, 5), (7, 5)])
def test_the_size_is_changed_only_where_it_is_out_of_bounds(cloud, compute, size, wanted):
    apply(cloud, manager())
    compute.only("instanceGroupManagers")["targetSize"] = size
    compute.forget()
    made = apply(cloud, manager())
    assert changed(made) == ({KEY: ["target_size"]} if size != wanted else {})
    assert compute.only("instanceGroupManagers")["targetSize"] == wanted
    assert compute.writes == ([("POST", f"{MANAGER}/resize")] if size != wanted else [])
    assert not plan(cloud, manager()).changed


def test_a_plan_says_how_many_instances_it_ends(cloud, compute):
    apply(cloud, manager())
    compute.only("instanceGroupManagers")["targetSize"] = 7
    (entry,) = plan(cloud, manager()).as_data()
    assert entry["reason"] == "2 instances of Google's choice will be ended"
    assert (entry["before"], entry["after"]) == ({"target_size": 7}, {"target_size": 5})


def test_detached_instances_do_not_count(cloud, compute):
    """A rolling update that broke off has given the group one more instance for each that it has detached."""
    apply(cloud, manager())
    compute.only("instanceGroupManagers")["targetSize"] = 6
    compute.start(MANAGER, **{"kubeops-kops-detached-from": "5"})
    assert not plan(cloud, manager()).changed
    compute.only("instanceGroupManagers")["targetSize"] = 8
    compute.start(MANAGER)
    assert not plan(cloud, manager()).changed
    (entry,) = plan(cloud, manager(bounds=(2, 3))).as_data()
    assert entry["after"] == {"target_size": 6}


def test_without_bounds_the_size_is_that_of_the_creation(cloud, compute):
    apply(cloud, manager(bounds=None))
    compute.only("instanceGroupManagers")["targetSize"] = 9
    assert not plan(cloud, manager(bounds=None)).changed


def test_settings_are_changed_in_place(cloud, compute):
    apply(cloud, manager())
    made = compute.only("instanceGroupManagers")
    made.update(listManagedInstancesResults="PAGELESS", updatePolicy={"type": "PROACTIVE", "minimalAction": "REPLACE"})
    compute.forget()
    assert changed(apply(cloud, manager(target_pools=[pool()]))) == {
        KEY: ["list_managed_instances_results", "target_pools", "update_policy"],
        "HTTPHealthcheck/api-demo": [],
        "TargetPool/api-demo": [],
    }
    assert compute.writes[2:] == [("POST", f"{MANAGER}/setTargetPools"), ("PATCH", MANAGER)]
    assert not plan(cloud, manager(target_pools=[pool()])).changed
    # And out of the pool again.
    assert changed(apply(cloud, manager())) == {KEY: ["target_pools"]}


def test_another_template_set_by_hand_is_set_back(cloud, compute):
    apply(cloud, manager())
    compute.put("global/instanceTemplates/other", properties=template(machine_type="e2-micro").properties(cloud))
    compute.only("instanceGroupManagers")["instanceTemplate"] = (
        f"https://x/projects/{PROJECT}/global/instanceTemplates/other"
    )
    made = apply(cloud, manager())
    assert changed(made) == {KEY: ["instance_template"]}
    assert made.as_data()[0]["before"] == {"instance_template": "other"}


@pytest.mark.parametrize("description", ["", "kubeops.kops cluster other.example.com"])
def test_somebody_elses_is_refused(cloud, compute, description):
    theirs = compute.put("global/instanceTemplates/theirs", properties={})
    compute.put(
        MANAGER, description=description, instanceTemplate=theirs["selfLink"], baseInstanceName="nodes", targetSize=1
    )
    compute.forget()
    with pytest.raises(PlanError, match="not made from templates of cluster demo.example.com; it stays as it is"):
        plan(cloud, manager())
    assert not compute.writes


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"bounds": (3, 2)}, "the smallest size 3 is above the largest 2"),
        ({"instance_template": None}, "has no instance template"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_written(cloud, compute, fields, said):
    with pytest.raises(PlanError, match=said):
        plan(cloud, manager(**fields))
    assert not compute.writes


def test_names_of_instances_do_not_change(cloud):
    apply(cloud, manager())
    with pytest.raises(PlanError, match="cannot be changed in place \\(base_instance_name: nodes -> others\\)"):
        plan(cloud, manager(base_instance_name="others"))


def test_a_lost_answer_makes_no_twin(cloud, compute):
    apply(cloud, template())
    compute.lose = True
    with pytest.raises(Exception, match="lost"):
        apply(cloud, manager())
    assert not apply(cloud, manager()).changed
    assert compute.only("instanceGroupManagers")["name"] == NAME
