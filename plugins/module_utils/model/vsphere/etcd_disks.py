# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The disks on which members of etcd keep their data, and which virtual machine has which.

Machine number N of an instance group has the disks of the N-th member that the group holds, of each etcd cluster.
"""

from __future__ import annotations

from typing import Any

from ...api.etcd import EtcdClusterSpec
from ...api.instance_group import InstanceGroup
from ...cloud.vsphere import disks as files
from ...cloud.vsphere import names
from ...cloud.vsphere.tasks.etcd_disk import EtcdDisk
from .. import disks
from ..context import ModelContext
from . import places
from .spec import etcd_datastore, etcd_directory


def build(context: ModelContext) -> None:
    """One disk for each member of each etcd cluster."""
    for etcd in context.cluster.spec.etcd_clusters:
        for member in etcd.etcd_members:
            context.add(
                EtcdDisk(
                    _name(context, etcd, str(member.name)),
                    context.layers.cluster,
                    size=_sizes(etcd)[str(member.name)],
                    on=etcd_datastore(context),
                    tag=places.tag_of(context),
                )
            )


def of_group(context: ModelContext, group: InstanceGroup) -> dict[str, list[dict[str, Any]]]:
    """Number of a virtual machine -> its disks, as templates have them."""
    found: dict[str, list[dict[str, Any]]] = {}
    directory = etcd_directory(context) if group.spec.role == "ControlPlane" else ""
    for etcd in context.cluster.spec.etcd_clusters:
        members = sorted(str(each.name) for each in etcd.etcd_members)
        for number, member in enumerate(members_of(etcd, str(group.metadata.name)), 1):
            name = _name(context, etcd, member)
            told = {"name": name, "etcd": str(etcd.name), "member": member, "members": members}
            place = {"path": files.path_of(directory, name), "size": _sizes(etcd)[member]}
            found.setdefault(str(number), []).append({**told, **place})
    return found


def members_of(etcd: EtcdClusterSpec, group: str) -> list[str]:
    """The members of an etcd cluster that an instance group holds, sorted."""
    return sorted(str(each.name) for each in etcd.etcd_members if each.instance_group == group)


def tasks_of(context: ModelContext) -> list[EtcdDisk]:
    """All of them, once they are built."""
    return [task for task in context.tasks.values() if isinstance(task, EtcdDisk)]


def _sizes(etcd: EtcdClusterSpec) -> dict[str, int]:
    """Member -> GB of its disk."""
    return {str(each.name): each.volume_size or disks.ETCD_SIZE_GB for each in etcd.etcd_members}


def _name(context: ModelContext, etcd: EtcdClusterSpec, member: str) -> str:
    return names.disk(str(etcd.name), member, context.name)
