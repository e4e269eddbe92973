# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The internal load balancer before the API servers, which nodes use; a public one comes with it.

Source: pkg/model/gcemodel/api_loadbalancer.go of kops.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from ...api.instance_group import InstanceGroup
from ...api.zones import zonal_group_name
from ...base.errors import KopsError
from ...cloud.gce.tasks.address import Address
from ...cloud.gce.tasks.backend_service import BackendService
from ...cloud.gce.tasks.forwarding_rule import ForwardingRule
from ...cloud.gce.tasks.health_check import HealthCheck
from ...cloud.gce.tasks.instance_group_manager import InstanceGroupManager
from ...cloud.gce.tasks.subnet import Subnet
from .. import ports
from ..context import ModelContext, ServerAddresses
from . import labels, names, network
from .public_load_balancer import API

TCP, SSL, SCHEME = "TCP", "SSL", "INTERNAL"
KOPS_CONTROLLER, CILIUM_ETCD, ETCD, ETCD_MAIN = "kops-controller", "cilium-etcd", "etcd", "etcd-main"


def build_addresses(context: ModelContext) -> None:
    """An address of the API in each subnet of API servers. Without DNS, nodes find the bootstrap servers there, too."""
    if context.cluster.spec.api.load_balancer is None:
        return
    joins = context.nodes_join_through_load_balancer
    services = ["kube-apiserver", *(["kops-controller"] if joins else [])]
    made = [
        _address(context, f"{API}-{name}", subnet, services, local=_local(name) if joins else None)
        for name, subnet in _subnets(context, _servers(context))
    ]
    if joins:
        found = [context.target.late(str(each.local_name), functools.partial(_addresses, each)) for each in made]
        context.server_addresses = ServerAddresses(made, lambda: [address for find in found for address in find()])


def _addresses(address: Address) -> list[str]:
    return [address.ip_address] if address.ip_address else []


def _local(subnet: str) -> str:
    """The name of the value in Terraform, which has few signs."""
    return f"bootstrap_server_address_{subnet}".replace("-", "_")


def _servers(context: ModelContext) -> list[InstanceGroup]:
    return sorted(context.groups_of("ControlPlane", "APIServer"), key=lambda group: str(group.metadata.name))


def build(context: ModelContext) -> None:
    """Backend services, and for each address a rule for each service behind it."""
    if context.cluster.spec.api.load_balancer is None:
        return
    servers = _servers(context)
    control_plane = [group for group in servers if group.spec.role == "ControlPlane"]
    api = _service(context, API, API, ports.KUBE_API_SERVER, TCP, servers)
    controllers = api
    if labels.has_api_servers(context):
        # What only the control plane runs is not to be looked for on other API servers.
        controllers = _service(context, KOPS_CONTROLLER, KOPS_CONTROLLER, ports.KOPS_CONTROLLER, SSL, control_plane)
    for name, subnet in _subnets(context, servers):
        address = context.get(Address, names.suffixed(f"{API}-{name}", context.name))
        _rule(context, f"{API}-{name}", api, address, subnet, [ports.KUBE_API_SERVER])
        if context.nodes_join_through_load_balancer:
            _rule(context, f"{KOPS_CONTROLLER}-{name}", controllers, address, subnet, [ports.KOPS_CONTROLLER])
        if context.uses_cilium_etcd:
            port = ports.ETCD_CLIENT["cilium"]
            _rule(context, f"{CILIUM_ETCD}-{name}", controllers, address, subnet, [port])
    if labels.has_api_servers(context) and context.nodes_join_through_load_balancer:
        _etcd(context, servers, control_plane)


def _etcd(context: ModelContext, servers: list[InstanceGroup], control_plane: list[InstanceGroup]) -> None:
    """Without DNS, API servers of their own reach etcd by a load balancer as well."""
    # A backend service has one health check: that of the main cluster stands for both.
    service = _service(context, ETCD, ETCD_MAIN, ports.ETCD_CLIENT["main"], TCP, control_plane)
    for name, subnet in _subnets(context, servers):
        address = _address(context, f"{ETCD}-{name}", subnet, ["etcd-main"])
        clients = [ports.ETCD_CLIENT["main"], ports.ETCD_CLIENT["events"]]
        _rule(context, f"{ETCD}-{name}", service, address, subnet, clients)


def _service(
    context: ModelContext, name: str, check_name: str, port: int, protocol: str, groups: Iterable[InstanceGroup]
) -> BackendService:
    layer = context.layers.security
    check = context.add(HealthCheck(names.suffixed(check_name, context.name), layer, port=port, protocol=protocol))
    return context.add(
        BackendService(
            names.suffixed(name, context.name),
            layer,
            health_checks=[check],
            load_balancing_scheme=SCHEME,
            protocol="TCP",
            instance_group_managers=[_manager(context, group) for group in groups],
        )
    )


def _manager(context: ModelContext, group: InstanceGroup) -> InstanceGroupManager:
    if len(group.spec.zones) != 1:
        raise KopsError(
            f"instance group {group.metadata.name}: behind a load balancer it must name exactly one zone,"
            f" not {', '.join(group.spec.zones) or 'none'}"
        )
    name = zonal_group_name(str(group.metadata.name), group.spec.zones[0], context.name)
    return context.get(InstanceGroupManager, name)


def _subnets(context: ModelContext, groups: Sequence[InstanceGroup]) -> list[tuple[str, Subnet]]:
    """The subnets, by the specification's names, that any of the groups is in."""
    used = {name for group in groups for name in group.spec.subnets}
    specs = context.cluster.spec.networking.subnets
    return [(str(spec.name), network.subnet_of(context, spec)) for spec in specs if spec.name in used]


def _address(
    context: ModelContext, name: str, subnet: Subnet, services: list[str], local: str | None = None
) -> Address:
    return context.add(
        Address(
            names.suffixed(name, context.name),
            context.layers.security,
            ip_address_type=SCHEME,
            purpose="SHARED_LOADBALANCER_VIP",
            subnetwork=subnet,
            well_known_services=services,
            local_name=local,
        )
    )


def _rule(
    context: ModelContext, name: str, service: BackendService, address: Address, subnet: Subnet, to: list[int]
) -> None:
    context.add(
        ForwardingRule(
            names.suffixed(name, context.name),
            context.layers.security,
            backend_service=service,
            ports=[str(port) for port in to],
            ip_address=address,
            ip_protocol="TCP",
            load_balancing_scheme=SCHEME,
            network=network.network_of(context),
            subnetwork=subnet,
            labels=labels.of_forwarding_rule(context.cluster, name),
        )
    )
