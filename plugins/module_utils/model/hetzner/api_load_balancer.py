# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The load balancer before the API and the bootstrap servers (pkg/model/hetznermodel/loadbalancer.go of kops).

Each cluster has one: its address in the network stays, whatever becomes of control planes, so nodes are told of it.
"""

from __future__ import annotations

import functools

from ...cloud.hetzner import names
from ...cloud.hetzner.tasks.load_balancer import LoadBalancer, Service
from .. import ports
from ..context import ModelContext, ServerAddresses
from . import network
from .locations import location_of

_TYPE = "lb11"
_NODE_ADDRESSES = "bootstrap_server_addresses"


def build(context: ModelContext) -> None:
    """Control planes are known by their labels, and reached in the network."""
    balancer = context.add(
        LoadBalancer(
            names.api(context.name),
            context.layers.network,
            network=network.network_of(context),
            location=location_of(context, context.groups[0]),
            type=_TYPE,
            services=[Service(port, port) for port in (ports.KUBE_API_SERVER, ports.KOPS_CONTROLLER)],
            target=names.servers_of("ControlPlane", context.name),
            labels=names.of_cluster(context.name),
            after=network.subnets_of(context),
        )
    )
    find = context.target.late(_NODE_ADDRESSES, functools.partial(_address, balancer))
    context.server_addresses = ServerAddresses([balancer], lambda: list(find()))
    api = context.cluster.spec.api
    if api.access and not {"0.0.0.0/0"} <= set(api.access):
        context.warnings.append(
            "spec.api.access restricts nobody: the load balancer of the API is open to the world, as Hetzner has no"
            " firewall before load balancers"
        )


def _address(balancer: LoadBalancer) -> list[str]:
    return [balancer.private_address] if balancer.private_address else []
