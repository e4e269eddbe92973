# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a cluster in the stub: disks, control planes, and workers that are told where these are."""

# Where the stub is not laid over the collection, the base of its tasks is unknown, and so are name and lifecycle.
# pylint: disable=redundant-keyword-arg

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError
from ...cloud.linode.tasks.disk import Disk
from ...cloud.linode.tasks.group import Group
from ...completion.group_defaults import sizes
from ...engine.targets.terraform import TerraformTarget
from ...engine.task import Task
from .. import addons, bootstrap_script, controllers, disks
from ..builders import NODES, STORED
from ..context import ModelContext, ServerAddresses

if TYPE_CHECKING:
    from ...node.linode import cloud, load  # noqa: F401


def build(context: ModelContext) -> dict[str, Task[Any]]:
    """All tasks by their key."""
    for build_part in (*STORED, addons.build, *NODES, _disks, _groups, _controllers):
        build_part(context)
    return context.tasks


def _disks(context: ModelContext) -> None:
    for etcd in context.cluster.spec.etcd_clusters:
        for member in etcd.etcd_members:
            name = f"{member.name}.etcd-{etcd.name}.{context.name}"
            zone = disks.zone_of_member(context, etcd, member)
            context.add(Disk(name, context.layers.cluster, etcd=etcd.name, member=member.name, zone=zone))


def _groups(context: ModelContext) -> None:
    servers = [_group(context, group) for group in context.groups_of("ControlPlane")]
    context.server_addresses = ServerAddresses(
        servers, lambda: [address for each in servers for address in each.addresses or ()]
    )
    for group in context.groups_of("Node"):
        _group(context, group)


def _group(context: ModelContext, group: InstanceGroup) -> Group:
    is_server = group.spec.role == "ControlPlane"
    return context.add(
        Group(
            str(group.metadata.name),
            context.layers.cluster,
            size=sizes(group)[0],
            role=group.spec.role,
            zone=context.zones_of(group)[0],
            user_data=bootstrap_script.user_data(context, group),
            after=[task for task in context.tasks.values() if isinstance(task, Disk)] if is_server else None,
        )
    )


def _controllers(context: ModelContext) -> None:
    controllers.build(context, lambda group: {}, lambda: ("", ""))


def terraform_target(cluster: Cluster, region: str) -> TerraformTarget:
    """Refused: raises KopsError."""
    raise KopsError("the stub has no Terraform provider")
