# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which instances are repaired, and why."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup, InstanceGroupSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.base.instance_ids import EC2
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import DETACHED, STRAY, WARM, CloudInstance
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.static_pods import Lack
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.ailing import (
    Diagnosis,
    Observed,
    Times,
    diagnose,
)

NOW = datetime.datetime(2026, 5, 8, 12, 0, 0, tzinfo=datetime.timezone.utc)
LONG = NOW - datetime.timedelta(hours=1)
SHORT = NOW - datetime.timedelta(minutes=1)


def group(name: str = "nodes", role: str = "Node") -> InstanceGroup:
    return InstanceGroup(metadata=ObjectMeta(name=name), spec=InstanceGroupSpec(role=role))


def machine(name: str = "i-00000001", launched: datetime.datetime = LONG, **more: Any) -> CloudInstance:
    return CloudInstance(name, more.pop("within", "asg"), launched=launched, **more)


def node(name: str, unready_since: datetime.datetime | None = None, provider: str = "") -> dict[str, Any]:
    since = {"lastTransitionTime": f"{unready_since:%Y-%m-%dT%H:%M:%SZ}"} if unready_since else {}
    condition = {"type": "Ready", "status": "Unknown" if unready_since else "True", **since}
    return {"metadata": {"name": name}, "spec": {"providerID": provider}, "status": {"conditions": [condition]}}


def found(machines: Any, nodes: Any = (), groups: Any = None, impaired: Any = None, **times: Any) -> Diagnosis:
    members = machines if isinstance(machines, dict) else {"nodes": machines}
    observed = Observed(members, list(nodes), NOW, EC2, impaired or {})
    return diagnose(groups or [group()], observed, Times(**times))


A = "i-00000001"


@pytest.mark.parametrize(
    ("one", "its_node", "reason"),
    [
        (machine(), node(A, LONG), "its node has not been ready for 60 min"),
        (machine(by_address="ip-1.internal"), node("ip-1.internal", LONG), "its node has not been ready for 60 min"),
        (machine(), node("worker", LONG, f"aws:///us-east-1a/{A}"), "its node has not been ready for 60 min"),
        (machine(), None, "it was launched 60 min ago and is not a node"),
        (machine(power="stopped"), None, "its machine is stopped"),
    ],
)
def test_what_has_failed_for_too_long(one: CloudInstance, its_node: Any, reason: str) -> None:
    result = found([one], [its_node] if its_node else [])
    assert (result.reasons, result.waiting) == ({A: (reason,)}, {})


@pytest.mark.parametrize(
    ("one", "its_node", "reason"),
    [
        (machine(), node(A, SHORT), "its node has not been ready for 60 s"),
        (machine(launched=SHORT), None, "it was launched 60 s ago and is not a node"),
    ],
)
def test_what_has_not_failed_for_long_enough(one: CloudInstance, its_node: Any, reason: str) -> None:
    result = found([one], [its_node] if its_node else [])
    assert (result.reasons, result.waiting) == ({}, {A: reason})


@pytest.mark.parametrize(
    "one",
    [machine(state=WARM), machine(state=DETACHED), machine(standby=True)],
    ids=["warm", "detached", "standby"],
)
def test_what_others_care_for(one: CloudInstance) -> None:
    assert found([one]) == Diagnosis()


def test_a_stopped_machine_is_not_waited_for() -> None:
    result = found([machine(power="stopped")], [node(A, SHORT)])
    assert result.reasons == {A: ("its machine is stopped",)}
    assert found([machine(power="stopping")], [node(A)]).reasons == {}


def test_bastions_are_no_nodes() -> None:
    bastions = [group("bastions", "Bastion")]
    assert found({"bastions": [machine()]}, groups=bastions) == Diagnosis()
    assert found({"bastions": [machine(power="stopped")]}, groups=bastions).reasons


def test_what_the_cloud_finds_impaired() -> None:
    long, short = ({A: (since, "system status")} for since in (LONG, SHORT))
    assert found([machine()], [node(A)], impaired=long).reasons == {
        A: ("the cloud has found its system status impaired for 60 min",)
    }
    assert found([machine()], [node(A)], impaired=short).reasons == {}


def test_an_instance_of_no_group() -> None:
    stray = machine(state=STRAY, within="")
    assert found([stray], [node(A)]).reasons == {
        A: ("it belongs to no instance group, though it has the tag of nodes",)
    }
    assert found({"gone": [machine(within="")]}, [node(A)]).strays[0][1] == "gone"
    # A group may not show yet what it has just started.
    assert found([machine(state=STRAY, within="", launched=SHORT)]).strays == []
    # update_cluster deletes groups that are not in the store, with their instances.
    assert found({"gone": [machine()]}) == Diagnosis()


def test_nodes_without_an_instance() -> None:
    well, ghost = node(A), node("i-0000000f", LONG)
    assert found([machine()], [well, ghost]).orphans.keys() == {"i-0000000f"}
    assert found([machine()], [well, node("i-0000000f", SHORT)]).orphans == {}
    assert found([machine()], [well, node("someone-elses", LONG)]).orphans == {}
    # If none of the nodes is known, another cloud was asked.
    assert found([machine("i-0000000e")], [ghost]).orphans == {}


def test_too_many_at_the_same_time() -> None:
    machines = [machine(f"i-0000000{number}") for number in range(5)]
    nodes = [node(each.name, LONG if index < 2 else None) for index, each in enumerate(machines)]
    assert found(machines, nodes).held_back == {}
    nodes[2] = node(machines[2].name, SHORT)
    assert "3 of 5 nodes of instance group nodes fail" in found(machines, nodes).held_back["nodes"]
    # What has just been started has not failed.
    machines[2] = machine(machines[2].name, launched=SHORT)
    assert found(machines, nodes[:2] + nodes[3:]).held_back == {}


@pytest.mark.parametrize(("seconds", "failed"), [(3600, True), (60, False)])
def test_a_node_that_lacks_a_static_pod(seconds: float, failed: bool) -> None:
    lack = Lack(seconds, "it has no pod kube-scheduler", ("kube-scheduler",))
    observed = Observed({"cp": [machine()]}, [node(A)], NOW, EC2, lacking={A: lack})
    result = diagnose([group("cp", "ControlPlane")], observed, Times())
    assert (A in result.reasons, A in result.waiting) == (failed, not failed)
    # Its kubelet answers, so that it is drained as others are.
    assert result.dead == set()
