# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Security groups, and who may reach whom."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Lifecycle
from ansible_collections.kubeops.kops.plugins.module_utils.model.aws.firewall import open_tcp_ranges

NODES, CONTROL_PLANE = "nodes.demo.example.com", "masters.demo.example.com"


def rules(tasks):
    return [task for task in tasks.values() if task.kind == "SecurityGroupRule"]


def allowed_tcp(tasks, source, group):
    """The TCP ports that instances of one group may reach on those of another."""
    found = set()
    for rule in rules(tasks):
        if rule.security_group.name == group and rule.source_group is not None and rule.source_group.name == source:
            if rule.protocol is None:
                return set(range(1, 65536))
            if rule.protocol == "tcp":
                found |= set(range(rule.from_port, rule.to_port + 1))
    return found


def from_outside(tasks, group, port):
    return {
        rule.cidr or rule.ipv6_cidr or rule.prefix_list
        for rule in rules(tasks)
        if rule.security_group.name == group
        and not rule.egress
        and rule.source_group is None
        and rule.protocol == "tcp"
        and rule.from_port <= port <= rule.to_port
    }


@pytest.mark.parametrize("kind", ["", "SecurityGroup", "SecurityGroupRule"])
def test_what_is_open_elsewhere_is_told_from_all_groups_that_are_named(model, kind):
    tasks = model(lifecycle_overrides={kind: Lifecycle.IGNORE} if kind else {})
    left = tasks["LeftRules/demo.example.com"]
    assert {group.key for group in left.groups} == {key for key in tasks if key.startswith("SecurityGroup/")} != set()
    assert left.lifecycle is (Lifecycle.IGNORE if kind else Lifecycle.SYNC)


def test_ranges_leave_out_closed_ports():
    assert open_tcp_ranges({3, 4, 65535}) == [(1, 2), (5, 65534)]
    assert open_tcp_ranges({1}) == [(2, 65535)]


def test_nodes_reach_everything_but_etcd(model):
    tasks = model()
    closed = set(range(1, 65536)) - allowed_tcp(tasks, NODES, CONTROL_PLANE)
    assert closed == {2380, 2381, 4001, 4002}
    assert 4001 in allowed_tcp(tasks, CONTROL_PLANE, NODES)


def test_etcd_of_leases_and_of_cilium_is_closed_as_well(model, context_of):
    etcd = [{"name": name, "backups": {"backupStore": f"s3://b/{name}"}} for name in ("main", "leases")]
    closed = set(range(1, 65536)) - allowed_tcp(model({"etcdClusters": etcd}), NODES, CONTROL_PLANE)
    assert {2383, 4004} <= closed
    cilium = model({"networking.cni": None, "networking.cilium": {"etcdManaged": True}})
    closed = set(range(1, 65536)) - allowed_tcp(cilium, NODES, CONTROL_PLANE)
    assert 2382 in closed
    assert 4003 not in closed


def test_amazon_vpc_opens_everything(model):
    tasks = model({"networking.cni": None, "networking.amazonVPC": {}})
    assert 2380 in allowed_tcp(tasks, NODES, CONTROL_PLANE)


@pytest.mark.parametrize("network", ["calico", "kubeRouter"])
def test_tunnels_of_ip_in_ip_pass(model, network):
    tasks = model({"networking.cni": None, f"networking.{network}": {}})
    assert any(rule.protocol == "4" and rule.security_group.name == CONTROL_PLANE for rule in rules(tasks))


def test_ssh_is_open_to_its_networks_unless_there_is_a_bastion(model):
    fields = {"sshAccess": ["10.0.0.0/8", "2001:db8::/32", "pl-1"]}
    tasks = model(fields)
    assert from_outside(tasks, NODES, 22) == from_outside(tasks, CONTROL_PLANE, 22) == set(fields["sshAccess"])
    with_bastion = model(fields, groups={"bastions": {"role": "Bastion", "subnets": ["utility-a"]}})
    assert not from_outside(with_bastion, NODES, 22) | from_outside(with_bastion, CONTROL_PLANE, 22)
    assert 22 in allowed_tcp(with_bastion, "bastion.demo.example.com", NODES)
    assert "172.20.0.0/22" in from_outside(with_bastion, "bastion-elb.demo.example.com", 22)


def test_several_prefix_lists_can_be_given(model):
    access = ["0.0.0.0/0", "pl-1", "pl-2"]
    assert from_outside(model({"api.access": access}), CONTROL_PLANE, 443) == set(access)


def test_api_is_reached_through_its_load_balancer_where_there_is_one(model):
    assert from_outside(model(), CONTROL_PLANE, 443) == {"0.0.0.0/0"}
    balanced = model({"api.loadBalancer": {"type": "Public", "class": "Network"}, "api.dns": None})
    assert not from_outside(balanced, CONTROL_PLANE, 443)
    assert from_outside(balanced, "api-elb.demo.example.com", 443) == {"0.0.0.0/0"}


@pytest.mark.parametrize(("text", "last"), [("", 32767), ("30000-30010", 30010), ("30000+5", 30005)])
def test_node_ports(model, text, last):
    tasks = model({"nodePortAccess": ["10.0.0.0/8"], "kubeAPIServer.serviceNodePortRange": text or None})
    rule = tasks["SecurityGroupRule/nodeport-udp-external-to-node-10.0.0.0/8"]
    assert (rule.from_port, rule.to_port, rule.protocol) == (30000, last, "udp")


def test_old_rules_for_node_ports_are_told_by_their_ports(model):
    fields = {"kubeAPIServer": {"serviceNodePortRange": "28000-28100"}}
    assert model(fields)[f"SecurityGroup/{NODES}"].remove_extra_rules == ["port=22", "port=28000:28100"]


def test_malformed_node_port_range_is_refused(model):
    with pytest.raises(KopsError, match="serviceNodePortRange"):
        model({"kubeAPIServer.serviceNodePortRange": "many"})


def test_overridden_groups_are_used_and_left_alone(model):
    tasks = model(groups={"nodes": {"securityGroupOverride": "sg-1"}, "more": {"role": "Node"}})
    override = tasks["SecurityGroup/sg-1-Node"]
    assert (override.id, override.shared, override.remove_extra_rules) == ("sg-1", True, None)
    assert tasks["LaunchTemplate/nodes.demo.example.com"].security_groups == [override]
    assert tasks["LaunchTemplate/more.demo.example.com"].security_groups == [tasks[f"SecurityGroup/{NODES}"]]
    assert allowed_tcp(tasks, "sg-1-Node", CONTROL_PLANE)


def test_a_role_whose_groups_are_all_overridden_has_no_group_of_ours(model):
    tasks = model(groups={"nodes": {"securityGroupOverride": "sg-1"}})
    assert f"SecurityGroup/{NODES}" not in tasks


def test_rules_have_the_clusters_tags_and_a_name_of_their_own(model):
    """Without them, a rule that is not wanted any more could not be told from one of others."""
    fields = {"nodePortAccess": ["10.0.0.0/8"], "api.loadBalancer": {"type": "Public", "class": "Network"}}
    for found in (model(), model(fields, groups={"nodes": {"securityGroupOverride": "sg-1"}})):
        for rule in rules(found):
            assert rule.tags["Name"] == rule.name
            assert rule.tags["KubernetesCluster"] == "demo.example.com"
            assert rule.tags["kubernetes.io/cluster/demo.example.com"] == "owned"
