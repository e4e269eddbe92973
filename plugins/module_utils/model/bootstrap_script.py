# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""User data: the script that an instance runs at its first boot.

It says who the instance is and holds no secret: everything else is read with the instance's own cloud identity.
"""

from __future__ import annotations

import base64
import gzip
import json
import posixpath

from ..api.instance_group import InstanceGroup, UserData
from ..cloud.tasks.managed_file import ManagedFile
from . import group_files, node_configs
from .context import ModelContext

# kops' file name and boundary: cloud-init shows the one, tests rely on the other.
SCRIPT_NAME = "nodeup.sh"
BOUNDARY = "MIMEBOUNDARY"

_SCRIPT = """#!/bin/bash
# Makes this instance a node of its cluster. It holds no secret.
set -o errexit -o nounset -o pipefail

directory=/etc/kubeops
install -d -m 0755 "${{directory}}"
{boot_file}
program=/opt/kubeops/bin/node
if [[ ! -x "${{program}}" ]]; then
  echo "kubeops: this image has no ${{program}}; the instance stays as it is"
  exit 0
fi
exec "${{program}}" --boot "${{directory}}/boot.json"
"""
_PLAIN_BOOT_FILE = """cat > "${{directory}}/boot.json" << '__EOF_BOOT'
{text}
__EOF_BOOT
"""
_COMPRESSED_BOOT_FILE = """base64 -d << '__EOF_BOOT' | gzip -d > "${{directory}}/boot.json"
{text}
__EOF_BOOT
"""


def build(context: ModelContext) -> None:
    """For groups that Karpenter launches, the boot script that it hands out."""
    for group in context.updated_groups:
        if group.spec.manager == "Karpenter" and group.spec.role != "Bastion":
            context.add(
                ManagedFile(
                    f"boot-{group.metadata.name}",
                    context.layers.cluster,
                    base=context.store_base,
                    location=group_files.location(group, "boot.sh"),
                    contents=script(context, group),
                )
            )


def files(context: ModelContext, group: InstanceGroup) -> list[ManagedFile]:
    """The files that the user data of a group names: they have to be there before an instance starts."""
    if group.spec.role == "Bastion":
        return []
    return [*node_configs.stored(context, group).values(), node_configs.stored_program(context)]


def user_data(context: ModelContext, group: InstanceGroup) -> str | None:
    """The user data of a group's instances; None for a bastion to which the user adds nothing."""
    additional = group.spec.additional_user_data
    boot = [] if group.spec.role == "Bastion" else [script(context, group)]
    if additional:
        parts = [UserData(name=SCRIPT_NAME, type="text/x-shellscript", content=text) for text in boot]
        return multipart([*parts, *additional])
    return boot[0] if boot else None


def script(context: ModelContext, group: InstanceGroup) -> str:
    """The boot script of a group. It changes, and with it the launch template, when what it names does."""
    boot = {
        "store": context.store_base,
        "cluster": context.name,
        "instanceGroup": group.metadata.name,
        "nodeConfigs": {name: _named(file) for name, file in node_configs.stored(context, group).items()},
        "program": _named(node_configs.stored_program(context)),
    }
    text = json.dumps(boot, indent=2, sort_keys=True)
    if group.spec.compress_user_data:
        # No time in the header: the same text gives the same user data.
        packed = base64.b64encode(gzip.compress(text.encode() + b"\n", mtime=0)).decode()
        return _SCRIPT.format(boot_file=_COMPRESSED_BOOT_FILE.format(text=packed))
    return _SCRIPT.format(boot_file=_PLAIN_BOOT_FILE.format(text=text))


def _named(file: ManagedFile) -> dict[str, str]:
    """Where a file is below the store, and the SHA-256 by which an instance knows that it is the one."""
    location = str(file.location)
    return {"location": location, "sha256": posixpath.splitext(posixpath.basename(location))[0]}


def multipart(parts: list[UserData]) -> str:
    """Several parts as one MIME document, as kops writes it."""
    lines = [f'Content-Type: multipart/mixed; boundary="{BOUNDARY}"', "MIME-Version: 1.0", ""]
    for part in parts:
        lines += [
            f"--{BOUNDARY}",
            f'Content-Disposition: attachment; filename="{part.name or ""}"',
            "Content-Transfer-Encoding: 7bit",
            f"Content-Type: {part.type or ''}",
            "Mime-Version: 1.0",
            "",
            part.content or "",
        ]
    return "\r\n".join([*lines, f"--{BOUNDARY}--", ""])
