# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A firewall: its rules are those that are wanted, whatever their order, and its servers are chosen by labels."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.firewall import FirewallRule
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer

PORTS = FirewallRule("udp", "30000-32767", ("192.0.2.0/24",))
PING = FirewallRule("icmp", None, ("::/0",))


def firewall(server: HetznerServer) -> dict[str, Any]:
    (found,) = (each for each in server.project.objects.all("firewalls") if each["name"].startswith("nodes."))
    return found


def test_made_as_kops_does(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    found = firewall(server)
    selector = "kops.k8s.io/cluster=demo.k8s.local,kops.k8s.io/instance-role=Node"
    assert found["applied_to"] == [{"type": "label_selector", "label_selector": {"selector": selector}}]
    assert found["labels"] == {names.CLUSTER: applying.NAME, "kops.k8s.io/firewall-role": "nodes"}
    (rule,) = found["rules"]
    assert (rule["direction"], rule["protocol"], rule["port"]) == ("in", "tcp", "22")
    assert rule["source_ips"] == ["0.0.0.0/0", "::/0"]


def test_rules_are_set(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    server.calls.clear()
    plan = applying.applied(applying.client(), applying.tasks(rules=(PORTS, applying.SSH, PING)))
    assert {tuple(step.changes) for step in plan.active()} == {("rules",)}
    assert [each["port"] for each in firewall(server)["rules"]] == ["30000-32767", "22", None]
    assert len(server.writes) == 2
    again = applying.planned(applying.client(), applying.tasks(rules=(PING, PORTS, applying.SSH)))
    assert applying.changes(again) == []


def test_networks_are_compared_and_not_how_they_are_written(server: HetznerServer) -> None:
    wanted = FirewallRule("tcp", "22", ("192.0.2.7/24", "2001:DB8::/32", "192.0.2.0/24"))
    assert wanted.sources == ("192.0.2.0/24", "2001:db8::/32")
    applying.applied(applying.client(), applying.tasks(rules=(wanted,)))
    (rule,) = firewall(server)["rules"]
    rule["source_ips"].reverse()
    assert applying.changes(applying.planned(applying.client(), applying.tasks(rules=(wanted,)))) == []


def test_selector_comes_back_and_others_stay(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    found = firewall(server)
    others = {"type": "label_selector", "label_selector": {"selector": "mine"}}
    (wanted,) = found["applied_to"]
    found["applied_to"] = [others]
    plan = applying.applied(applying.client(), applying.tasks())
    assert applying.changes(plan) == [f"update Firewall/nodes.{applying.NAME} ['selector']"]
    assert found["applied_to"] == [others, wanted]
    assert applying.changes(applying.planned(applying.client(), applying.tasks())) == []
