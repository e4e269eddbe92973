# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of a cluster, as its controllers see them."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.instances import certain_id, claimed_id
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.cluster_instances import Servers

from .fake_openstack import CLUSTER, OTHER, SERVER, FakeOpenStack, server


@pytest.fixture
def servers() -> Servers:
    openstack = FakeOpenStack()
    openstack.servers[OTHER] = server(OTHER, KopsRole="ControlPlane", KopsInstanceGroup="control-plane")
    third = OTHER.replace("a002", "a003")
    openstack.servers[third] = server(third, k8s="other.example.com")
    return Servers(openstack, CLUSTER, "nodes-c5a002")


def test_all_of_the_cluster(servers: Servers) -> None:
    found = servers.all()
    assert found.keys() == {"nodes-c5a001", "nodes-c5a002"}
    worker = found["nodes-c5a001"]
    assert (worker.group, worker.role, worker.runs, worker.internal, worker.external) == (
        "nodes",
        "",
        True,
        ("10.0.0.7",),
        ("203.0.113.7",),
    )
    assert worker.tagged_labels == {"node-role.kubernetes.io/node": "", "kops.k8s.io/instancegroup": "nodes"}
    assert servers.servers().keys() == {"nodes-c5a002"}
    assert servers.own_id() == "nodes-c5a002"


def test_those_that_are_there(servers: Servers) -> None:
    assert servers.existing(["nodes-c5a001", "nodes-c5a003", "nodes-000000"]) == {"nodes-c5a001", "nodes-c5a003"}


def test_a_node_is_its_servers_whatever_id_the_provider_has(servers: Servers) -> None:
    """The cloud controller writes the uuid of the server, which is not its name."""
    node = {"metadata": {"name": "nodes-c5a001"}, "spec": {"providerID": f"openstack:///{SERVER}"}}
    assert claimed_id(node, servers.ids) == ""
    assert certain_id(node, servers.ids) == "nodes-c5a001"
    assert certain_id({"metadata": {"name": "by-hand"}, "spec": node["spec"]}, servers.ids) == ""
