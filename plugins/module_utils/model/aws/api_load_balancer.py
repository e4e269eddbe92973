# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network load balancer before the API servers (pkg/model/awsmodel/api_loadbalancer.go of kops)."""

from __future__ import annotations

from ...api.cluster import LoadBalancerAccessSpec
from ...base.errors import KopsError
from ...cloud.aws.tasks.network_load_balancer import (
    NODE_ADDRESSES,
    NetworkLoadBalancer,
    NetworkLoadBalancerAccessLog,
    SubnetMapping,
)
from ...cloud.aws.tasks.security_group import SecurityGroup
from ...cloud.aws.tasks.vpc import VPC
from .. import ports
from ..context import ModelContext, ServerAddresses
from . import load_balancers, names, security_groups, subnets, tags
from .security_groups import RoleGroup, add_egress, add_named_rule, add_rule, peer

PREFIX = "api"
DEFAULT_SSL_POLICY = "ELBSecurityPolicy-2016-08"


def build(context: ModelContext) -> None:
    """The load balancer with its security group, target groups, listeners and rules; nothing when none is asked for."""
    spec = context.cluster.spec.api.load_balancer
    if spec is None:
        return
    if spec.type not in load_balancers.SCHEMES:
        raise KopsError(f"spec.api.loadBalancer.type: {spec.type!r} is neither Public nor Internal")
    group = _security_group(context, spec)
    balancer = _load_balancer(context, spec, group)
    _listeners(context, spec, balancer)
    _allow_clients(context, spec, group)
    for role_group in security_groups.of_role(context, "ControlPlane"):
        _allow_to_control_plane(context, spec, group, role_group)
    if context.nodes_join_through_load_balancer:
        for role_group in security_groups.of_role(context, "Node"):
            name = f"node{role_group.suffix}-to-elb"
            add_named_rule(context, context.layers.security, name, group, source_group=role_group.task)


def _security_group(context: ModelContext, spec: LoadBalancerAccessSpec) -> SecurityGroup:
    name = names.load_balancer_security_group(PREFIX, context.name)
    owned = ["port=443", *(["port=8443"] if spec.ssl_certificate else [])]
    return context.add(
        SecurityGroup(
            name,
            context.layers.security,
            id=spec.security_group_override,
            vpc=context.get(VPC, context.name),
            description="Security group for api ELB",
            remove_extra_rules=owned,
            shared=True if spec.security_group_override else None,
            tags=tags.of_object(context.cluster, name),
        )
    )


def _load_balancer(context: ModelContext, spec: LoadBalancerAccessSpec, group: SecurityGroup) -> NetworkLoadBalancer:
    name = names.load_balancer(PREFIX, context.name)
    more = [security_groups.add_shared(context, identifier) for identifier in spec.additional_security_groups]
    log = spec.access_log
    balancer = context.add(
        NetworkLoadBalancer(
            name,
            context.layers.cluster,
            load_balancer_base_name=names.name32(PREFIX, context.name),
            subnet_mappings=_subnet_mappings(context, spec),
            security_groups=[group, *more],
            scheme=load_balancers.SCHEMES[str(spec.type)],
            # Without DNS every node uses every address: each must reach all control-plane instances.
            cross_zone_load_balancing=context.nodes_join_through_load_balancer or bool(spec.cross_zone_load_balancing),
            tags={**tags.of_object(context.cluster), "Name": name},
            type="network",
            vpc=context.get(VPC, context.name),
            access_log=NetworkLoadBalancerAccessLog(
                enabled=log is not None,
                s3_bucket_name=log.bucket if log else None,
                s3_bucket_prefix=log.bucket_prefix if log else None,
            ),
            well_known_services=_services(context),
            wait_until_active=context.nodes_join_through_load_balancer,
        )
    )
    if context.nodes_join_through_load_balancer:
        context.server_addresses = ServerAddresses(
            [balancer],
            context.target.late(NODE_ADDRESSES, lambda: balancer.node_addresses or ()),
        )
    return balancer


def _services(context: ModelContext) -> list[str]:
    services = ["kube-apiserver"]
    if context.nodes_join_through_load_balancer:
        services += ["kops-controller", *(["etcd-cilium"] if context.uses_cilium_etcd else [])]
    return services


