# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletion: in order, to nothing, and what is another's stays."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.kinds import FIREWALL, NETWORK, SERVER, VOLUME
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import ApplyError
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer

MINE = ("servers mine", "volumes mine", "networks mine", "firewalls mine")


@pytest.fixture
def cluster(server: HetznerServer) -> HetznerServer:
    """A cluster with servers, one of which has a volume; and what is not the cluster's."""
    cloud = applying.client()
    applying.applied(cloud, applying.tasks())
    (network,) = applying.client().read(NETWORK)
    for role, name in ((names.CONTROL_PLANE, "control-plane-1"), (names.NODE, "nodes-1"), (names.NODE, "nodes-2")):
        number = applying.server(cloud, name, role, network["id"])
        if role == names.CONTROL_PLANE:
            cloud.read(NETWORK)
            for each in cloud.read(VOLUME):
                cloud.act(VOLUME, each["id"], "attach", {"server": number}, "attach it")
    applying.server(cloud, "mine", labels={"mine": "yes"})
    cloud.make(VOLUME, {"name": "mine", "size": 10, "location": "fsn1"})
    cloud.make(NETWORK, {"name": "mine", "ip_range": "10.10.0.0/16"})
    cloud.make(FIREWALL, {"name": "mine"})
    return server


def test_to_nothing(cluster: HetznerServer) -> None:
    cluster.project.objects.delay = 0.05
    told: list[str] = []
    applying.remove(applying.client(), told)
    assert sorted(cluster.names()) == sorted(MINE)
    # The cluster's addresses went with its servers.
    assert len(cluster.project.objects.all("primary_ips")) == 2
    order = [each.partition("deleted ")[2] for each in told if "deleted" in each]
    assert max(order.index(f"server {name}") for name in ("control-plane-1", "nodes-1", "nodes-2")) < min(
        index for index, each in enumerate(order) if not each.startswith(("server", "SSH key"))
    )
    assert order.index(f"load balancer api.{applying.NAME}") < order.index(f"network {applying.NAME}")
    cluster.calls.clear()
    applying.remove(applying.client())
    assert cluster.writes == []


def test_what_is_gone_is_deleted(cluster: HetznerServer) -> None:
    found = discover(applying.client())
    applying.remove(applying.client())
    for each in found.values():
        each.delete()


def test_a_volume_that_is_still_attached_is_detached(cluster: HetznerServer) -> None:
    found = discover(applying.client())
    volume = next(each for each in found.values() if each.kind == VOLUME.word)
    volume.delete()
    assert applying.client().get(VOLUME, int(volume.id)) is None


def test_what_is_protected_is_named(cluster: HetznerServer) -> None:
    cloud = applying.client()
    number = next(each["id"] for each in cloud.read(SERVER) if each["name"] == "nodes-1")
    cloud.act(SERVER, number, "change_protection", {"delete": True, "rebuild": True}, "protect it")
    with pytest.raises(ApplyError, match=r"the object is protected: remove its protection, and run again"):
        applying.remove(applying.client())
    cloud.act(SERVER, number, "change_protection", {"delete": False, "rebuild": False}, "free it")
    applying.remove(applying.client())
    assert sorted(cluster.names()) == sorted(MINE)
