# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the virtual machines of instance groups are made from."""

from __future__ import annotations

from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError
from ...cloud.pools.template import FILE
from ...cloud.vsphere import names
from ...cloud.vsphere.machine_types import EXAMPLE, read_type
from ...cloud.vsphere.tasks.vm_template import VMTemplate
from .. import disks, group_files
from ..context import ModelContext, runs_api_server
from . import etcd_disks, places
from .spec import spec


def build(context: ModelContext) -> None:
    """One for each group."""
    for group in context.updated_groups:
        context.add(_template(context, group))


def template_of(context: ModelContext, group: InstanceGroup) -> VMTemplate:
    """That of a group, once it is built."""
    return context.get(VMTemplate, str(group.metadata.name))


def _template(context: ModelContext, group: InstanceGroup) -> VMTemplate:
    given, size = spec(context), read_type(str(group.spec.machine_type))
    if size is None:
        raise KopsError(f"{group.spec.machine_type} is no machine type of vSphere, as {EXAMPLE} is one")
    own = etcd_disks.of_group(context, group)
    # Which members an etcd cluster has, each machine is told: so all disks are there before one starts.
    after = etcd_disks.tasks_of(context) if runs_api_server(group) else []
    root = group.spec.root_volume
    return VMTemplate(
        str(group.metadata.name),
        context.layers.cluster,
        base=context.store_base,
        location=group_files.location(group, FILE),
        image=str(group.spec.image),
        cpus=size.cpus,
        memory=size.memory,
        root_disk=(root.size if root else None) or disks.ROOT_SIZES_GB.get(str(group.spec.role), 0),
        network=given.network or "",
        datastore=given.datastore or "",
        ssh_keys=[key.strip() for key in context.ssh_public_keys],
        settings={names.ROLE: str(group.spec.role)},
        disks=own,
        folder=places.folder_of(context),
        pool=places.pool_of(context),
        after=[*after],
    )
