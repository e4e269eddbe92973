# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bastions: SSH enters through a load balancer and these instances (pkg/model/awsmodel/bastion.go of kops)."""

from __future__ import annotations

from ...api.topology import BastionSpec
from ...base.errors import KopsError
from ...cloud.aws.tasks.network_load_balancer import NetworkLoadBalancer, SubnetMapping
from ...cloud.aws.tasks.security_group import SecurityGroup
from ...cloud.aws.tasks.vpc import VPC
from .. import ports
from ..context import ModelContext
from . import dns, load_balancers, names, security_groups, subnets, tags
from .security_groups import RoleGroup, add_egress, add_rule, peer

PREFIX = "bastion"


def build(context: ModelContext) -> None:
    """Security groups, rules and the load balancer of the bastions; nothing when no instance group is one."""
    if not context.has_bastion:
        return
    topology = context.cluster.spec.networking.topology
    spec = (topology.bastion if topology else None) or BastionSpec()
    kind = (spec.load_balancer.type if spec.load_balancer else None) or "Public"
    if kind not in load_balancers.SCHEMES:
        raise KopsError(f"spec.networking.topology.bastion.loadBalancer.type: {kind!r} is neither Public nor Internal")
    bastions = security_groups.of_role(context, "Bastion")
    group = _security_group(context)
    _allow_between_instances(context, bastions)
    _allow_clients(context, group, kind)
    _allow_to_bastions(context, group, bastions)
    balancer = _load_balancer(context, spec, group, kind)
    target = load_balancers.add_target_group(context, balancer, PREFIX, ports.SSH)
    load_balancers.add_listener(context, balancer, ports.SSH, target, prefix=PREFIX)
    if spec.public_name:
        dns.add_records(context, spec.public_name, balancer)


def _security_group(context: ModelContext) -> SecurityGroup:
    name = names.load_balancer_security_group(PREFIX, context.name)
    return context.add(
        SecurityGroup(
            name,
            context.layers.security,
            vpc=context.get(VPC, context.name),
            description="Security group for bastion ELB",
            remove_extra_rules=["port=22"],
            tags=tags.of_object(context.cluster, name),
        )
    )


def _allow_between_instances(context: ModelContext, bastions: list[RoleGroup]) -> None:
    layer = context.layers.security
    inside = security_groups.of_role(context, "ControlPlane") + security_groups.of_role(context, "Node")
    for source in bastions:
        add_egress(context, layer, source.task)
        for destination in inside:
            _allow_ssh(context, destination.task, source.task)


def _allow_ssh(context: ModelContext, destination: SecurityGroup, source: SecurityGroup) -> None:
    add_rule(
        context,
        context.layers.security,
        destination,
        source_group=source,
        protocol="tcp",
        from_port=ports.SSH,
        to_port=ports.SSH,
    )


def _allow_clients(context: ModelContext, group: SecurityGroup, kind: str) -> None:
    layer = context.layers.security
    add_egress(context, layer, group)
    types = subnets.PUBLIC_TYPES if kind == "Public" else subnets.PRIVATE_TYPES
    beside = [str(spec.cidr) for spec in context.cluster.spec.networking.subnets if spec.type in types and spec.cidr]
    for network in dict.fromkeys([*beside, *context.cluster.spec.ssh_access]):
        add_rule(context, layer, group, protocol="tcp", from_port=ports.SSH, to_port=ports.SSH, **peer(network))
        load_balancers.allow_path_mtu_discovery(context, "ssh-nlb", group, network)


def _allow_to_bastions(context: ModelContext, balancer: SecurityGroup, bastions: list[RoleGroup]) -> None:
    for bastion in bastions:
        _allow_ssh(context, bastion.task, balancer)
        for destination, source in ((bastion.task, balancer), (balancer, bastion.task)):
            add_rule(
                context,
                context.layers.security,
                destination,
                source_group=source,
                protocol="icmp",
                from_port=3,
                to_port=4,
            )


def _load_balancer(context: ModelContext, spec: BastionSpec, group: SecurityGroup, kind: str) -> NetworkLoadBalancer:
    name = names.load_balancer(PREFIX, context.name)
    chosen = load_balancers.one_subnet_a_zone(context, kind)
    additional = spec.load_balancer.additional_security_groups if spec.load_balancer else []
    return context.add(
        NetworkLoadBalancer(
            name,
            context.layers.cluster,
            load_balancer_base_name=names.name32(PREFIX, context.name),
            subnet_mappings=[SubnetMapping(subnet=subnets.task_of(context, subnet)) for subnet in chosen],
            security_groups=[group, *(security_groups.add_shared(context, identifier) for identifier in additional)],
            scheme=load_balancers.SCHEMES[kind],
            ip_address_type="dualstack" if _instances_have_ipv6(context) else "ipv4",
            tags={**tags.of_object(context.cluster), "Name": name},
            type="network",
            vpc=context.get(VPC, context.name),
        )
    )


def _instances_have_ipv6(context: ModelContext) -> bool:
    return any(subnet.ipv6_cidr for group in context.groups for subnet in context.subnets_of(group))
