# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The groups of nodes that the cluster autoscaler resizes, and which it prefers.

Source: GetClusterAutoscalerNodeGroups and ClusterAutoscalerPriorities of kops' template_functions.go.
"""

from __future__ import annotations

from ....api.clouds import GCE, HETZNER
from ....api.components import ClusterAutoscalerConfig
from ....api.instance_group import InstanceGroup
from ...context import AddonContext
from ...gce.autoscaled_groups import zonal_groups
from ...hetzner.autoscaled_groups import server_group
from .scaled import Scaled


def autoscaled(context: AddonContext) -> list[InstanceGroup]:
    """The instance groups of workers that the autoscaler may resize, by name."""
    groups = [group for group in context.groups_of("Node") if group.spec.autoscale is not False]
    return sorted(groups, key=lambda group: str(group.metadata.name))


def node_groups(context: AddonContext) -> list[str]:
    """For each group of instances in the cloud: fewest:most:its name there."""
    found: dict[str, Scaled] = {}
    for group in autoscaled(context):
        if context.cloud is GCE:
            found.update(zonal_groups(context.cluster, group))
        elif context.cloud is HETZNER:
            found[str(group.metadata.name)] = server_group(group)
        else:
            found[str(group.metadata.name)] = Scaled.of(group, f"{group.metadata.name}.{context.cluster.metadata.name}")
    return [str(found[key]) for key in sorted(found)]


def priorities(context: AddonContext, config: ClusterAutoscalerConfig) -> str:
    """Priorities and the names of their groups, as YAML: what the user says, else the groups' own."""
    chosen: dict[str, list[str]] = dict(config.custom_priority_expander_config)
    if not chosen:
        for group in sorted(context.groups_of("Node"), key=lambda group: str(group.metadata.name)):
            if group.spec.autoscale is not None:
                name = f"{group.metadata.name}.{context.cluster.metadata.name}"
                chosen.setdefault(str(group.spec.autoscale_priority or 0), []).append(name)
    lines = [line for key in sorted(chosen) for line in (f"{key}:", *(f"- {name}" for name in chosen[key]))]
    return "\n".join(lines)
