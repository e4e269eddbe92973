# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network: VPC network, subnetworks, and the router by which private subnets reach the Internet.

Source: pkg/model/gcemodel/network.go of kops.
"""

from __future__ import annotations

from ...api.networking import ClusterSubnetSpec
from ...base.errors import KopsError
from ...cloud.gce.identifiers import split_network_id
from ...cloud.gce.tasks.network import Network
from ...cloud.gce.tasks.router import Router
from ...cloud.gce.tasks.subnet import Subnet
from ...completion.gce.questions import uses_ip_aliases
from ..context import ModelContext
from . import names

PRIVATE_TYPES = ("Private", "DualStack")
NAT_GATEWAY, EXTERNAL = "NatGateway", "External"
# The subnet's secondary ranges, where pods have addresses of the network itself.
PODS, SERVICES = "pods", "services"


def build(context: ModelContext) -> None:
    """The network, its subnetworks, and a router for those that are private and ours."""
    network = _network(context)
    subnets = [_subnet(context, network, spec) for spec in context.cluster.spec.networking.subnets]
    behind_nat = [subnet for subnet, spec in zip(subnets, context.cluster.spec.networking.subnets) if _needs_nat(spec)]
    if behind_nat:
        context.add(
            Router(
                names.suffixed("nat", context.name),
                context.layers.network,
                network=network,
                region=context.region,
                nat_ip_allocation_option="AUTO_ONLY",
                source_subnetwork_ip_ranges_to_nat="LIST_OF_SUBNETWORKS",
                subnetworks=behind_nat,
            )
        )


def network_of(context: ModelContext) -> Network:
    """The cluster's network, once it is built."""
    return context.get(Network, _network_name(context)[1])


def subnet_of(context: ModelContext, spec: ClusterSubnetSpec) -> Subnet:
    """The subnetwork of a subnet of the specification, once it is built."""
    return context.get(Subnet, _subnet_name(context, spec))


def stack_type(context: ModelContext) -> str:
    """The address families of subnets and instances: Google has none with IPv6 alone."""
    return "IPV4_IPV6" if context.is_ipv6_only else "IPV4_ONLY"


def alias_range(context: ModelContext, key: str) -> str:
    """The name of a subnet's secondary range for PODS or SERVICES."""
    return names.suffixed(key, context.name)


def _network_name(context: ModelContext) -> tuple[str, str]:
    """(project, name)."""
    given = context.cluster.spec.networking.network_id
    return split_network_id(given) if given else ("", names.network(context.name))


def _network(context: ModelContext) -> Network:
    project, name = _network_name(context)
    return context.add(
        Network(
            name,
            context.layers.network,
            project=project or None,
            mode=None if context.shares_network else "custom",
            shared=context.shares_network,
        )
    )


def _subnet_name(context: ModelContext, spec: ClusterSubnetSpec) -> str:
    return spec.id or names.suffixed(str(spec.name), context.name)


def _subnet(context: ModelContext, network: Network, spec: ClusterSubnetSpec) -> Subnet:
    networking = context.cluster.spec.networking
    ranges = {}
    if uses_ip_aliases(context.cluster):
        ranges[alias_range(context, PODS)] = str(networking.pod_cidr)
        ranges[alias_range(context, SERVICES)] = str(networking.service_cluster_ip_range)
    return context.add(
        Subnet(
            _subnet_name(context, spec),
            context.layers.network,
            network=network,
            region=context.region,
            cidr=spec.cidr or None,
            stack_type=stack_type(context),
            ipv6_access_type="EXTERNAL" if context.is_ipv6_only else None,
            secondary_ip_ranges=ranges,
            shared=bool(spec.id),
        )
    )


def _needs_nat(spec: ClusterSubnetSpec) -> bool:
    """Whether it is for us to lead the subnet's instances out; KopsError for a way that Google Cloud has not."""
    if spec.type not in PRIVATE_TYPES or spec.id or spec.egress == EXTERNAL:
        return False
    if spec.egress not in (None, "", NAT_GATEWAY):
        raise KopsError(
            f"subnet {spec.name}: egress {spec.egress!r} is not possible on GCE; give {EXTERNAL}, or nothing"
        )
    return True
