# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of a cluster, as its controllers see them."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.instances import certain_id, claimed_id
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.instances import CloudInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.hetzner.cluster_instances import Servers
from ansible_collections.kubeops.kops.tests.support import instances_contract as contract

from .fake_hetzner import CLUSTER, OTHER, FakeHetzner


class Party:
    """A cluster at Hetzner, for the contract of instances."""

    group = "nodes-a"

    def __init__(self) -> None:
        self.hetzner = FakeHetzner()

    def instances(self) -> Servers:
        return Servers(self.hetzner, CLUSTER, "nodes-a-000000")

    def start(self, role: str, *, foreign: bool = False) -> str:
        made = self.hetzner.server(f"nodes-a-{secrets.token_hex(3)}", role, OTHER if foreign else CLUSTER)
        return str(made["name"])

    def end(self, instance: str) -> None:
        (server,) = (each for each in self.hetzner.objects["servers"].values() if each["name"] == instance)
        server["status"] = "deleting"


# The last two: a provider id has the server's number.
CHECKS = [each for each in contract.CHECKS if each is not contract.ids_are_known_by_their_form]


@pytest.mark.parametrize("check", CHECKS, ids=lambda each: str(each.__name__))
def test_it_keeps_the_contract(check: Callable[[contract.Party], None]) -> None:
    check(Party())


def test_a_server() -> None:
    party = Party()
    labels = {
        "kops.k8s.io/cluster": CLUSTER,
        "kops.k8s.io/instance-group": "nodes-a",
        "kops.k8s.io/instance-role": "Node",
        "node-label.kops.k8s.io.example.com/disk": "fast",
        "team": "storage",
    }
    party.hetzner.server("nodes-a-c5a001", labels=labels, status="off")
    (found,) = party.instances().all().values()
    assert found == CloudInstance(
        "nodes-a-c5a001",
        group="nodes-a",
        runs=False,
        tagged_labels={"node-role.kubernetes.io/node": "", "example.com/disk": "fast"},
        internal=("10.0.0.1",),
        external=("203.0.113.1",),
    )
    assert party.instances().own_id() == "nodes-a-000000"


def test_a_server_without_addresses() -> None:
    party = Party()
    party.hetzner.server("nodes-a-c5a001", private_net=[], public_net={"ipv4": None, "ipv6": None})
    (found,) = party.instances().all().values()
    assert (found.internal, found.external) == ((), ())


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("nodes-fsn1-3fa09c", True),
        # Of kops.
        ("nodes-fsn1-5e2b6a7c8d9f0a1b", True),
        ("pool.a-3fa09c", True),
        ("nodes-fsn1-3fa0", False),
        ("nodes-fsn1", False),
        ("Nodes-3fa09c", False),
    ],
)
def test_ids_are_known_by_their_form(name: str, is_one: bool) -> None:
    assert Servers.ids.is_id(name) is is_one


def test_a_node_is_its_servers_whatever_id_the_provider_has() -> None:
    """The cloud controller writes the number of the server, which is not its name."""
    node = {"metadata": {"name": "nodes-a-c5a001"}, "spec": {"providerID": "hcloud://4711"}}
    assert claimed_id(node, Servers.ids) == ""
    assert certain_id(node, Servers.ids) == "nodes-a-c5a001"
