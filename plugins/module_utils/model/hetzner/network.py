# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network of the servers and of the load balancer (pkg/model/hetznermodel/network.go of kops)."""

from __future__ import annotations

from ...cloud.hetzner import names
from ...cloud.hetzner.tasks.network import Network
from ...cloud.hetzner.tasks.network_subnet import NetworkSubnet
from ..context import ModelContext


def build(context: ModelContext) -> None:
    """One network, with one subnet that is as large; or one that is given, by its id."""
    networking = context.cluster.spec.networking
    if context.shares_network:
        context.add(Network(_name(context), context.layers.network, given=True))
        return
    ip_range = str(networking.network_cidr)
    network = context.add(
        Network(_name(context), context.layers.network, ip_range=ip_range, labels=names.of_cluster(context.name))
    )
    context.add(
        NetworkSubnet(
            f"{context.name}-{ip_range}",
            context.layers.network,
            network=network,
            ip_range=ip_range,
            zone=context.region,
        )
    )


def network_of(context: ModelContext) -> Network:
    """The network, once it is built."""
    return context.get(Network, _name(context))


def subnets_of(context: ModelContext) -> list[NetworkSubnet]:
    """The subnets that the cluster makes: nothing gets an address in the network before they are there."""
    return [task for task in context.tasks.values() if isinstance(task, NetworkSubnet)]


def _name(context: ModelContext) -> str:
    return context.cluster.spec.networking.network_id or context.name
