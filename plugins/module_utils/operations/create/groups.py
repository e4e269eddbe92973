# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instance groups and etcd clusters of a new cluster."""

from __future__ import annotations

import os

from ...api.etcd import EtcdClusterSpec, EtcdManagerSpec, EtcdMemberSpec
from ...api.instance_group import InstanceGroup, InstanceGroupSpec, MixedInstancesPolicySpec
from ...api.meta import ObjectMeta
from ...api.scalars import Quantity
from .draft import Draft

# Clouds whose subnets are regional: there a group names its zone itself.
_REGIONAL_SUBNETS = ("gce", "azure")


def control_plane_groups(draft: Draft) -> list[InstanceGroup]:
    """One group of exactly one machine for each control-plane node, over the zones in turn."""
    options = draft.options
    zones = options.control_plane_zones or options.zones
    count = options.control_plane_count or (len(zones) if options.control_plane_zones else 1)
    # DigitalOcean numbers the nodes of its only region always, others only where zones repeat.
    numbered = count > len(zones) or (draft.cloud == "digitalocean" and count == len(zones))
    groups = []
    for index in range(count):
        zone = zones[index % len(zones)]
        suffix = f"-{1 + index // len(zones)}" if numbered else ""
        group = _group(draft, f"control-plane-{zone}{suffix}", "ControlPlane", zone, 1, options.control_plane_size)
        subnet = draft.subnets_of_zone[zone][0]
        dual_stack = options.ipv6 and draft.topology == "private"
        group.spec.subnets = [f"dualstack-{subnet}" if dual_stack else subnet]
        group.spec.image = options.control_plane_image or None
        groups.append(group)
    return groups


def node_groups(draft: Draft) -> list[InstanceGroup]:
    """A group for each zone with the nodes shared out evenly, the remainder to the first; or one Karpenter group."""
    options = draft.options
    if options.instance_manager == "karpenter":
        return [_karpenter_group(draft)]
    if "AWSSingleNodesInstanceGroup" in draft.settings.feature_flags and draft.cloud == "aws" and not options.subnets:
        return [_single_group(draft)]
    groups = []
    for zone, size in _shares(options.node_count or len(options.zones), options.zones):
        group = _group(draft, f"nodes-{zone}", "Node", zone, size, options.node_size)
        subnets = draft.subnets_of_zone[zone]
        # A zone's main subnet may be small: nodes go to the others where there are any.
        group.spec.subnets = subnets[1:] or list(subnets)
        group.spec.image = options.node_image or None
        groups.append(group)
    return groups


def api_server_groups(draft: Draft) -> list[InstanceGroup]:
    """Groups of dedicated API servers, for each zone, when any are asked for."""
    options = draft.options
    if not options.api_server_count:
        return []
    groups = []
    for zone, size in _shares(options.api_server_count, options.zones):
        group = _group(draft, f"apiserver-{zone}", "APIServer", zone, size, options.api_server_size[:1])
        group.spec.subnets = list(draft.subnets_of_zone[zone])
        groups.append(group)
    return groups


def add_etcd_clusters(draft: Draft, control_planes: list[InstanceGroup]) -> None:
    """Write the etcd clusters, each with a member on every control-plane node."""
    options = draft.options
    encrypted = options.encrypt_etcd_storage
    if encrypted is None:
        encrypted = draft.cloud == "aws"
    names = member_names([str(group.metadata.name) for group in control_planes])
    clusters = [*options.etcd_clusters, *(["cilium"] if options.networking == "cilium-etcd" else [])]
    draft.cluster.spec.etcd_clusters = [
        EtcdClusterSpec(
            name=name,
            cpu_request=Quantity("200m" if name == "main" else "100m"),
            memory_request=Quantity("100Mi"),
            manager=EtcdManagerSpec(backup_retention_days=90),
            etcd_members=[
                EtcdMemberSpec(
                    name=member,
                    instance_group=group.metadata.name,
                    encrypted_volume=True if encrypted else None,
                    volume_type=options.etcd_storage_type or None,
                )
                for member, group in zip(names, control_planes)
            ],
        )
        for name in clusters
    ]


def member_names(groups: list[str]) -> list[str]:
    """Short names of etcd members: the group names without what they all begin with; never starting with a digit."""
    names = [name[len("control-plane-") :] if name.startswith("control-plane-") else name for name in groups]
    # At least one character of the first name is kept.
    shared = min(len(os.path.commonprefix(names)), len(names[0]) - 1)
    names = [name[shared:] for name in names]
    return [f"etcd-{name}" if name[:1].isdigit() else name for name in names]


def _group(draft: Draft, name: str, role: str, zone: str, size: int, machine_types: list[str]) -> InstanceGroup:
    spec = InstanceGroupSpec(role=role, min_size=size, max_size=size)
    if draft.cloud in _REGIONAL_SUBNETS:
        spec.zones = [zone]
    _set_machine_types(spec, machine_types, mixed=draft.cloud == "aws")
    return InstanceGroup(metadata=ObjectMeta(name=name), spec=spec)


def _karpenter_group(draft: Draft) -> InstanceGroup:
    spec = InstanceGroupSpec(role="Node", manager="Karpenter", min_size=draft.options.node_count or None)
    _set_machine_types(spec, draft.options.node_size, mixed=True)
    return InstanceGroup(metadata=ObjectMeta(name="nodes"), spec=spec)


def _single_group(draft: Draft) -> InstanceGroup:
    options, size = draft.options, draft.options.node_count or 1
    spec = InstanceGroupSpec(role="Node", min_size=size, max_size=size, image=options.node_image or None)
    spec.subnets = [name for zone in options.zones for name in draft.subnets_of_zone[zone][1:]]
    _set_machine_types(spec, options.node_size, mixed=True)
    return InstanceGroup(metadata=ObjectMeta(name="nodes"), spec=spec)


def _set_machine_types(spec: InstanceGroupSpec, machine_types: list[str], *, mixed: bool) -> None:
    """The first type is the group's; several make a mixed instances policy where the cloud has that."""
    if machine_types:
        spec.machine_type = machine_types[0]
    if mixed and len(machine_types) > 1:
        spec.mixed_instances_policy = MixedInstancesPolicySpec(instances=list(machine_types))


def _shares(count: int, zones: list[str]) -> list[tuple[str, int]]:
    each, remainder = divmod(count, len(zones))
    return [(zone, each + (1 if index < remainder else 0)) for index, zone in enumerate(zones)]
