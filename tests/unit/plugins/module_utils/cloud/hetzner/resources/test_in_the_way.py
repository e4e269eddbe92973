# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is another's, and would be cut off or keeps an object from being deleted."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.kinds import BALANCER, FIREWALL, NETWORK
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.resources.in_the_way import in_the_way
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer


def lines() -> list[str]:
    cloud = applying.client()
    return in_the_way(cloud, discover(cloud))


def test_servers_and_load_balancers_of_others(server: HetznerServer) -> None:
    cloud = applying.client()
    applying.applied(cloud, applying.tasks())
    (network,) = applying.client().read(NETWORK)
    applying.server(cloud, "nodes-1", names.NODE, network["id"])
    cloud.read(NETWORK)
    assert lines() == []
    applying.server(cloud, "mine", network=network["id"], labels={})
    guarded = applying.server(cloud, "guarded", labels={})
    firewall = next(each["id"] for each in cloud.read(FIREWALL) if each["name"].startswith("nodes."))
    resource = {"type": "server", "server": {"id": guarded}}
    cloud.act(FIREWALL, firewall, "apply_to_resources", {"apply_to": [resource]}, "apply it")
    balancer = {"name": "mine", "load_balancer_type": "lb11", "location": "fsn1", "network": network["id"]}
    cloud.make(BALANCER, balancer)
    cloud.read(NETWORK)
    server.calls.clear()
    assert lines() == [
        f"load balancer mine: it uses network {applying.NAME}",
        f"server guarded: it uses firewall nodes.{applying.NAME}",
        f"server mine: it uses network {applying.NAME}",
    ]
    assert server.writes == []


def test_in_a_network_that_is_lent_nobody_is(server: HetznerServer) -> None:
    cloud = applying.client()
    subnet = {"type": "cloud", "ip_range": "10.0.0.0/16", "network_zone": applying.ZONE}
    lent = cloud.make(NETWORK, {"name": "lent", "ip_range": "10.0.0.0/16", "subnets": [subnet]})
    applying.server(cloud, "nodes-1", names.NODE, lent["id"])
    applying.server(cloud, "mine", network=lent["id"], labels={})
    cloud.read(NETWORK)
    assert lines() == []
