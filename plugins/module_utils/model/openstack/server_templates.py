# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the servers of instance groups are made from (pkg/model/openstackmodel/servergroup.go of kops)."""

from __future__ import annotations

import re

from ...api.instance_group import InstanceGroup
from ...api.networking import ClusterSubnetSpec
from ...base.errors import KopsError
from ...cloud.openstack import names
from ...cloud.openstack.tasks.key_pair import KeyPair
from ...cloud.openstack.tasks.security_group import SecurityGroup
from ...cloud.openstack.tasks.server_group import ServerGroup
from ...cloud.openstack.tasks.server_template import ServerTemplate
from ...cloud.pools.template import FILE
from .. import group_files, group_tags
from ..context import ModelContext
from . import network, security_groups
from .spec import (
    ADDRESS_PAIR,
    BOOT_VOLUME,
    BOOT_VOLUME_SIZE,
    SERVER_GROUP,
    annotation,
    annotations_with,
    has_balancer,
    spec,
)

# Nova's keys of metadata, of which kops makes lower case.
_NOT_ALLOWED = re.compile(r"[^a-zA-Z0-9\-_:. ]")
_YES = ("true", "enabled")
_UTILITY = "utility-"
_REACHED = ("Public", "Utility")


def template_of(context: ModelContext, group: InstanceGroup) -> ServerTemplate:
    """The template of a group, once its server group is built. Raises KopsError."""
    subnets = context.subnets_of(group)
    options = spec(context).loadbalancer
    keys = [task for task in context.tasks.values() if isinstance(task, KeyPair)][:1]
    volume = _boot_volume(group)
    return ServerTemplate(
        str(group.metadata.name),
        context.layers.cluster,
        base=context.store_base,
        location=group_files.location(group, FILE),
        image=str(group.spec.image),
        flavor=str(group.spec.machine_type),
        key_name="".join(each.name for each in keys),
        zones=_zones(group, subnets),
        network=network.network_of(context),
        subnets=[network.subnet_of(context, each) for each in subnets],
        floating=[network.subnet_of(context, each) for each in subnets if _is_reached(context, group, each)],
        external=network.external_network(context),
        # As kops, servers' addresses come from there, too.
        external_subnet=network.of_external(context, options.floating_subnet if options else None),
        security_groups=_security_groups(context, group),
        additional_groups=list(group.spec.additional_security_groups),
        address_pairs=_address_pairs(group),
        server_group=context.get(ServerGroup, server_group_of(context, group)),
        metadata=_metadata(context, group),
        generations={
            "ig_generation": str(group.metadata.generation or 0),
            "cluster_generation": str(context.cluster.metadata.generation or 0),
        },
        config_drive=_has_config_drive(context),
        from_volume=volume is not None,
        boot_volume=volume or 0,
        after=[*keys],
    )


def server_group_of(context: ModelContext, group: InstanceGroup) -> str:
    """The name of an instance group's server group, which others may share."""
    return f"{context.name}-{annotation(group, SERVER_GROUP) or group.metadata.name}"


def _zones(group: InstanceGroup, subnets: list[ClusterSubnetSpec]) -> list[str]:
    """Nova's zones: of the group, else of its subnets, which are named after them where they say nothing."""
    if group.spec.zones:
        return list(group.spec.zones)
    return [subnet.zone or str(subnet.name).removeprefix(_UTILITY) for subnet in subnets]


def _security_groups(context: ModelContext, group: InstanceGroup) -> list[SecurityGroup]:
    found = [security_groups.group_of(context, str(group.spec.role))]
    if group.spec.role == "ControlPlane" and not has_balancer(context):
        found.append(security_groups.group_of(context, security_groups.API))
    users = group.spec.additional_security_groups
    return found + [context.ensure(SecurityGroup(each, context.layers.security, given=True)) for each in users]


def _address_pairs(group: InstanceGroup) -> dict[str, str] | None:
    """Address -> MAC, "" for the port's own: from annotations "ADDRESS" or "ADDRESS,MAC"."""
    pairs = {}
    for text in annotations_with(group, ADDRESS_PAIR):
        address, _comma, mac = text.partition(",")
        if not address.strip():
            raise KopsError(f"instance group {group.metadata.name}: annotation {ADDRESS_PAIR}: {text!r} has no address")
        pairs[address.strip()] = mac.strip()
    return dict(sorted(pairs.items())) or None


def _is_reached(context: ModelContext, group: InstanceGroup, subnet: ClusterSubnetSpec) -> bool:
    """Whether servers have floating addresses, if there are any: they are bastions, or in a subnet for it."""
    if network.external_network(context) is None or group.spec.associate_public_ip is False:
        return False
    return group.spec.role == "Bastion" or subnet.type in _REACHED


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
        names.ROLE: str(group.spec.role),
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
