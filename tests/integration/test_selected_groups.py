# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance groups of machine types that are chosen by requirements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.modules import instance_selector
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import run_here
from ansible_collections.kubeops.kops.tests.integration.conftest import Account, fresh_account
from ansible_collections.kubeops.kops.tests.integration.test_playbooks import play, play_reading
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

ZONES = ["us-east-1a", "us-east-1b"]


@pytest.fixture(scope="module")
def cluster(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """A stored cluster. Each test adds groups of other names."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        account = fresh_account(server, monkeypatch, tmp_path_factory.mktemp("account"))
        account.create(zones=ZONES)
        yield account


def select(name: str, *, check: bool = False, **options: Any) -> Any:
    return run_here(instance_selector, {"name": name, **options}, check=check)


def spec(cluster: Account, name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(cluster.stored()[f"instancegroup/{name}"])["spec"]
    return found


def test_spot_instances_of_usual_types(cluster: Account) -> None:
    before, given = cluster.stored(), {"usage_class": "spot", "flexible": True}
    with cluster.server.recorded() as calls:
        planned = select("spot", check=True, **given)
    assert (planned["changed"], cluster.stored(), cluster.writes(calls)) == (True, before, [])
    made = select("spot", **given)
    assert made["instance_types"] == planned["instance_types"]
    assert spec(cluster, "spot") in [each["spec"] for each in yaml.safe_load_all(planned["manifest"])]
    types = made["instance_types"]["spot"]
    assert {"c5.xlarge", "c5a.xlarge"} <= set(types)
    assert types == sorted(types)
    stored = spec(cluster, "spot")
    assert stored["mixedInstancesPolicy"] == {
        "instances": types,
        "onDemandAboveBase": 0,
        "onDemandBase": 0,
        "spotAllocationStrategy": "capacity-optimized",
    }
    assert (stored["machineType"], stored["role"]) == (types[0], "Node")
    assert (stored["minSize"], stored["maxSize"], stored["subnets"]) == (1, 10, ZONES)
    name = "k8s.io/cluster-autoscaler/"
    assert stored["cloudLabels"] == {f"{name}enabled": "1", f"{name}{cluster.name}": "1"}

    assert not select("spot", **given)["changed"]
    # What is not given stays as it is, and the types follow the requirements.
    new = {"usage_class": "on-demand", "vcpus": 2, "cluster_autoscaler": False, "node_count_max": 20}
    assert select("spot", **{**given, **new})["changed"]
    again = spec(cluster, "spot")
    assert (again["maxSize"], again["image"], again.get("cloudLabels")) == (20, stored["image"], None)
    assert list(again["mixedInstancesPolicy"]) == ["instances"]
    assert again["machineType"] == "c3.large"


def test_arm_in_one_zone(cluster: Account) -> None:
    options = {"cpu_architecture": "arm64", "vcpus": 2, "memory": "8gb", "deny_list": r"^(t4|x|.*d\.)"}
    made = select(
        "arm", subnets=ZONES[1:], node_volume_size=50, node_security_groups=["sg-1"], node_count_min=12, **options
    )
    assert {"m6g.large", "m7g.large"} <= set(made["instance_types"]["arm"])
    assert not {"m6gd.large", "t4g.large"} & set(made["instance_types"]["arm"])
    stored = spec(cluster, "arm")
    assert "arm64" in stored["image"]
    assert (stored["subnets"], stored["rootVolumeSize"], stored["minSize"], stored["maxSize"]) == (
        ZONES[1:],
        50,
        12,
        12,
    )
    assert stored["additionalSecurityGroups"] == ["sg-1"]


def test_several_groups_have_more_and_more_memory(cluster: Account) -> None:
    made = select("grow", ig_count=3, flexible=True, allow_list=r"^[cmr]5\.")
    assert made["instance_types"] == {"grow1": ["c5.xlarge"], "grow2": ["m5.xlarge"], "grow3": ["r5.xlarge"]}


def test_types_like_another_one(cluster: Account) -> None:
    found = select("like", check=True, base_instance_type="m6g.xlarge", allow_list="^m[456]")["instance_types"]
    # Of its architecture, and with about its memory.
    assert found["like"][0] == "m6g.xlarge"
    assert all("g" in name for name in found["like"])
    gpus = select("gpus", check=True, gpus_min=1, vcpus_max=4, memory_max="16gb")["instance_types"]["gpus"]
    assert "g4dn.xlarge" in gpus
    few = select("few", check=True, vcpus=2, memory="8", max_results=2)
    assert len(few["instance_types"]["few"]) == 2
    assert "more machine types meet the requirements; the first 2 by name are taken" in few["warnings"][0]


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        (
            {"memory": "4 stones", "vcpus": -1, "vcpus_to_memory_ratio": "2:3", "allow_list": "(", "max_results": 41},
            [
                "memory: is no quantity of memory",
                "vcpus: must be a whole number, 0 or more",
                "vcpus_to_memory_ratio: must be 1:",
                "allow_list: is no regular expression",
                "max_results: must be 1 to 40 (41)",
            ],
        ),
        ({"vcpus": 2, "vcpus_min": 1, "gpus_min": 3, "gpus_max": 2}, ["vcpus: excludes", "gpus_min: is more than"]),
        ({"vcpus": 3, "memory": "1"}, ["no machine type that us-east-1a and us-east-1b offer meets all requirements"]),
        ({"base_instance_type": "m5.none"}, ["the region has no machine type m5.none"]),
        ({"subnets": ["us-east-1c"], "flexible": True}, ["spec.subnets[0]: the cluster has no such subnet"]),
        ({"name": f"control-plane-{ZONES[0]}", "flexible": True}, [f"control-plane-{ZONES[0]} is no node"]),
        ({"vcpus": 2, "memory": "8", "node_count_min": 3, "node_count_max": 2}, ["spec.maxSize"]),
        ({"cluster_name": "a.example.com"}, ["there is no cluster a.example.com"]),
    ],
)
def test_what_cannot_be(cluster: Account, options: dict[str, Any], messages: list[str]) -> None:
    before = cluster.stored()
    failed = select(**{"name": "wrong", **options})
    assert failed.get("failed"), failed
    assert [message for message in messages if message not in failed["msg"]] == [], failed["msg"]
    assert cluster.stored() == before


def test_the_playbook(cluster: Account) -> None:
    given = {"kops_group": "played", "kops_vcpus": "2", "kops_memory": "8gb", "kops_allow_list": "^m5"}
    shown = play_reading(cluster, "toolbox_instance_selector", "--check", changed=1, **given)
    assert "\nplayed: m5.large, m5a.large" in shown
    play(cluster, "toolbox_instance_selector", changed=1, **given)
    assert spec(cluster, "played")["machineType"] == "m5.large"
    play_reading(cluster, "toolbox_instance_selector", **given)
