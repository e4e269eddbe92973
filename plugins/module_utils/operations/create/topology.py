# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Topology of a new cluster: public or private subnets, DNS, bastion, IPv6, and how the API is reached."""

from __future__ import annotations

from ...api.cluster import DNSAccessSpec, LoadBalancerAccessSpec
from ...api.instance_group import InstanceGroup, InstanceGroupSpec
from ...api.kube_controller_manager import CloudControllerManagerConfig
from ...api.meta import ObjectMeta
from ...api.networking import ClusterSubnetSpec
from ...api.topology import BastionSpec, TopologySpec
from .draft import Draft
from .options import CreateOptions
from .subnets import shared_subnets_by_zone

_DNS_TYPES = {"public": "Public", "private": "Private", "none": "None"}


def topology_of(options: CreateOptions) -> str:
    """Public or private; not said, IPv6 clusters are private and all others public."""
    return options.topology or ("private" if options.ipv6 else "public")


def add_topology(draft: Draft) -> list[InstanceGroup]:
    """Write subnet types, utility and dual-stack subnets, DNS type and IPv6; returns the bastion groups."""
    options, networking = draft.options, draft.cluster.spec.networking
    dns = options.dns or ("public" if options.dns_zone else "none")
    networking.topology = TopologySpec(dns=_DNS_TYPES[dns])
    private = draft.topology == "private"
    for subnet in networking.subnets:
        subnet.type = "Private" if private else "Public"
    bastions: list[InstanceGroup] = []
    if private:
        _add_private_companions(draft)
        if options.bastion:
            bastions.append(_bastion(draft))
    if options.ipv6:
        networking.non_masquerade_cidr = "::/0"
        draft.cluster.spec.cloud_controller_manager = CloudControllerManagerConfig()
        if draft.cloud == "aws":
            for index, subnet in enumerate(networking.subnets):
                # The index-th /64 of the range that AWS gives the network.
                subnet.ipv6_cidr = f"/64#{index:x}"
    return bastions


def _add_private_companions(draft: Draft) -> None:
    """For each private subnet a public ("utility") one, and on IPv6 one with both address families."""
    networking = draft.cluster.spec.networking
    private = list(networking.subnets)
    shared = shared_subnets_by_zone(draft, "utility_subnets", draft.options.utility_subnets)
    kinds = []
    if draft.options.ipv6:
        kinds.append(("dualstack", "DualStack"))
    if draft.cloud != "gce":
        kinds.append(("utility", "Utility"))
    for prefix, kind in kinds:
        networking.subnets.extend(
            ClusterSubnetSpec(
                name=f"{prefix}-{subnet.name}",
                zone=subnet.zone,
                region=subnet.region,
                type=kind,
                id=shared.get(subnet.zone or ""),
            )
            for subnet in private
        )


def _bastion(draft: Draft) -> InstanceGroup:
    networking = draft.cluster.spec.networking
    group = InstanceGroup(
        metadata=ObjectMeta(name="bastions"),
        spec=InstanceGroupSpec(role="Bastion", min_size=1, max_size=1, image=draft.options.bastion_image or None),
    )
    if networking.topology and networking.topology.dns != "None":
        networking.topology.bastion = BastionSpec(public_name=f"bastion.{draft.options.name}")
    if draft.options.ipv6:
        group.spec.subnets = [str(subnet.name) for subnet in networking.subnets if subnet.type == "DualStack"]
    if draft.cloud == "gce":
        group.spec.zones = draft.all_zones
    return group


def add_api_access(draft: Draft) -> None:
    """Write how the Kubernetes API is reached: a load balancer, or DNS alone where records are published and nodes
    are public.
    """
    options, api = draft.options, draft.cluster.spec.api
    topology = draft.cluster.spec.networking.topology
    asked = options.api_loadbalancer_type or options.api_ssl_certificate
    if not asked and draft.topology == "public" and topology and topology.dns != "None":
        api.dns = DNSAccessSpec()
        return
    api.load_balancer = LoadBalancerAccessSpec(
        type="Internal" if options.api_loadbalancer_type == "internal" else "Public",
        class_="Network" if draft.cloud == "aws" else None,
        ssl_certificate=options.api_ssl_certificate or None,
    )
