# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A firewall: its rules are those that are wanted, whatever their order, and what users add to it stays."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.kinds import FIREWALL
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.firewall import (
    TCP,
    Firewall,
    FirewallRule,
    everything,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.load_balancer import LoadBalancer
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied, changes, planned
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import REGION
from ansible_collections.kubeops.kops.tests.support.digitalocean.wanted import add_droplet
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST, RESET, RestServer

NAME, OWN = "demo.example.com", "nodes.demo.example.com"
TAG = "KubernetesCluster:demo-example-com"
SSH = FirewallRule(TCP, "22", ("192.0.2.7", "198.51.100.0/24"))


def wanted(*rules: FirewallRule, **more: Any) -> Firewall:
    inbound = list(rules) or [*everything(["10.20.0.0/20"]), SSH]
    return Firewall(OWN, droplet_tag=names.cluster_tag(NAME), inbound=inbound, **more)


def only(account: Account) -> dict[str, Any]:
    (found,) = account.firewalls.objects.values()
    return found


@pytest.mark.parametrize("spoiled", [None, LOST, RESET, 500])
@pytest.mark.parametrize("write", [1, 2])
def test_it_is_made_once_with_the_tag_that_it_needs(
    cloud: DigitalOceanCloud, client, account: Account, server: RestServer, spoiled: int | str | None, write: int
) -> None:
    if spoiled is not None:
        server.spoil(write, spoiled)
    applied(cloud, [wanted()])
    found = only(account)
    assert (found["name"], found["tags"]) == (OWN, [TAG])
    inbound = [(each["protocol"], each["ports"], each["sources"]) for each in found["inbound_rules"]]
    inside = {"addresses": ["10.20.0.0/20"]}
    assert inbound == [
        ("tcp", "0", inside),
        ("udp", "0", inside),
        ("icmp", "0", inside),
        ("tcp", "22", {"addresses": ["192.0.2.7/32", "198.51.100.0/24"]}),
    ]
    world = {"addresses": ["0.0.0.0/0", "::/0"]}
    outbound = [(each["protocol"], each["ports"], each["destinations"]) for each in found["outbound_rules"]]
    assert outbound == [(each, "0", world) for each in ("tcp", "udp", "icmp")]
    assert changes(applied(client(), [wanted()])) == []


def test_the_order_of_rules_is_the_clouds_and_the_state_while_droplets_come(
    cloud: DigitalOceanCloud, client, account: Account
) -> None:
    applied(cloud, [wanted()])
    found = only(account)
    found["inbound_rules"].reverse()
    found["inbound_rules"][0]["sources"]["addresses"] = ["198.51.100.0/24", "192.0.2.7"]
    found["status"] = "waiting"
    assert changes(planned(client(), [wanted()])) == []
    found["status"] = "failed"
    assert changes(applied(client(), [wanted()])) == [f"update Firewall/{OWN} ['state']"]
    assert changes(planned(client(), [wanted()])) == []


def test_a_change_keeps_what_is_the_users(cloud: DigitalOceanCloud, client, account: Account) -> None:
    applied(cloud, [wanted()])
    cloud.make_tag("web")
    found = only(account)
    found["tags"].append("web")
    found["droplet_ids"].append(4711)
    found["outbound_rules"].pop()
    assert changes(applied(client(), [wanted(SSH)])) == [f"update Firewall/{OWN} ['inbound', 'outbound']"]
    assert (found["tags"], found["droplet_ids"]) == ([TAG, "web"], [4711])
    assert [each["ports"] for each in found["inbound_rules"]] == ["22"]
    assert len(found["outbound_rules"]) == 3


def test_a_load_balancer_that_was_made_anew_is_let_in(cloud: DigitalOceanCloud, client, account: Account) -> None:
    def tasks() -> list[Any]:
        tag = names.control_plane_tag(NAME)
        balancer = LoadBalancer(names.api(NAME), region=REGION, droplet_tag=tag)
        rule = FirewallRule(TCP, "443", balanced=True)
        name = names.firewall(names.CONTROL_PLANE, NAME)
        return [balancer, Firewall(name, droplet_tag=tag, balancer=balancer, inbound=[rule])]

    applied(cloud, tasks())
    account.networks.balancers.clear()
    assert len(changes(applied(client(), tasks()))) == 2
    (identifier,) = account.networks.balancers
    (rule,) = only(account)["inbound_rules"]
    assert rule["sources"] == {"load_balancer_uids": [identifier]}
    assert changes(planned(client(), tasks())) == []


def test_one_of_others_stays_as_it_is(cloud: DigitalOceanCloud, client, server: RestServer) -> None:
    """It has the name, and is not for the cluster's droplets."""
    rule = {"protocol": "tcp", "ports": "1", "sources": {"addresses": ["0.0.0.0/0"]}}
    cloud.make(FIREWALL, {"name": OWN, "inbound_rules": [rule]})
    before = len(server.writes)
    with pytest.raises(KopsError, match=f"firewall {OWN}: there is one in the account already"):
        planned(client(), [wanted()])
    assert len(server.writes) == before


def test_none_is_made_for_a_tag_that_another_cluster_has(
    cloud: DigitalOceanCloud, account: Account, server: RestServer
) -> None:
    add_droplet(account, "demo-example.com", "nodes")
    with pytest.raises(KopsError, match=r"another cluster, demo-example\.com.* droplets of both have the same tags"):
        planned(cloud, [wanted()])
    assert server.writes == []
