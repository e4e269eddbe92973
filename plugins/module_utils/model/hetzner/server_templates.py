# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the servers of instance groups are made from (pkg/model/hetznermodel/servers.go of kops)."""

from __future__ import annotations

from ...api.instance_group import InstanceGroup
from ...cloud.hetzner.tasks.server_template import ServerTemplate
from ...cloud.hetzner.tasks.volume import Volume
from ...cloud.pools.template import FILE
from .. import group_files
from ..context import ModelContext, runs_api_server
from . import labels, network, placement_groups, ssh_keys
from .locations import location_of


def build(context: ModelContext) -> None:
    """One for each group."""
    autoscaler = context.cluster.spec.cluster_autoscaler
    if autoscaler is not None and autoscaler.enabled:
        context.warnings.append(
            "spec.clusterAutoscaler: servers that the cluster autoscaler makes at Hetzner do not become nodes yet"
        )
    for group in context.updated_groups:
        if len(group.spec.subnets) > 1:
            context.warnings.append(
                f"instance group {group.metadata.name}: servers are made in {group.spec.subnets[0]} only, the first of"
                " its subnets, as kops makes them"
            )
        context.add(_template(context, group))


def template_of(context: ModelContext, group: InstanceGroup) -> ServerTemplate:
    """That of a group, once it is built."""
    return context.get(ServerTemplate, str(group.metadata.name))


def _template(context: ModelContext, group: InstanceGroup) -> ServerTemplate:
    keys = ssh_keys.keys_of(context)
    # Which members an etcd cluster has is known by their volumes: so all are there before a server looks.
    volumes = [task for task in context.tasks.values() if isinstance(task, Volume)] if runs_api_server(group) else []
    return ServerTemplate(
        str(group.metadata.name),
        context.layers.cluster,
        base=context.store_base,
        location=group_files.location(group, FILE),
        place=location_of(context, group),
        type=str(group.spec.machine_type),
        image=str(group.spec.image),
        network=network.network_of(context),
        ssh_keys=keys,
        labels=labels.of_group(context, group),
        placement=placement_groups.of_group(context, group),
        after=[*network.subnets_of(context), *volumes],
    )
