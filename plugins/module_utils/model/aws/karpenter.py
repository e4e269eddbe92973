# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How Karpenter launches the instances of groups, and its addon among the others.

Source: template_functions_karpenter.go of kops.
"""

from __future__ import annotations

from ...addons.launch import Disk, Launch
from ...api.instance_group import InstanceGroup, InstanceRootVolumeSpec, VolumeSpec
from ...base.errors import KopsError
from ...cloud.aws.facts import owner_and_name
from ...completion.node_labels import node_labels
from .. import addons, bootstrap_script, disks
from ..context import ModelContext
from . import names, tags, volumes
from .iam import roles as iam
from .subnets import PUBLIC_TYPES


def build_addons(context: ModelContext) -> None:
    """All addons. Karpenter's name what its instances read, so these files are written before."""
    groups = [*_groups(context)]
    needed = {task.key: task for group in groups for task in bootstrap_script.needs(context, group)}
    # A CA that is there stays; addresses are found out each time.
    is_known = context.server_addresses is None and bool(context.stored.trusted_authorities())
    late = bootstrap_script.late_needs(context) if groups and not is_known else []
    addons.build(context, launches=lambda: launches(context), after=[*needed.values()], late=late)


def launches(context: ModelContext) -> list[Launch]:
    """What is known of the instances of each group."""
    return [_launch(context, group) for group in _groups(context)]


def _groups(context: ModelContext) -> list[InstanceGroup]:
    karpenter = context.cluster.spec.karpenter
    if karpenter is None or not karpenter.enabled:
        return []
    return [group for group in context.groups if group.spec.manager == "Karpenter"]


def _launch(context: ModelContext, group: InstanceGroup) -> Launch:
    spec, role = group.spec, str(group.spec.role)
    owner, name = owner_and_name((spec.image or "").strip())
    public = context.subnets_of(group)[0].type in PUBLIC_TYPES
    return Launch(
        group,
        image_owner=owner,
        image_name=name,
        public_address=public and spec.associate_public_ip is not False,
        root_volume=_root_volume(context, group),
        owned={tags.CLUSTER: context.name},
        tags=tags.of_instance_group(
            context.cluster, group, names.autoscaling_group(group, context.name), context.features
        ),
        node_labels=node_labels(context.cluster, group, context.features),
        security_group=names.security_group(role, context.name),
        instance_profile=iam.profile_name(context, role, spec.iam.profile if spec.iam else None),
        user_data=bootstrap_script.text_of_instances(context, group),
        disks=[_disk(volume) for volume in spec.volumes],
        has_ipv6=any(subnet.ipv6_cidr for subnet in context.subnets_of(group)),
    )


def _disk(volume: VolumeSpec) -> Disk:
    """As in a launch template."""
    kind = volume.type or volumes.DEFAULT_TYPE
    iops, throughput = volumes.performance_as_given(kind, volume.iops, volume.throughput)
    return Disk(
        device=str(volume.device),
        size=volume.size or 0,
        kind=kind,
        encrypted=volume.encrypted is not False,
        key=volume.key,
        iops=iops,
        throughput=throughput,
        is_deleted=volume.delete_on_termination is not False,
    )


def _root_volume(context: ModelContext, group: InstanceGroup) -> Disk:
    image = context.facts.image(str(group.spec.image))
    if image is None or not image.root_device:
        what = (
            f"there is no image {group.spec.image!r}" if image is None else f"{group.spec.image!r} has no root device"
        )
        raise KopsError(f"instance group {group.metadata.name}: {what}")
    volume = group.spec.root_volume or InstanceRootVolumeSpec()
    kind = volume.type or volumes.DEFAULT_TYPE
    iops, throughput = volumes.performance(kind, volume.iops, volume.throughput)
    return Disk(
        device=image.root_device,
        size=volume.size or disks.ROOT_SIZES_GB[str(group.spec.role)],
        kind=kind,
        encrypted=volume.encryption is not False,
        key=(volume.encryption_key or None) if volume.encryption else None,
        iops=iops,
        throughput=throughput,
    )