def _subnet_mappings(context: ModelContext, spec: LoadBalancerAccessSpec) -> list[SubnetMapping]:
    if not spec.subnets:
        chosen = load_balancers.one_subnet_a_zone(context, str(spec.type))
        return [SubnetMapping(subnet=subnets.task_of(context, subnet)) for subnet in chosen]
    known = {subnet.name: subnet for subnet in context.cluster.spec.networking.subnets}
    return [
        SubnetMapping(
            subnet=subnets.task_of(context, known[wanted.name]),
            private_ipv4_address=wanted.private_ipv4_address,
            allocation_id=wanted.allocation_id,
        )
        for wanted in spec.subnets
        if wanted.name in known
    ]


def _listeners(context: ModelContext, spec: LoadBalancerAccessSpec, balancer: NetworkLoadBalancer) -> None:
    tcp = load_balancers.add_target_group(context, balancer, "tcp", ports.KUBE_API_SERVER)
    if spec.ssl_certificate:
        # Client certificates do not pass a listener that ends TLS: they use a second port.
        load_balancers.add_listener(context, balancer, ports.KUBE_API_SERVER_SECONDARY, tcp, prefix=PREFIX)
        load_balancers.add_listener(
            context,
            balancer,
            ports.KUBE_API_SERVER,
            load_balancers.add_target_group(context, balancer, "tls", ports.KUBE_API_SERVER, protocol="TLS"),
            prefix=PREFIX,
            certificate=spec.ssl_certificate,
            ssl_policy=spec.ssl_policy or DEFAULT_SSL_POLICY,
        )
    else:
        load_balancers.add_listener(context, balancer, ports.KUBE_API_SERVER, tcp, prefix=PREFIX)
    if not context.nodes_join_through_load_balancer:
        return
    controller = load_balancers.add_target_group(
        context,
        balancer,
        "kops-controller",
        ports.KOPS_CONTROLLER,
        health_check="HTTPS",
        health_check_path="/healthz",
        attributes=load_balancers.SEES_CLIENTS,
    )
    load_balancers.add_listener(context, balancer, ports.KOPS_CONTROLLER, controller, prefix=PREFIX)
    if context.uses_cilium_etcd:
        port = ports.ETCD_CLIENT["cilium"]
        etcd = load_balancers.add_target_group(context, balancer, "etcd-cilium", port)
        load_balancers.add_listener(context, balancer, port, etcd, prefix="etcd-cilium")


def _allow_clients(context: ModelContext, spec: LoadBalancerAccessSpec, group: SecurityGroup) -> None:
    layer = context.layers.security
    add_egress(context, layer, group)
    open_ports = [ports.KUBE_API_SERVER, *([ports.KUBE_API_SERVER_SECONDARY] if spec.ssl_certificate else [])]
    for network in context.cluster.spec.api.access:
        for port in open_ports:
            add_rule(context, layer, group, protocol="tcp", from_port=port, to_port=port, **peer(network))
        load_balancers.allow_path_mtu_discovery(context, "api-elb", group, network)


def _allow_to_control_plane(
    context: ModelContext, spec: LoadBalancerAccessSpec, balancer: SecurityGroup, control_plane: RoleGroup
) -> None:
    suffix, target = control_plane.suffix, control_plane.task
    allowed = [
        (f"https-elb-to-master{suffix}", target, balancer, "tcp", ports.KUBE_API_SERVER, ports.KUBE_API_SERVER),
        (f"icmp-pmtu-elb-to-cp{suffix}", target, balancer, "icmp", 3, 4),
        (f"icmp-pmtu-cp{suffix}-to-elb", balancer, target, "icmp", 3, 4),
    ]
    if spec.ssl_certificate:
        port = ports.KUBE_API_SERVER_SECONDARY
        allowed.append((f"tcp-api-cp{suffix}", target, balancer, "tcp", port, port))
    if context.nodes_join_through_load_balancer:
        port = ports.KOPS_CONTROLLER
        allowed.append((f"kops-controller-elb-to-cp{suffix}", target, balancer, "tcp", port, port))
        if context.uses_cilium_etcd:
            port = ports.ETCD_CLIENT["cilium"]
            allowed.append((f"etcd-cilium-elb-to-cp{suffix}", target, balancer, "tcp", port, port))
    for name, group, source, protocol, first, last in allowed:
        add_named_rule(
            context,
            context.layers.security,
            name,
            group,
            source_group=source,
            protocol=protocol,
            from_port=first,
            to_port=last,
        )
