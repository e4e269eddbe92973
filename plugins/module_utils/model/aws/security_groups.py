# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Security groups of a role, and rules with the names that kops gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...cloud.aws.tasks.security_group import SecurityGroup
from ...cloud.aws.tasks.security_group_rule import SecurityGroupRule
from ...cloud.aws.tasks.vpc import VPC
from ...engine.task import Lifecycle
from .. import ports
from ..context import ModelContext, is_ipv6_cidr
from ..node_ports import node_port_range
from . import names, tags


@dataclass(frozen=True)
class RoleGroup:
    """One of the security groups that instances of a role are in; suffix tells overrides apart in names of rules."""

    task: SecurityGroup
    suffix: str = ""


_DESCRIPTIONS = {
    "ControlPlane": "Security group for masters",
    "Node": "Security group for nodes",
    "Bastion": "Security group for bastion",
}


def of_role(context: ModelContext, role: str) -> list[RoleGroup]:
    """The security groups of a role: those that instance groups name as override, then the cluster's own if used."""
    groups = list(context.groups_of(role))
    overrides = dict.fromkeys(g.spec.security_group_override for g in groups if g.spec.security_group_override)
    found = [RoleGroup(_override(context, role, str(name)), f"-{name}") for name in overrides]
    if any(not group.spec.security_group_override for group in groups):
        found.append(RoleGroup(_own(context, role)))
    return found


def override_name(override: str, role: str) -> str:
    """The task of a security group that an instance group names instead of the cluster's own."""
    return f"{override}-{role}"


def add_shared(context: ModelContext, identifier: str, name: str = "") -> SecurityGroup:
    """A security group that exists and that we only refer to."""
    return context.ensure(SecurityGroup(name or identifier, context.layers.security, id=identifier, shared=True))


def _override(context: ModelContext, role: str, identifier: str) -> SecurityGroup:
    return context.ensure(
        SecurityGroup(
            override_name(identifier, role),
            context.layers.security,
            id=identifier,
            vpc=context.get(VPC, context.name),
            shared=True,
            description=_DESCRIPTIONS[role],
        )
    )


def _own(context: ModelContext, role: str) -> SecurityGroup:
    name = names.security_group(role, context.name)
    return context.ensure(
        SecurityGroup(
            name,
            context.layers.security,
            vpc=context.get(VPC, context.name),
            description=_DESCRIPTIONS[role],
            remove_extra_rules=_ports_we_own(context, role),
            tags=tags.of_object(context.cluster, name),
        )
    )


def _ports_we_own(context: ModelContext, role: str) -> list[str]:
    """Ports on which a rule that we did not ask for is removed."""
    if role == "Node":
        first, last = node_port_range(context)
        return ["port=22", f"port={first}:{last}"]
    if role == "Bastion":
        return ["port=22", "port=3:4", "port=-1"]
    etcd = etcd_clusters(context)
    owned = [
        ports.SSH,
        ports.KUBE_API_SERVER,
        *(ports.ETCD_PEER[name] for name in etcd),
        ports.KOPS_CONTROLLER,
        *(ports.ETCD_CLIENT[name] for name in etcd),
        ports.VXLAN,
        ports.BGP,
        ports.KUBE_API_SERVER_SECONDARY,
    ]
    # 3:4 is ICMP "fragmentation needed", -1 all of ICMPv6.
    return [*(f"port={port}" for port in owned), "port=3:4", "port=-1"]


def etcd_clusters(context: ModelContext) -> list[str]:
    """The etcd clusters of the API server, whose ports nodes must not reach."""
    has_leases = any(etcd.name == "leases" for etcd in context.cluster.spec.etcd_clusters)
    return ["main", "events", *(["leases"] if has_leases else [])]


def peer(text: str) -> dict[str, str]:
    """Where traffic comes from or goes to, as an argument of SecurityGroupRule: a prefix list, or a network."""
    if text.startswith("pl-"):
        return {"prefix_list": text}
    return {"ipv6_cidr": text} if is_ipv6_cidr(text) else {"cidr": text}


def add_rule(context: ModelContext, layer: Lifecycle, security_group: SecurityGroup, **arguments: Any) -> None:
    """A rule named after what it allows (from-<source>-ingress-<protocol>-<from>to<to>-<group>)."""
    rule = SecurityGroupRule("", layer, security_group=security_group, **arguments)
    rule.name = _directional_name(rule, security_group, "0.0.0.0/0")
    if rule.prefix_list and rule.key in context.tasks:
        # kops calls every prefix list 0.0.0.0/0, so that it can take but one.
        rule.name = _directional_name(rule, security_group, rule.prefix_list)
    rule.tags = tags.of_object(context.cluster, rule.name)
    context.add(rule)


def add_named_rule(
    context: ModelContext, layer: Lifecycle, name: str, security_group: SecurityGroup, **arguments: Any
) -> None:
    """A rule with a name of its own. kops tags only the others; by the tag, one that is not wanted any more is ours."""
    own = tags.of_object(context.cluster, name)
    context.add(SecurityGroupRule(name, layer, security_group=security_group, tags=own, **arguments))


def add_egress(context: ModelContext, layer: Lifecycle, security_group: SecurityGroup) -> None:
    """Everything may leave."""
    for destination in ("0.0.0.0/0", "::/0"):
        add_rule(context, layer, security_group, egress=True, **peer(destination))


def _directional_name(rule: SecurityGroupRule, group: SecurityGroup, prefix_list: str) -> str:
    other = rule.source_group.name if rule.source_group else rule.cidr or rule.ipv6_cidr or prefix_list
    source, destination = (group.name, other) if rule.egress else (other, group.name)
    direction = "egress" if rule.egress else "ingress"
    span = f"{rule.from_port or 0}to{rule.to_port or 0}"
    return f"from-{source}-{direction}-{rule.protocol or 'all'}-{span}-{destination}"
