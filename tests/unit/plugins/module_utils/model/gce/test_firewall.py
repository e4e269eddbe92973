# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firewall rules: who may reach whom."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError

NODE, MASTER = "demo-example-com-k8s-io-role-node", "demo-example-com-k8s-io-role-master"
CONTROL_PLANE = "demo-example-com-k8s-io-role-control-plane"
BASTION = "demo-example-com-k8s-io-role-bastion"
LOAD_BALANCER = {"api.loadBalancer": {"type": "Internal"}}


def test_every_rule_has_exactly_one_kind_of_source(model, of_kind):
    for fields in ({}, LOAD_BALANCER, {"sshAccess": [], "api.access": []}):
        for rule in of_kind(model(fields), "FirewallRule").values():
            assert bool(rule.source_tags) != bool(rule.source_ranges), rule


def test_ranges_are_split_by_family_and_none_means_nobody(model, of_kind):
    rules = of_kind(model({"sshAccess": ["10.0.0.0/8", "2001:db8::/32"]}), "FirewallRule")
    assert rules["ssh-external-to-node"].source_ranges == ["10.0.0.0/8"]
    assert rules["ssh-external-to-node-ipv6"].source_ranges == ["2001:db8::/32"]
    assert not rules["ssh-external-to-node-ipv6"].disabled
    closed = of_kind(model({"sshAccess": ["10.0.0.0/8"]}), "FirewallRule")["ssh-external-to-node-ipv6"]
    assert (closed.disabled, closed.source_ranges) == (True, ["::/0"])


def test_ssh_goes_through_the_bastion_and_nowhere_else(model, of_kind):
    rules = of_kind(model(groups={"bastions": {"role": "Bastion"}}), "FirewallRule")
    assert not [name for name in rules if name.startswith(("ssh-external-to-master", "ssh-external-to-node"))]
    assert rules["ssh-external-to-bastion"].target_tags == [BASTION]
    for name in ("bastion-to-master-ssh", "bastion-to-master-ssh-ipv6", "bastion-to-node-ssh"):
        assert (rules[name].source_tags, rules[name].disabled) == ([BASTION], False)
    assert rules["bastion-to-master-ssh"].target_tags == [CONTROL_PLANE, MASTER]


def test_node_ports_are_those_of_the_api_server(model, of_kind):
    fields = {"kubeAPIServer": {"serviceNodePortRange": "28000-32767"}, "nodePortAccess": ["10.0.0.0/8"]}
    rule = of_kind(model(fields), "FirewallRule")["nodeport-external-to-node"]
    assert rule.allowed == ["tcp:28000-32767", "udp:28000-32767"]
    single = of_kind(model({"kubeAPIServer": {"serviceNodePortRange": "30000"}}), "FirewallRule")
    assert single["nodeport-external-to-node"].allowed == ["tcp:30000", "udp:30000"]


def test_api_is_open_at_the_load_balancer_where_there_is_one(model, of_kind):
    direct, balanced = (of_kind(model(fields), "FirewallRule") for fields in ({}, LOAD_BALANCER))
    assert direct["kubernetes-master-https"].target_tags == [CONTROL_PLANE, MASTER]
    assert "https-api" not in direct
    assert balanced["https-api"].target_tags == [CONTROL_PLANE]
    assert not {"kubernetes-master-https", "kops-controller", "cilium-etcd"} & balanced.keys()
    assert balanced["lb-health-checks"].allowed == ["tcp"]


def test_what_else_is_behind_the_load_balancer(model, of_kind):
    fields = {
        **LOAD_BALANCER,
        "networking.topology": {"dns": "None"},
        "networking.cni": None,
        "networking.cilium": {"etcdManaged": True},
    }
    rules = of_kind(model(fields), "FirewallRule")
    assert rules["kops-controller"].allowed == ["tcp:3988"]
    assert rules["cilium-etcd"].allowed == ["tcp:4003"]
    assert {"udp:8472", "tcp:4003"} <= set(rules["node-to-master"].allowed)


def test_calico_needs_its_own_protocol(model, of_kind):
    rules = of_kind(model({"networking.cni": None, "networking.calico": {}}), "FirewallRule")
    assert rules["node-to-node"].allowed[-1] == "ipip"
    assert rules["node-to-master"].allowed[-2:] == ["ipip", "tcp:179"]


@pytest.mark.parametrize("provider", ["gcp", "kindnet", "kubenet"])
def test_traffic_of_pods_that_the_network_routes_is_known_by_its_range(model, of_kind, provider):
    fields = {"networking.cni": None, f"networking.{provider}": {}, "networking.podCIDR": "10.4.0.0/14"}
    rules = of_kind(model(fields), "FirewallRule")
    assert rules["pod-cidrs-to-node"].source_ranges == ["10.4.0.0/14"]
    ipv6 = rules["pod-cidrs-to-node-ipv6"]
    assert ipv6.disabled
    assert "58" in ipv6.allowed
    assert "icmp" not in ipv6.allowed
    assert ("pod-cidrs-to-https-api" in rules) == (provider != "kubenet")
    ipv6_only = {**fields, "networking.nonMasqueradeCIDR": "::/0"}
    assert "pod-cidrs-to-node" not in of_kind(model(ipv6_only), "FirewallRule")
    with pytest.raises(KopsError, match="podCIDR"):
        model({**fields, "networking.podCIDR": None})
