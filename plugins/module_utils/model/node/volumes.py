# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks that the user wants mounted (volumes.go of nodeup)."""

from __future__ import annotations

from .context import NodeContext
from .draft import Draft, Item


def build(context: NodeContext, draft: Draft) -> None:
    """spec.volumeMounts of the group."""
    for mount in context.group.spec.volume_mounts:
        item: Item = {"name": mount.path, "device": mount.device, "mount": mount.path}
        if mount.filesystem:
            item["filesystem"] = mount.filesystem
        if mount.mount_options:
            item["options"] = ",".join(mount.mount_options)
        if mount.format_options:
            item["formatOptions"] = list(mount.format_options)
        draft.add("volumes", item)
