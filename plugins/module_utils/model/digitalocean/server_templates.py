# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the droplets of instance groups are made from (pkg/model/domodel/droplets.go of kops)."""

from __future__ import annotations

from ...api.instance_group import InstanceGroup
from ...cloud.digitalocean import names
from ...cloud.digitalocean.tasks.server_template import ServerTemplate
from ...cloud.digitalocean.tasks.volume import Volume
from ...cloud.pools.template import FILE
from .. import group_files
from ..context import ModelContext, runs_api_server
from . import network, ssh_keys


def build(context: ModelContext) -> None:
    """One for each group."""
    if context.cluster.spec.cloud_labels or any(group.spec.cloud_labels for group in context.updated_groups):
        context.warnings.append("cloudLabels: droplets get no tags of them, as in kops")
    for group in context.updated_groups:
        context.add(_template(context, group))


def template_of(context: ModelContext, group: InstanceGroup) -> ServerTemplate:
    """That of a group, once it is built."""
    return context.get(ServerTemplate, str(group.metadata.name))


def _template(context: ModelContext, group: InstanceGroup) -> ServerTemplate:
    # Which members an etcd cluster has is known by their volumes: so all are there before a droplet looks.
    volumes = [task for task in context.tasks.values() if isinstance(task, Volume)] if runs_api_server(group) else []
    return ServerTemplate(
        str(group.metadata.name),
        context.layers.cluster,
        base=context.store_base,
        location=group_files.location(group, FILE),
        region=context.region,
        size=str(group.spec.machine_type),
        image=str(group.spec.image),
        vpc=network.vpc_of(context),
        ssh_keys=ssh_keys.keys_of(context),
        tags=_tags(context, group),
        after=[*volumes],
    )


def _tags(context: ModelContext, group: InstanceGroup) -> list[str]:
    """Kops' own, and the cluster's name in full. kops numbers groups of control planes for its own etcd-manager."""
    own = str(group.metadata.name)
    found = [names.cluster_tag(context.name), names.mark_tag(context.name)]
    control_planes = [str(each.metadata.name) for each in context.groups_of("ControlPlane")]
    if own in control_planes:
        found.append(names.tag(names.INDEX, f"etcd-{control_planes.index(own) + 1}"))
        found.append(names.control_plane_tag(context.name))
    return [*found, names.tag(names.GROUP, own), names.tag(names.ROLE, str(group.spec.role))]
