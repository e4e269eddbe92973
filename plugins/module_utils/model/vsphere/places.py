# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tag, the folder and the resource pool of a cluster: all that its virtual machines are in."""

from __future__ import annotations

from ...cloud.vsphere import names
from ...cloud.vsphere.tasks.cluster_tag import ClusterTag, TagCategory
from ...cloud.vsphere.tasks.resource_pool import ResourcePool
from ...cloud.vsphere.tasks.vm_folder import VMFolder
from ..context import ModelContext
from .spec import etcd_directory, spec


def build(context: ModelContext) -> None:
    """The tag first: by it the others are known."""
    given, layer = spec(context), context.layers.network
    category = context.add(TagCategory(names.category(context.name), layer))
    tag = context.add(
        ClusterTag(
            names.tag(context.name),
            layer,
            category=category,
            store=context.store_base.rstrip("/"),
            disks=[etcd_directory(context)],
        )
    )
    context.add(VMFolder(names.folder(context.name), layer, tag=tag, within=given.folder or ""))
    context.add(
        ResourcePool(
            names.pool(context.name),
            layer,
            tag=tag,
            compute=given.compute_cluster or "",
            within=given.resource_pool or "",
        )
    )


def tag_of(context: ModelContext) -> ClusterTag:
    """The tag, once it is built."""
    return context.get(ClusterTag, names.tag(context.name))


def folder_of(context: ModelContext) -> VMFolder:
    """The folder, once it is built."""
    return context.get(VMFolder, names.folder(context.name))


def pool_of(context: ModelContext) -> ResourcePool:
    """The resource pool, once it is built."""
    return context.get(ResourcePool, names.pool(context.name))
