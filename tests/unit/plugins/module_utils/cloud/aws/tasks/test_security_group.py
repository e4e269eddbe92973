# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Security groups and their rules."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.left_rules import LeftRules
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.security_group import (
    SecurityGroup,
    removal_ports,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.security_group_rule import SecurityGroupRule
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc import VPC
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Lifecycle

CLUSTER = "demo.example.com"
TAG = f"kubernetes.io/cluster/{CLUSTER}"


def owned(name: str, **more: str) -> dict[str, str]:
    return {"Name": name, "KubernetesCluster": CLUSTER, TAG: "owned", **more}


def firewall(ssh: tuple[str, ...] = ("0.0.0.0/0", "::/0"), **labels: str) -> list:
    vpc = VPC(CLUSTER, cidr="10.0.0.0/16", tags=owned(CLUSTER))
    masters, nodes = (
        SecurityGroup(
            f"{role}.{CLUSTER}",
            vpc=vpc,
            description=f"Security group for {role}",
            remove_extra_rules=["port=22", "port=3:4", "port=-1"],
            tags=owned(f"{role}.{CLUSTER}", **labels),
        )
        for role in ("masters", "nodes")
    )
    tasks: list = [vpc, masters, nodes]

    def rule(group: SecurityGroup, **says) -> None:
        name = f"rule-{len(tasks)}"
        tasks.append(SecurityGroupRule(name, security_group=group, tags=owned(name, **labels), **says))

    for group in (masters, nodes):
        for cidr in ssh:
            rule(group, protocol="tcp", from_port=22, to_port=22, **{"ipv6_cidr" if ":" in cidr else "cidr": cidr})
        rule(group, egress=True, cidr="0.0.0.0/0")
        rule(group, egress=True, ipv6_cidr="::/0")
    rule(masters, source_group=masters)
    rule(masters, source_group=nodes, protocol="tcp", from_port=1, to_port=2379)
    rule(masters, source_group=nodes, protocol="4")
    rule(masters, cidr="0.0.0.0/0", protocol="icmp", from_port=3, to_port=4)
    rule(nodes, prefix_list="pl-12345678", protocol="tcp", from_port=443, to_port=443)
    return tasks


def group_id(client, role: str = "masters") -> str:
    (group,) = client.describe_security_groups(Filters=[{"Name": "group-name", "Values": [f"{role}.{CLUSTER}"]}])[
        "SecurityGroups"
    ]
    return group["GroupId"]


def rules_of(client, role: str = "masters") -> list[dict]:
    filters = [{"Name": "group-id", "Values": [group_id(client, role)]}]
    return client.describe_security_group_rules(Filters=filters)["SecurityGroupRules"]


def test_rules_are_made_once_and_read_in_one_call(run, cloud, calls):
    tasks = firewall()
    first = run(tasks)
    assert first.actions == {task.key: "create" for task in tasks}
    assert all(task.id for task in tasks)
    calls.clear()
    second = run(firewall())
    assert second.actions == {} and second.deletions == []
    assert sorted(calls) == ["ec2.DescribeSecurityGroupRules", "ec2.DescribeSecurityGroups", "ec2.DescribeVpcs"]


def test_the_rule_that_ec2_gives_a_new_group_is_taken_over(run, cloud):
    run(firewall())
    egress = [rule for rule in rules_of(cloud.client("ec2")) if rule["IsEgress"]]
    assert sorted(rule.get("CidrIpv4") or rule["CidrIpv6"] for rule in egress) == ["0.0.0.0/0", "::/0"]
    assert all({"Key": TAG, "Value": "owned"} in rule["Tags"] for rule in egress)


def test_a_rule_says_what_was_asked_for(run, cloud):
    run(firewall())
    client = cloud.client("ec2")
    nodes = group_id(client, "nodes")
    (rule,) = [rule for rule in rules_of(client) if rule.get("ToPort") == 2379]
    assert rule["FromPort"] == 1 and rule["IpProtocol"] == "tcp" and not rule["IsEgress"]
    assert rule["ReferencedGroupInfo"]["GroupId"] == nodes
    (listed,) = [rule for rule in rules_of(client, "nodes") if rule.get("PrefixListId")]
    assert listed["PrefixListId"] == "pl-12345678"


def test_tags_of_groups_and_rules_follow(run, calls):
    run(firewall())
    calls.clear()
    changed = run(firewall(cost="7"))
    assert set(changed.actions.values()) == {"update"}
    assert set(calls.writes) == {"ec2.CreateTags"}
    assert run(firewall(cost="7")).actions == {}


def test_rules_of_others_on_watched_ports_are_named_and_go_when_pruning(run, cloud):
    run(firewall())
    client = cloud.client("ec2")
    for port in (22, 8080):
        client.authorize_security_group_ingress(
            GroupId=group_id(client), IpProtocol="tcp", FromPort=port, ToPort=port, CidrIp="203.0.113.0/24"
        )
    for _run in range(2):
        kept = run(firewall(), delete=False)
        assert [(gone.deferred, gone.reason[:10]) for gone in kept.deletions] == [(True, "still open")]
    pruned = run(firewall())
    assert [gone.item for gone in pruned.deletions] == [f"{group_id(client)}: port=22 protocol=tcp ip=203.0.113.0/24"]
    assert run(firewall()).deletions == []
    # Ports that are not ours to watch keep what somebody else let in.
    assert [rule["FromPort"] for rule in rules_of(client) if rule.get("CidrIpv4") == "203.0.113.0/24"] == [8080]


def test_what_is_open_in_groups_that_are_not_named_any_more_is_said_until_it_is_pruned(run, cloud):
    """Groups that an override named, of load balancers that are gone. What others have opened there is their affair."""
    client = cloud.client("ec2")
    before = firewall(ssh=("0.0.0.0/0",))
    run([*before, LeftRules(CLUSTER, groups=[task for task in before if isinstance(task, SecurityGroup)])])
    client.authorize_security_group_ingress(
        GroupId=group_id(client, "nodes"), IpProtocol="tcp", FromPort=80, ToPort=80, CidrIp="0.0.0.0/0"
    )

    def without_nodes() -> list:
        tasks = [task for task in firewall(ssh=("0.0.0.0/0",)) if "nodes" not in str(vars(task))]
        return [*tasks, LeftRules(CLUSTER, groups=[task for task in tasks if isinstance(task, SecurityGroup)])]

    opened = [f"{group_id(client, 'nodes')}: port={port}" for port in ("22 protocol=tcp ip=0.0.0.0/0", "443 protocol")]
    kept = [gone for gone in run(without_nodes(), delete=False).deletions if gone.item.startswith(opened[0][:20])]
    assert [gone.item.startswith(prefix) for gone, prefix in zip(kept, opened)] == [True, True] and len(kept) == 2
    assert all(gone.deferred and gone.reason.startswith("still open") for gone in kept)
    run(without_nodes())
    left = [rule for rule in rules_of(client, "nodes") if not rule["IsEgress"]]
    assert [rule["FromPort"] for rule in left if rule.get("CidrIpv4") or rule.get("PrefixListId")] == [80]


def test_access_that_is_narrowed_is_closed_at_once(run, cloud):
    run(firewall())
    changed = run(firewall(ssh=("198.51.100.0/24",)), delete=False)
    assert [gone.deferred for gone in changed.deletions] == [False] * 4
    for role in ("masters", "nodes"):
        ssh = [rule for rule in rules_of(cloud.client("ec2"), role) if rule.get("FromPort") == 22]
        assert [rule.get("CidrIpv4") for rule in ssh] == ["198.51.100.0/24"]
    again = run(firewall(ssh=("198.51.100.0/24",)), delete=False)
    assert again.actions == {} and again.deletions == []


def test_what_lets_instances_talk_to_each_other_is_kept_until_they_are_replaced(run, cloud):
    tasks = firewall()
    run(tasks)
    between = next(task for task in tasks if getattr(task, "to_port", None) == 2379)
    kept = run([task for task in firewall() if task.name != between.name], delete=False)
    (gone,) = kept.deletions
    assert gone.deferred and "instances that run may still need it" in gone.reason
    assert 2379 in [rule.get("ToPort") for rule in rules_of(cloud.client("ec2"))]


def test_in_a_group_of_others_only_our_own_rules_go(run, cloud):
    client = cloud.client("ec2")
    vpc = client.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    theirs = client.create_security_group(GroupName="theirs", Description="theirs", VpcId=vpc)["GroupId"]
    client.authorize_security_group_ingress(
        GroupId=theirs, IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="203.0.113.0/24"
    )

    def access(*networks: str) -> list:
        group = SecurityGroup("theirs", id=theirs, shared=True)
        says = {"protocol": "tcp", "from_port": 22, "to_port": 22}
        rules = [
            SecurityGroupRule(cidr, security_group=group, cidr=cidr, tags=owned(cidr), **says) for cidr in networks
        ]
        return [group, *rules]

    run(access("0.0.0.0/0", "192.0.2.0/24"))
    run(access("192.0.2.0/24"), delete=False)
    found = client.describe_security_group_rules(Filters=[{"Name": "group-id", "Values": [theirs]}])
    left = {rule["CidrIpv4"] for rule in found["SecurityGroupRules"] if not rule["IsEgress"]}
    assert left == {"192.0.2.0/24", "203.0.113.0/24"}


def test_a_cidr_with_host_bits_is_the_block_that_ec2_makes_of_it(run):
    run(firewall(ssh=("198.51.100.0/24",)))
    again = run(firewall(ssh=("198.51.100.7/24",)))
    assert again.actions == {} and again.deletions == []


def test_a_rule_that_another_run_has_just_made_is_taken_over(run, cloud):
    tasks = firewall()
    run(tasks)
    rule = tasks[-2]
    client = cloud.client("ec2")
    again = firewall()

    def remove() -> None:
        client.revoke_security_group_ingress(GroupId=group_id(client), SecurityGroupRuleIds=[rule.id])

    def make() -> None:
        rule.create(cloud)

    remove()
    done = run(again, meanwhile=make)
    assert done.actions == {rule.key: "create"}
    assert again[-2].id == rule.id
    assert run(firewall()).actions == {}


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"cidr": "0.0.0.0/0", "ipv6_cidr": "::/0"}, "one of a CIDR"),
        ({"cidr": "0.0.0.0/0", "prefix_list": "pl-1"}, "one of a CIDR"),
        ({"cidr": "0.0.0.0/0", "from_port": 22}, "needs a protocol"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(run, calls, rule, said):
    tasks = firewall()
    with pytest.raises(PlanError, match=said):
        run([*tasks, SecurityGroupRule("odd", security_group=tasks[1], **rule)])
    assert calls.writes == []


@pytest.mark.parametrize(("rule", "ports"), [("port=22", (22, 22)), ("port=3:4", (3, 4)), ("port=-1", (-1, -1))])
def test_removal_rules(rule, ports):
    assert removal_ports(rule) == ports


@pytest.mark.parametrize("rule", ["", "22", "port=", "port=x", "protocol=tcp"])
def test_a_removal_rule_that_cannot_be_read_stops_the_plan(run, rule):
    tasks = firewall()
    tasks[1].remove_extra_rules = [rule]
    with pytest.raises(Exception, match="does not say which rules to remove"):
        run(tasks)


def test_with_rules_that_are_ignored_none_is_removed(run, cloud):
    run(firewall())
    ignored = firewall(ssh=("198.51.100.0/24",))
    for task in ignored:
        if isinstance(task, SecurityGroupRule):
            task.lifecycle = Lifecycle.IGNORE
    assert run(ignored).deletions == []
