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

from ..api.instance_group import InstanceGroup, UserData
from . import node_configs
from .context import ModelContext
from .node.config import config_hash

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


def user_data(context: ModelContext, group: InstanceGroup) -> str | None:
    """The user data of a group's instances; None for a bastion to which the user adds nothing."""
    additional = group.spec.additional_user_data
    boot = [] if group.spec.role == "Bastion" else [script(context, group)]
    if additional:
        parts = [UserData(name=SCRIPT_NAME, type="text/x-shellscript", content=text) for text in boot]
        return multipart([*parts, *additional])
    return boot[0] if boot else None


def script(context: ModelContext, group: InstanceGroup) -> str:
    """The boot script of a group. It changes, and with it the launch template, when the NodeConfig does."""
    boot = {
        "store": context.store_base,
        "cluster": context.name,
        "instanceGroup": group.metadata.name,
        "nodeConfig": node_configs.location(group, "nodeconfig.json"),
        "nodeConfigHash": config_hash(node_configs.config_text(context, group)),
    }
    text = json.dumps(boot, indent=2, sort_keys=True)
    if group.spec.compress_user_data:
        # No time in the header: the same text gives the same user data.
        packed = base64.b64encode(gzip.compress(text.encode() + b"\n", mtime=0)).decode()
        return _SCRIPT.format(boot_file=_COMPRESSED_BOOT_FILE.format(text=packed))
    return _SCRIPT.format(boot_file=_PLAIN_BOOT_FILE.format(text=text))


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
