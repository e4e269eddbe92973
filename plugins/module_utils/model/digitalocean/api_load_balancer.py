# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The load balancer before the API and the bootstrap servers (pkg/model/domodel/api_loadbalancer.go of kops)."""

from __future__ import annotations

import functools

from ...cloud.digitalocean import names
from ...cloud.digitalocean.tasks.load_balancer import LoadBalancer
from ..context import ModelContext, ServerAddresses
from . import network

_NODE_ADDRESSES = "bootstrap_server_addresses"
_WORLD = ("0.0.0.0/0", "::/0")


def build(context: ModelContext) -> None:
    """Control planes are known by their tag. Nodes are told of its address, which stays whatever becomes of them."""
    api = context.cluster.spec.api
    if api.load_balancer is None:
        return
    if api.access and not set(_WORLD) & set(api.access):
        # Workers reach it, too, by public addresses that nobody knows before.
        context.warnings.append("spec.api.access restricts nobody: the load balancer lets in everybody")
    balancer = context.add(
        LoadBalancer(
            names.api(context.name),
            context.layers.network,
            region=context.region,
            vpc=network.vpc_of(context),
            droplet_tag=names.control_plane_tag(context.name),
        )
    )
    find = context.target.late(_NODE_ADDRESSES, functools.partial(_address, balancer))
    context.server_addresses = ServerAddresses([balancer], lambda: list(find()))


def balancer_of(context: ModelContext) -> LoadBalancer:
    """The load balancer, once it is built."""
    return context.get(LoadBalancer, names.api(context.name))


def _address(balancer: LoadBalancer) -> list[str]:
    return [balancer.address] if balancer.address else []
