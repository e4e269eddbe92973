# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects of a project are a cluster's, beside those of others that look alike."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.kinds import (
    BALANCER,
    NETWORK,
    PLACEMENT_GROUP,
    VOLUME,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.resources.owned import Owned
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer

OWN = {"kops.k8s.io/cluster": applying.NAME}
OF_SERVICE = {"hcloud-ccm/service-uid": "4711"}


def owned() -> set[str]:
    return {f"{each.kind.word} {each.name}" for each in Owned(applying.client()).all()}


def balancer(name: str, labels: dict[str, str], **more: object) -> None:
    properties = {"name": name, "labels": labels, "load_balancer_type": "lb11", "location": "fsn1", **more}
    applying.client().make(BALANCER, properties)


def targets(*servers: int) -> list[dict[str, object]]:
    return [{"type": "server", "server": {"id": each}} for each in servers]


def test_those_with_the_label(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    before = owned()
    assert len(before) == 8
    cloud = applying.client()
    for name, labels in (("a", {}), ("b", {"kops.k8s.io/cluster": f"{applying.NAME}2"}), ("c", {"cluster": "x"})):
        cloud.make(NETWORK, {"name": name, "labels": labels, "ip_range": "10.0.0.0/16"})
        cloud.make(PLACEMENT_GROUP, {"name": name, "labels": labels, "type": "spread"})
        applying.server(cloud, name, labels=labels)
    # Of claims, and whatever else somebody has given the label.
    cloud.make(VOLUME, {"name": "pvc-1", "labels": OWN, "size": 10, "location": "fsn1"})
    assert owned() == before


def test_load_balancers_of_services_in_the_clusters_network(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    (network,) = applying.client().read(NETWORK)
    balancer("of-service", OF_SERVICE, network=network["id"])
    balancer("of-others", OF_SERVICE)
    balancer("by-hand", {}, network=network["id"])
    applying.client().read(NETWORK)
    assert {each for each in owned() if each.startswith(BALANCER.word)} == {
        f"load balancer api.{applying.NAME}",
        "load balancer of-service",
    }


@pytest.mark.parametrize(("others", "is_own"), [(False, True), (True, False)])
def test_load_balancers_of_services_elsewhere(server: HetznerServer, others: bool, is_own: bool) -> None:
    cloud = applying.client()
    servers = [applying.server(cloud, f"nodes-{number}") for number in range(2)]
    if others:
        servers.append(applying.server(cloud, "mine", labels={}))
    balancer("of-service", OF_SERVICE, targets=targets(*servers))
    assert ("load balancer of-service" in owned()) is is_own
