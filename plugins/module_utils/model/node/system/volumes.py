# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks that the user wants mounted (volumes.go of nodeup)."""

from __future__ import annotations

import json

from ....exchange.document import fact_of_disk
from ..context import NodeContext
from ..draft import Draft, Item

_KEYS = {
    "name": "path",
    "mount": "path",
    "device": "device",
    "filesystem": "filesystem",
    "options": "mountOptions",
    "formatOptions": "formatOptions",
}


def build(context: NodeContext, draft: Draft) -> None:
    """spec.volumeMounts of the group."""
    for index, mount in enumerate(context.group.spec.volume_mounts):
        if not mount.path:
            continue
        item: Item = {"name": mount.path, "device": _device(context, mount.device or ""), "mount": mount.path}
        if mount.filesystem:
            item["filesystem"] = mount.filesystem
        if mount.mount_options:
            item["options"] = ",".join(mount.mount_options)
        if mount.format_options:
            item["formatOptions"] = list(mount.format_options)
        with draft.asked_by(f"spec.volumeMounts[{index}]", str(context.group.metadata.name), _KEYS):
            draft.add("volumes", item)


def _device(context: NodeContext, name: str) -> str:
    """The path of a disk; where it has this name in its cloud only, a fact."""
    names = context.cloud.disk_names
    fact = fact_of_disk(name) if names is not None and names.fullmatch(name) else ""
    return f"@@{fact}@@" if fact else name


def awaited(context: NodeContext) -> dict[str, str]:
    """Drop-ins for units whose data may be on these disks: they do not start without them."""
    # A percent sign begins a specifier of systemd.
    quoted = [json.dumps((mount.path or "").replace("%", "%%")) for mount in context.group.spec.volume_mounts]
    paths = " ".join(quoted)
    return {"10-volumes.conf": f"[Unit]\nRequiresMountsFor={paths}\n"} if paths else {}
