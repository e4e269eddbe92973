# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The public load balancer before the API servers (pkg/model/gcemodel/api_loadbalancer.go of kops)."""

from __future__ import annotations

from ...base.errors import KopsError
from ...cloud.gce.tasks.address import Address
from ...cloud.gce.tasks.forwarding_rule import ForwardingRule
from ...cloud.gce.tasks.http_health_check import HTTPHealthcheck
from ...cloud.gce.tasks.target_pool import TargetPool
from .. import ports
from ..context import ModelContext
from . import labels, names

API = "api"
PUBLIC, INTERNAL = "Public", "Internal"


def build(context: ModelContext) -> None:
    """A target pool, its health check, an address and the rule that joins them; nothing where none is asked for."""
    balancer = context.cluster.spec.api.load_balancer
    if balancer is None:
        return
    if balancer.type not in (PUBLIC, INTERNAL):
        raise KopsError(f"spec.api.loadBalancer.type: {balancer.type!r} is neither {PUBLIC} nor {INTERNAL}")
    if balancer.type == PUBLIC:
        _build(context)


def pools_of_api(context: ModelContext) -> list[TargetPool]:
    """The pools that instances which serve the API to the public join."""
    balancer = context.cluster.spec.api.load_balancer
    if balancer is None or balancer.type != PUBLIC:
        return []
    return [context.get(TargetPool, names.suffixed(API, context.name))]


def _build(context: ModelContext) -> None:
    name, layer, port = names.suffixed(API, context.name), context.layers.security, ports.KUBE_API_SERVER
    check = context.add(HTTPHealthcheck(name, layer, port=ports.KUBE_API_SERVER_HEALTH_CHECK, request_path="/healthz"))
    pool = context.add(TargetPool(name, layer, health_check=check))
    address = context.add(Address(name, layer, well_known_services=["kube-apiserver"]))
    context.add(
        ForwardingRule(
            name,
            layer,
            port_range=f"{port}-{port}",
            target_pool=pool,
            ip_address=address,
            ip_protocol="TCP",
            load_balancing_scheme="EXTERNAL",
            labels=labels.of_forwarding_rule(context.cluster, API),
        )
    )
