# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of each group's nodes, where the nodes find it in the state store."""

from __future__ import annotations

from ..api.instance_group import InstanceGroup
from ..cloud.tasks.managed_file import ManagedFile
from . import bootstrap_script
from .context import ModelContext, role_directory
from .node.config import node_config, render


def build(context: ModelContext) -> None:
    """A NodeConfig for each group, and for groups that Karpenter launches the boot script that it hands out."""
    for group in context.updated_groups:
        if group.spec.role == "Bastion":
            continue
        _file(context, group, "nodeconfig.json", render(node_config(context.cluster, group, context.features)))
        if group.spec.manager == "Karpenter":
            _file(context, group, "boot.sh", bootstrap_script.script(context, group))


def config_text(context: ModelContext, group: InstanceGroup) -> str:
    """The NodeConfig of a group, as it is stored."""
    return str(context.get(ManagedFile, _name(group, "nodeconfig.json")).contents)


def location(group: InstanceGroup, file: str) -> str:
    """Path of a group's file below the cluster's directory (kops' igconfig layout)."""
    return f"igconfig/{role_directory(group)}/{group.metadata.name}/{file}"


def _file(context: ModelContext, group: InstanceGroup, file: str, contents: str) -> None:
    context.add(
        ManagedFile(
            _name(group, file),
            context.layers.cluster,
            base=context.store_base,
            location=location(group, file),
            contents=contents,
        )
    )


def _name(group: InstanceGroup, file: str) -> str:
    return f"{file.partition('.')[0]}-{group.metadata.name}"
