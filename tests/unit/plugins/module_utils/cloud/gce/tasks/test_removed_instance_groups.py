# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What instance groups leave behind that are no longer in the state store, or no longer in a zone."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.instance_group_manager import (
    InstanceGroupManager,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.instance_template import InstanceTemplate
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.removed_instance_groups import (
    RemovedInstanceGroups,
)

from .conftest import apply, plan
from .test_instance_group_manager import NAME, manager
from .test_instance_template import template

WHY = "its instance group old is not in the state store any more"
OLD = "b-old-demo-example-com"


def removed(**managers) -> RemovedInstanceGroups:
    return RemovedInstanceGroups("demo.example.com", managers={"nodes": [NAME], **managers})


def old_template() -> InstanceTemplate:
    made = template(name_prefix="old-demo-example-com", more_metadata={"kops-k8s-io-instance-group-name": "old"})
    made.name = "old-demo-example-com"
    return made


def of_old(zone: str = "us-east1-b", size: int = 0, made_from: InstanceTemplate | None = None) -> InstanceGroupManager:
    return InstanceGroupManager(
        f"{zone[-1]}-old-demo-example-com",
        zone=zone,
        base_instance_name="old",
        instance_template=made_from or old_template(),
        target_size=size,
    )


def of_two_zones() -> list[InstanceGroupManager]:
    made_from = old_template()
    return [of_old(made_from=made_from), of_old("us-east1-c", size=1, made_from=made_from)]


def entries(made) -> dict[str, str]:
    return {f"{each.kind} {each.item}": each.reason for each in made.due_deletions()}


def left(compute) -> list[str]:
    kinds = ("instanceGroupManagers", "instanceTemplates")
    return sorted(path.rpartition("/")[2] for path in compute.objects if path.split("/")[-2] in kinds)


def test_nothing_is_left_of_a_removed_group(cloud, compute):
    old = of_old(size=2)
    apply(cloud, manager(), old)
    compute.forget()
    made = apply(cloud, removed(), manager())
    assert entries(made) == {
        f"InstanceGroupManager {OLD}": f"{WHY}; 2 instances will be ended",
        f"InstanceTemplate {old.instance_template.id}": WHY,
    }
    assert compute.writes == [
        ("DELETE", f"zones/us-east1-b/instanceGroupManagers/{OLD}"),
        ("DELETE", f"global/instanceTemplates/{old.instance_template.id}"),
    ]
    assert len(left(compute)) == 2
    assert not plan(cloud, removed(), manager()).changed


def test_nothing_is_left_in_a_zone_that_a_group_has_left(cloud, compute):
    apply(cloud, manager(), *of_two_zones())
    made = apply(cloud, removed(old=["c-old-demo-example-com"]), manager(), of_old("us-east1-c", size=1))
    assert entries(made) == {
        f"InstanceGroupManager {OLD}": "its zone is none of instance group old any more",
    }
    assert OLD not in left(compute)


def test_what_is_others_stays(cloud, compute):
    """Of another cluster, and of one whose name begins alike; and what no cluster has made."""
    apply(cloud, manager())
    for number, cluster in enumerate(("other.example.com", "demo.example.com.au", "")):
        items = [{"key": "cluster-name", "value": cluster}, {"key": "kops-k8s-io-instance-group-name", "value": "old"}]
        made = compute.put(f"global/instanceTemplates/old-{number}", properties={"metadata": {"items": items}})
        compute.put(f"zones/us-east1-b/instanceGroupManagers/old-{number}", instanceTemplate=made["selfLink"])
    assert not plan(cloud, removed(), manager(), prune=True).changed


@pytest.mark.parametrize("gone", ["instanceGroupManagers", "instanceTemplates"])
def test_what_is_gone_meanwhile_is_no_error(cloud, compute, gone):
    apply(cloud, of_old())
    made = plan(cloud, removed())
    compute.drop(gone)
    for deletion in made.due_deletions():
        deletion.run()
    assert left(compute) == []


def test_calls_do_not_grow_with_what_is_left(cloud, compute):
    apply(cloud, manager(), *of_two_zones())
    compute.forget()
    plan(cloud, removed(), manager())
    assert compute.asked == [
        ("GET", "global/instanceTemplates"),
        ("GET", "aggregated/instanceGroupManagers"),
    ]
