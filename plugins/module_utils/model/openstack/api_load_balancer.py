# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The load balancer before the API (pkg/model/openstackmodel/servergroup.go of kops)."""

from __future__ import annotations

from ...api.openstack import OpenstackLoadbalancerConfig
from ...base.errors import KopsError
from ...cloud.openstack.tasks.balancer_parts import HealthMonitor, Listener, Pool, PoolMember
from ...cloud.openstack.tasks.load_balancer import OVN, LoadBalancer
from ...cloud.openstack.tasks.subnet import Subnet
from .. import ports
from ..context import ModelContext
from . import floating_ips, network, security_groups, server_groups
from .spec import api_name, listeners_restrict, spec

PRIVATE_TYPES = ("Private", "DualStack")
ROUND_ROBIN, BY_PORT = "ROUND_ROBIN", "SOURCE_IP_PORT"
# kops' words for a provider that the cloud chooses.
_ANY_PROVIDER = ("octavia", "haproxy")
_INTERNAL = "Internal"


def build(context: ModelContext) -> None:
    """Load balancer, pool with the control plane, monitor, listener; a floating address unless it is internal."""
    options = spec(context).loadbalancer
    if options is None:
        return
    name, restricts = api_name(context), listeners_restrict(context)
    balancer = context.add(
        LoadBalancer(
            name,
            context.layers.cluster,
            subnet=_subnet(context),
            flavor=options.flavor_id or None,
            provider=_provider(options),
            security_group=None if restricts else security_groups.group_of(context, security_groups.API),
        )
    )
    if not is_internal(context):
        floating_ips.of_balancer(context, balancer)
    method = BY_PORT if options.provider == OVN else ROUND_ROBIN
    pool = context.add(Pool(f"{name}-https", context.layers.cluster, balancer=balancer, method=method))
    context.add(
        Listener(
            name,
            context.layers.cluster,
            balancer=balancer,
            pool=pool,
            port=ports.KUBE_API_SERVER,
            allowed_cidrs=_allowed(context) if restricts and options.provider != OVN else None,
        )
    )
    context.add(HealthMonitor(name, context.layers.cluster, pool=pool, delay=10, timeout=5, retries=3))
    _add_members(context, pool, balancer)


def _add_members(context: ModelContext, pool: Pool, balancer: LoadBalancer) -> None:
    chosen = {str(each.metadata.name) for each in context.updated_groups}
    for group in context.groups_of("ControlPlane"):
        if group.metadata.name not in chosen:
            continue
        for port in server_groups.ports_of(context, group):
            context.add(
                PoolMember(
                    port.name,
                    context.layers.cluster,
                    title=f"{context.name}-{group.metadata.name}",
                    pool=pool,
                    port=port,
                    subnet=balancer.subnet,
                    protocol_port=ports.KUBE_API_SERVER,
                )
            )


def _subnet(context: ModelContext) -> Subnet:
    """The first private one, as kops; KopsError if there is none."""
    for described in context.cluster.spec.networking.subnets:
        if described.type in PRIVATE_TYPES:
            return network.subnet_of(context, described)
    raise KopsError("spec.networking.subnets: the load balancer of the API needs a subnet of the type Private")


def _provider(options: OpenstackLoadbalancerConfig) -> str | None:
    return None if options.provider in (None, "", *_ANY_PROVIDER) else options.provider


def is_internal(context: ModelContext) -> bool:
    """Whether it has no floating address."""
    balancer = context.cluster.spec.api.load_balancer
    return balancer is not None and balancer.type == _INTERNAL


def _allowed(context: ModelContext) -> list[str]:
    """Octavia's lists are of the family of the load balancer's own address, IPv4."""
    return sorted(cidr for cidr in context.cluster.spec.api.access if ":" not in cidr)
