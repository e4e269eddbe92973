# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways to the API: the load balancer, or control planes; and which servers it finds healthy."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.endpoints import Endpoint
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.ingress import api_endpoints, api_targets
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.kinds import BALANCER, NETWORK
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import Target
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer


@pytest.fixture
def network(server: HetznerServer) -> int:
    """The id of the network of a cluster."""
    applying.applied(applying.client(), applying.tasks())
    return int(applying.client().read(NETWORK)[0]["id"])


def test_public_address_of_the_load_balancer_is_the_best(server: HetznerServer, network: int) -> None:
    (balancer,) = server.project.objects.all("load_balancers")
    public, private = balancer["public_net"]["ipv4"]["ip"], balancer["private_net"][0]["ip"]
    assert api_endpoints(applying.client()) == [Endpoint(public), Endpoint(private, internal=True)]
    cloud = applying.client()
    cloud.act(BALANCER, balancer["id"], "disable_public_interface", {}, "close it")
    assert api_endpoints(cloud) == [Endpoint(private, internal=True)]


def test_without_one_those_of_control_planes(server: HetznerServer, network: int) -> None:
    cloud = applying.client()
    cloud.delete(BALANCER, server.project.objects.all("load_balancers")[0]["id"])
    applying.server(cloud, "control-plane-1", names.CONTROL_PLANE, network)
    applying.server(cloud, "nodes-1", names.NODE, network)
    cloud.read(NETWORK)
    (found, _node) = server.project.objects.all("servers")
    public, private = found["public_net"]["ipv4"]["ip"], found["private_net"][0]["ip"]
    assert api_endpoints(cloud) == [Endpoint(public), Endpoint(private, internal=True)]
    assert api_targets(cloud) is None


def test_targets_are_read_anew_and_must_answer_on_all_ports(server: HetznerServer, network: int) -> None:
    cloud = applying.client()
    assert api_targets(cloud) == []
    applying.server(cloud, "nodes-1", names.NODE, network)
    applying.server(cloud, "control-plane-1", names.CONTROL_PLANE, network)
    cloud.forget_all()
    assert api_targets(cloud) == [Target("control-plane-1", True, "healthy")]
    server.project.balancers.health = lambda target, port: "healthy" if port == 443 else "unhealthy"
    assert api_targets(cloud) == [Target("control-plane-1", False, "unhealthy")]
    server.project.balancers.health = lambda target, port: "unknown"
    assert api_targets(cloud) == [Target("control-plane-1", False, "unknown")]


def test_that_of_another_cluster_is_not_asked(server: HetznerServer, network: int) -> None:
    other = applying.client(f"{applying.NAME}.example.com")
    assert (api_endpoints(other), api_targets(other)) == ([], None)
