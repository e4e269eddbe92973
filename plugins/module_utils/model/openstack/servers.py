# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of instance groups: as many as the group's smallest size, with stable names.

Source: pkg/model/openstackmodel/servergroup.go of kops.
"""

from __future__ import annotations

import re

from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError
from ...cloud.openstack import names
from ...cloud.openstack.tasks.key_pair import KeyPair
from ...cloud.openstack.tasks.server import Server
from ...cloud.openstack.tasks.server_group import ServerGroup
from .. import group_tags
from ..context import ModelContext
from . import network, server_groups
from .spec import BOOT_VOLUME, BOOT_VOLUME_SIZE, annotation, spec

# Nova's keys of metadata, of which kops makes lower case.
_NOT_ALLOWED = re.compile(r"[^a-zA-Z0-9\-_:. ]")
_YES = ("true", "enabled")
_UTILITY = "utility-"


def build(context: ModelContext) -> None:
    """One for each number of each group."""
    keys = [task for task in context.tasks.values() if isinstance(task, KeyPair)]
    for group in context.updated_groups:
        for number, port in enumerate(server_groups.ports_of(context, group), start=1):
            context.add(
                Server(
                    names.server(str(group.metadata.name), number, context.name),
                    context.layers.cluster,
                    store=context.store_base,
                    group=names.dashed(str(group.metadata.name)),
                    image=str(group.spec.image),
                    flavor=str(group.spec.machine_type),
                    zone=_zone(context, group, number),
                    key_pair=keys[0] if keys else None,
                    server_group=context.get(ServerGroup, server_groups.name_of(context, group)),
                    port=port,
                    network=network.network_of(context),
                    additional_groups=list(group.spec.additional_security_groups),
                    metadata=_metadata(context, group),
                    config_drive=_has_config_drive(context),
                    boot_volume=_boot_volume(group),
                )
            )


def _zone(context: ModelContext, group: InstanceGroup, number: int) -> str:
    """Nova's zone: of the group, else of the subnet, which is named after it where it says nothing."""
    if group.spec.zones:
        return group.spec.zones[(number - 1) % len(group.spec.zones)]
    subnets = context.subnets_of(group)
    subnet = subnets[(number - 1) % len(subnets)]
    return subnet.zone or str(subnet.name).removeprefix(_UTILITY)


def _metadata(context: ModelContext, group: InstanceGroup) -> dict[str, str]:
    tags = group_tags.of_group(context.cluster, group, context.features)
    metadata = {_NOT_ALLOWED.sub("_", key).lower(): value for key, value in tags.items()}
    if group.spec.role != "Bastion":
        metadata[names.TAG_CLUSTER] = context.name
    for name in (BOOT_VOLUME, BOOT_VOLUME_SIZE):
        value = annotation(group, name)
        if value is not None:
            metadata[name] = value
    return {
        **metadata,
        names.OF_CLUSTER: context.name,
        names.TAG_GROUP: str(group.metadata.name),
        "KopsRole": str(group.spec.role),
        # By which kops tells what is outdated.
        "ig_generation": str(group.metadata.generation or 0),
        "cluster_generation": str(context.cluster.metadata.generation or 0),
    }


def _has_config_drive(context: ModelContext) -> bool:
    options = spec(context).metadata
    return bool(options and options.config_drive)


def _boot_volume(group: InstanceGroup) -> int | None:
    if annotation(group, BOOT_VOLUME) not in _YES:
        return None
    size = annotation(group, BOOT_VOLUME_SIZE) or "0"
    if not size.isdecimal():
        where = f"instance group {group.metadata.name}: annotation {BOOT_VOLUME_SIZE}"
        raise KopsError(f"{where}: {size!r} is no number of GiB")
    return int(size)
