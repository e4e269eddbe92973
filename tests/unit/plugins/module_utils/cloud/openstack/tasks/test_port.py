# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports are made together, with their tags; those with pairs of addresses alone."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import CloudError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.kinds import Kind
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.network import Network
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.port import Port
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.subnet import Subnet
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import AnswerLost
from ansible_collections.kubeops.kops.tests.support.openstack import clusters
from ansible_collections.kubeops.kops.tests.support.openstack.memory import Project

NAME = "demo.k8s.local"
TAGS = ["KopsInstanceGroup=nodes", "KubernetesCluster=demo.k8s.local"]
PAIR = {"10.1.0.1": ""}


def ports(project: Project, pairs: dict[str, dict[str, str]] | None = None) -> dict[str, Any]:
    """Four ports and their subnets; pairs: of some of them."""
    network = Network(NAME)
    subnets = [Subnet(f"{each}.{NAME}", network=network, cidr=f"10.0.{each}.0/24", tag=NAME) for each in (1, 2)]
    made = [
        Port(each, network=network, subnet=subnets[0], tags=TAGS, address_pairs=(pairs or {}).get(each))
        for each in ("port-1", "port-2", "port-3", "port-4")
    ]
    return {each.key: each for each in (network, *subnets, *made)}


def by_name(project: Project) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in project.of(kinds.PORT).values()}


@pytest.mark.parametrize("with_tags", [True, False], ids=["Neutron takes tags", "Neutron leaves them out"])
def test_ports_and_subnets_are_made_by_one_request_each(with_tags: bool) -> None:
    project = Project()
    project.tags_new_ports = with_tags
    clusters.applied(project.client(NAME), ports(project))
    assert [each for each in project.writes if each.startswith("make")] == [
        f"make network {NAME}",
        f"make 2 subnets: 1.{NAME}, 2.{NAME}",
        "make 4 ports: port-1, port-2, port-3, port-4",
    ]
    # All tags of a port at once.
    assert sum(each.startswith("tag port") for each in project.writes) == (0 if with_tags else 4)
    assert {name: sorted(each["tags"]) for name, each in by_name(project).items()} == dict.fromkeys(
        ("port-1", "port-2", "port-3", "port-4"), TAGS
    )
    assert clusters.changes(clusters.planned(project.client(NAME), ports(project))) == []


def test_ports_with_pairs_are_made_alone() -> None:
    project = Project()
    clusters.applied(project.client(NAME), ports(project, {"port-2": PAIR, "port-3": PAIR}))
    assert sorted(each for each in project.writes if each.startswith("make") and "port" in each) == [
        "make 2 ports: port-1, port-4",
        "make port port-2",
        "make port port-3",
    ]
    pairs = {
        name: [each["ip_address"] for each in found["allowed_address_pairs"]]
        for name, found in by_name(project).items()
    }
    assert pairs == {"port-1": [], "port-2": ["10.1.0.1"], "port-3": ["10.1.0.1"], "port-4": []}


@pytest.mark.parametrize(
    "message",
    ["Attribute 'tags' not allowed in POST", "Unrecognized attribute(s) 'tags'"],
    ids=["until Stein", "no tags"],
)
def test_a_neutron_that_refuses_tags_gets_them_afterwards(monkeypatch: pytest.MonkeyPatch, message: str) -> None:
    project = Project()
    client = project.client(NAME)
    ask = type(client).ask

    def old(cloud: Any, method: str, kind: Kind, path: str, body: Any, doing: str) -> dict[str, Any]:
        if kind is kinds.PORT and method == "POST" and any("tags" in each for each in body["ports"]):
            raise CloudError(f"cannot {doing}: {message}")
        return ask(cloud, method, kind, path, body, doing)

    monkeypatch.setattr(type(client), "ask", old)
    clusters.applied(client, ports(project))
    assert {tuple(sorted(each["tags"])) for each in by_name(project).values()} == {tuple(TAGS)}
    assert len(by_name(project)) == 4


def test_of_ports_whose_answer_is_lost_none_is_made_twice() -> None:
    project = Project()
    lost: list[int] = []

    def fault(moment: str, number: int) -> None:
        if moment == "after" and not lost and "make 4 ports" in project.writes[number]:
            lost.append(number)
            raise AnswerLost("no answer in time", 60.0)

    project.fault = fault
    clusters.applied(project.client(NAME), ports(project))
    assert lost
    assert len(project.of(kinds.PORT)) == 4
    assert {tuple(sorted(each["tags"])) for each in by_name(project).values()} == {tuple(TAGS)}
