# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instance groups of a new cluster, before what all groups get (group_settings.py)."""

from __future__ import annotations

from ....api.clouds import AWS, DIGITALOCEAN
from ....api.cluster import KarpenterConfig
from ....api.instance_group import InstanceGroup, InstanceGroupSpec, MixedInstancesPolicySpec
from ....api.meta import ObjectMeta
from ..draft import Draft, refuse


def add_control_plane(draft: Draft) -> None:
    """Add one group of exactly one machine for each control-plane node, over the zones in turn."""
    options = draft.options
    zones = options.control_plane_zones or options.zones
    count = options.control_plane_count or (len(zones) if options.control_plane_zones else 1)
    # DigitalOcean numbers the nodes of its only region always, others only where zones repeat.
    numbered = count > len(zones) or (draft.cloud is DIGITALOCEAN and count == len(zones))
    for index in range(count):
        zone = zones[index % len(zones)]
        suffix = f"-{1 + index // len(zones)}" if numbered else ""
        group = _group(draft, f"control-plane-{zone}{suffix}", "ControlPlane", zone, 1, options.control_plane_size)
        subnet = draft.subnets_of_zone[zone][0]
        dual_stack = options.ipv6 and draft.options.topology == "private"
        group.spec.subnets = [f"dualstack-{subnet}" if dual_stack else subnet]
        group.spec.image = options.control_plane_image or None
        draft.groups.append(group)


def add_api_servers(draft: Draft) -> None:
    """Add groups of dedicated API servers, for each zone, when any are asked for."""
    options = draft.options
    if not options.api_server_count:
        return
    for zone, size in _shares(options.api_server_count, options.zones):
        group = _group(draft, f"apiserver-{zone}", "APIServer", zone, size, options.api_server_size[:1])
        group.spec.subnets = list(draft.subnets_of_zone[zone])
        draft.groups.append(group)


def add_nodes(draft: Draft) -> None:
    """Add a group for each zone with the nodes shared out evenly, the remainder to the first; or one for Karpenter."""
    if draft.options.instance_manager == "karpenter":
        draft.cluster.spec.karpenter = KarpenterConfig(enabled=True)
        draft.groups.append(_karpenter_group(draft))
    elif _has_single_group(draft):
        draft.groups.append(_single_group(draft))
    else:
        draft.groups += _zonal_groups(draft)


def check_names(draft: Draft) -> None:
    """Raise ValidationError where a repeated zone gives several groups of one name; without them kops takes it, too."""
    names = [str(group.metadata.name) for group in draft.groups]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        option = "control_plane_zones" if all(name.startswith("control-plane-") for name in twice) else "zones"
        message = f"a zone is named twice, which gives several instance groups {' and '.join(twice)}"
        raise refuse(option, message, kind="Duplicate")


def _has_single_group(draft: Draft) -> bool:
    flagged = "AWSSingleNodesInstanceGroup" in draft.settings.feature_flags
    return flagged and draft.cloud is AWS and not draft.options.subnets


def _zonal_groups(draft: Draft) -> list[InstanceGroup]:
    options, groups = draft.options, []
    for zone, size in _shares(options.node_count or len(options.zones), options.zones):
        group = _group(draft, f"nodes-{zone}", "Node", zone, size, options.node_size)
        subnets = draft.subnets_of_zone[zone]
        # A zone's main subnet may be small: nodes go to the others where there are any.
        group.spec.subnets = subnets[1:] or list(subnets)
        group.spec.image = options.node_image or None
        groups.append(group)
    return groups


def _group(draft: Draft, name: str, role: str, zone: str, size: int, machine_types: list[str]) -> InstanceGroup:
    spec = InstanceGroupSpec(role=role, min_size=size, max_size=size)
    if draft.cloud.has_regional_subnets:
        spec.zones = [zone]
    _set_machine_types(spec, machine_types, mixed=draft.cloud is AWS)
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
