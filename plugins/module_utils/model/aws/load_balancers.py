# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load balancers: their subnets, target groups and listeners, alike for the API and for bastions."""

from __future__ import annotations

from collections.abc import Mapping

from ...api.networking import ClusterSubnetSpec
from ...cloud.aws.tasks.network_load_balancer import NetworkLoadBalancer
from ...cloud.aws.tasks.network_load_balancer_listener import NetworkLoadBalancerListener
from ...cloud.aws.tasks.security_group import SecurityGroup
from ...cloud.aws.tasks.target_group import TargetGroup
from ...cloud.aws.tasks.vpc import VPC
from ..context import ModelContext
from . import names, tags
from .security_groups import add_named_rule, peer
from .subnets import PRIVATE_TYPES, PUBLIC_TYPES

SCHEMES = {"Public": "internet-facing", "Internal": "internal"}

# Connections end with their target: clients must not wait for one that is gone.
_TARGET_GROUP_ATTRIBUTES = {
    "deregistration_delay.connection_termination.enabled": "true",
    "deregistration_delay.timeout_seconds": "30",
}
# As AWS has it without saying so, and Terraform then, too: servers that count requests by address need it.
SEES_CLIENTS = {"preserve_client_ip.enabled": "true"}


def one_subnet_a_zone(context: ModelContext, kind: str) -> list[ClusterSubnetSpec]:
    """The subnets that a load balancer of a kind (Public or Internal) stands in: the best one of each zone."""
    types = PUBLIC_TYPES if kind == "Public" else PRIVATE_TYPES
    candidates = [spec for spec in context.cluster.spec.networking.subnets if spec.type in types]
    used = {name for group in context.groups_of("ControlPlane") for name in group.spec.subnets}

    def preference(spec: ClusterSubnetSpec) -> tuple[int, str]:
        score = (spec.name in used) + 2 * (spec.type == "DualStack") + 3 * (spec.type == "Utility")
        return -score, str(spec.name)

    best: dict[str, ClusterSubnetSpec] = {}
    for spec in sorted(candidates, key=preference):
        best.setdefault(str(spec.zone), spec)
    return [best[zone] for zone in sorted(best)]


def add_target_group(
    context: ModelContext,
    balancer: NetworkLoadBalancer,
    prefix: str,
    port: int,
    *,
    protocol: str = "TCP",
    health_check: str = "TCP",
    health_check_path: str | None = None,
    attributes: Mapping[str, str] | None = None,
) -> TargetGroup:
    """A target group; which instances are in it is the autoscaling group's business. attributes: further ones."""
    name = names.name32(prefix, context.name)
    return context.add(
        TargetGroup(
            name,
            context.layers.cluster,
            vpc=context.get(VPC, context.name),
            tags=tags.of_object(context.cluster, name),
            protocol=protocol,
            port=port,
            attributes={**_TARGET_GROUP_ATTRIBUTES, **(attributes or {})},
            interval=10,
            healthy_threshold=2,
            unhealthy_threshold=2,
            health_check_protocol=health_check,
            health_check_path=health_check_path,
            network_load_balancer=balancer,
            shared=False,
        )
    )


def target_group(context: ModelContext, prefix: str) -> TargetGroup:
    """A target group that add_target_group made."""
    return context.get(TargetGroup, names.name32(prefix, context.name))


def add_listener(
    context: ModelContext,
    balancer: NetworkLoadBalancer,
    port: int,
    target: TargetGroup,
    *,
    prefix: str,
    certificate: str | None = None,
    ssl_policy: str | None = None,
) -> None:
    """A port of a load balancer and where its connections go."""
    context.add(
        NetworkLoadBalancerListener(
            names.listener(prefix, port, context.name),
            context.layers.cluster,
            network_load_balancer=balancer,
            port=port,
            target_group=target,
            ssl_certificate_id=certificate,
            ssl_policy=ssl_policy,
        )
    )


def allow_path_mtu_discovery(context: ModelContext, name: str, group: SecurityGroup, network: str) -> None:
    """The ICMP messages without which clients with a smaller MTU hang; a prefix list may hold both families."""
    source, layer = peer(network), context.layers.security
    if "cidr" not in source:
        icmpv6 = {"protocol": "icmpv6", "from_port": -1, "to_port": -1, **source}
        add_named_rule(context, layer, f"icmpv6-pmtu-{name}-{network}", group, **icmpv6)
    if "ipv6_cidr" not in source:
        icmp = {"protocol": "icmp", "from_port": 3, "to_port": 4, **source}
        add_named_rule(context, layer, f"icmp-pmtu-{name}-{network}", group, **icmp)
