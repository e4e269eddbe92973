# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an instance group gets that says nothing of its own: machine type, image, subnets, sizes.

Source: populate_instancegroup_spec.go and new_cluster.go in upup/pkg/fi/cloudup of kops.
"""

from __future__ import annotations

from ..api.clouds import AWS, cloud_of
from ..api.cluster import Cluster
from ..api.facts import CloudFacts
from ..api.instance_group import InstanceGroup
from ..api.questions import is_ipv6_only
from .problems import not_found, required
from .settings import Settings

# Machine types where they are not a matter of what the cloud offers: control plane, node, bastion.
_ARCHITECTURES = ("amd64", "arm64")
_SIZES = {"ControlPlane": 1, "Bastion": 1}
_NODE_SIZE = 2


def default_machine_type(cluster: Cluster, group: InstanceGroup, *, facts: CloudFacts) -> str | None:
    """The machine type for the group's role; None where there is none to choose (Karpenter chooses itself, metal).

    Raises ValidationError if the cloud offers nothing that fits.
    """
    cloud, role = cloud_of(cluster), group.spec.role or ""
    if not cloud.chooses_machine_types:
        return cloud.machine_types.get(role)
    if cloud is AWS and group.spec.manager == "Karpenter":
        return None
    image = facts.image(group.spec.image) if cloud.describes_machine_types and group.spec.image else None
    architecture = image.architecture if image else _ARCHITECTURES[0]
    zones = group_zones(cluster, group)
    found = facts.default_instance_type(role, zones, architecture)
    if found is None:
        message = f"give one: none of the usual ones is available for {architecture} in {', '.join(zones)}"
        raise required("spec.machineType", message, subject=_subject(group))
    return found


def default_image(cluster: Cluster, group: InstanceGroup, *, facts: CloudFacts, settings: Settings) -> str:
    """The channel's image for the cloud and the architecture of the group's machine type.

    Raises ValidationError if there is none.
    """
    cloud = cloud_of(cluster)
    architecture = machine_architecture(cluster, group, facts=facts)
    image = settings.channel.image(cloud.name, cluster.spec.kubernetes_version or "", architecture) or cloud.image
    if not image:
        message = f"give one: the channel has none for {cloud.title} and {architecture}"
        raise required("spec.image", message, subject=_subject(group))
    return image


def machine_architecture(cluster: Cluster, group: InstanceGroup, *, facts: CloudFacts) -> str:
    """Kubernetes' name ("amd64", "arm64") of the architecture of the group's machine type, where there is a choice."""
    machine_type = group.spec.machine_type
    if not cloud_of(cluster).describes_machine_types or not machine_type:
        return _ARCHITECTURES[0]
    described = facts.instance_type(machine_type)
    if described is None:
        message = f"there is no such machine type in {facts.region}"
        raise not_found("spec.machineType", message, machine_type, subject=_subject(group))
    for architecture in described.architectures:
        if architecture in _ARCHITECTURES:
            return architecture
    message = f"runs {', '.join(described.architectures)} only, not {' or '.join(_ARCHITECTURES)}"
    raise not_found("spec.machineType", message, machine_type, subject=_subject(group))


def machine_architectures(cluster: Cluster, group: InstanceGroup, *, facts: CloudFacts) -> list[str]:
    """The architectures that machines of a completed group may have, sorted; several where types are mixed.

    Where Karpenter chooses the machine types, or the cloud knows none of them, the image decides.
    """
    if not cloud_of(cluster).describes_machine_types:
        return [_ARCHITECTURES[0]]
    spec = group.spec
    policy = spec.mixed_instances_policy
    names = [*(spec.machine_type or "").split(","), *(policy.instances if policy else ())]
    described = [facts.instance_type(name) for name in dict.fromkeys(filter(None, names))]
    found = {architecture for one in described if one for architecture in one.architectures}
    if not found and spec.image and (image := facts.image(spec.image)):
        found = {image.architecture}
    return sorted(found.intersection(_ARCHITECTURES)) or [_ARCHITECTURES[0]]


def default_size(group: InstanceGroup) -> int | None:
    """How many machines a group of its role has at least and at most; None where Karpenter decides."""
    role = group.spec.role or ""
    return _SIZES.get(role, None if group.spec.manager == "Karpenter" else _NODE_SIZE)


def sizes(group: InstanceGroup) -> tuple[int, int]:
    """How many machines a group has at least and at most, also one that is not completed; 0 where Karpenter decides."""
    default = default_size(group) or 0
    smallest, largest = (default if size is None else size for size in (group.spec.min_size, group.spec.max_size))
    return smallest, largest


def default_subnets(cluster: Cluster, group: InstanceGroup) -> list[str]:
    """Names of the subnets that the group may use. Empty for a control plane, whose subnets are always to be given."""
    role = group.spec.role
    if role == "ControlPlane":
        return []
    if role == "APIServer" and is_ipv6_only(cluster):
        return _subnets_except(cluster, "Private", "Utility")
    return _subnets_except(cluster, "DualStack", "Utility") or _subnets_except(cluster, "Utility")


def _subnets_except(cluster: Cluster, *types: str) -> list[str]:
    return [subnet.name or "" for subnet in cluster.spec.networking.subnets if subnet.type not in types]


def group_zones(cluster: Cluster, group: InstanceGroup) -> list[str]:
    """The zones that the group names, and those of its subnets, sorted.

    Raises ValidationError for a subnet that the cluster does not have.
    """
    zones = set(group.spec.zones)
    known = {subnet.name: subnet for subnet in cluster.spec.networking.subnets}
    for index, name in enumerate(group.spec.subnets):
        if name not in known:
            raise not_found(f"spec.subnets[{index}]", "the cluster has no such subnet", name, subject=_subject(group))
        zone = known[name].zone
        if zone:
            zones.add(zone)
    return sorted(zones)


def _subject(group: InstanceGroup) -> str:
    return f"instance group {group.metadata.name}"
