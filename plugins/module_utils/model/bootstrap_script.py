# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""User data: the script that an instance runs at its first boot.

It says who the instance is and holds no secret: everything else is read with the instance's own cloud identity. It
installs a unit that runs at every boot, whose loader loads the node program (node/loader/) and becomes it.
"""

from __future__ import annotations

import base64
import bz2
import functools
import gzip
import json
import os
import posixpath
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ..api.clouds import cloud_of
from ..api.instance_group import InstanceGroup, UserData
from ..api.questions import names_nodes_by_address
from ..cloud.tasks.keypair import Keypair
from ..cloud.tasks.managed_file import ManagedFile
from ..engine.task import Deferred, Task
from ..exchange.server_credentials import NONCE_PLACEHOLDER
from ..exchange.store_places import elsewhere_of
from ..statestore.vfs.s3 import compatible_endpoint
from . import group_files, node_configs, pki, stored_keys
from .context import ModelContext, runs_api_server
from .node.context import NodeContext
from .node.control_plane.bootstrap_server import server_name
from .node.program import loader_text
from .node.system import egress_proxy, hosts
from .ports import KOPS_CONTROLLER

# kops' file name and boundary: cloud-init shows the one, tests rely on the other.
SCRIPT_NAME = "nodeup.sh"
BOUNDARY = "MIMEBOUNDARY"

# Of kops, for stores that are compatible with S3. Keys are secrets, which user data does not hold.
_ENDPOINT, _REGION = "S3_ENDPOINT", "S3_REGION"

_SCRIPT = """#!/bin/bash
# Makes this instance a node of its cluster. It holds no secret.
set -o errexit -o nounset -o pipefail

install -d -m 0755 /etc/kubeops
{boot_file}
{rest}
"""
_PLAIN_BOOT_FILE = """cat > /etc/kubeops/boot.json << '__EOF_BOOT'
{text}
__EOF_BOOT"""
_COMPRESSED_BOOT_FILE = """base64 -d << '__EOF_BOOT' | gzip -d{late} > /etc/kubeops/boot.json
{text}
__EOF_BOOT"""
_NO_LOADER = 'echo "kubeops: instances of this cloud do not become nodes by themselves yet"'
_LOADER = """if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2> /dev/null; then
  echo "kubeops: this image has no python3 of 3.9 or newer, which the node program needs; the instance stays as it is"
  exit 1
fi
install -d -m 0755 /opt/kubeops
# A text of Python: base64 -d | bunzip2 shows it.
python3 -c 'import base64, bz2, sys; print(bz2.decompress(base64.b64decode(sys.stdin.read())).decode())' \\
  > /opt/kubeops/load.new << '__EOF_LOADER'
{loader}
__EOF_LOADER
mv /opt/kubeops/load.new /opt/kubeops/load

cat > /etc/systemd/system/kops-configuration.service << '__EOF_UNIT'
[Unit]
Description=Makes this instance a node of its Kubernetes cluster
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0
[Service]
EnvironmentFile=-/etc/environment
ExecStart=/usr/bin/env python3 /opt/kubeops/load /etc/kubeops/boot.json
Restart=on-failure
RestartSec=10
RemainAfterExit=yes
KillMode=process
StandardOutput=journal+console
[Install]
WantedBy=multi-user.target
__EOF_UNIT
# This lets systemd read the unit, too.
systemctl enable --now --no-block kops-configuration.service"""


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
                    contents=Deferred(needs(context, group), functools.partial(script, context, group)),
                )
            )


def needs(context: ModelContext, group: InstanceGroup) -> list[Task[Any]]:
    """What the user data of a group names: it has to be there before an instance starts."""
    if group.spec.role == "Bastion":
        return []
    files = [*node_configs.stored(context, group).values(), node_configs.stored_program(context)]
    if not cloud_of(context.cluster).starts_nodes:
        return [*files]
    return [*files, *stored_keys.needs(context, group), *([] if _reads_store(context, group) else late_needs(context))]


def late_needs(context: ModelContext) -> list[Task[Any]]:
    """That of which workers are told something that is not known before it is done."""
    servers = context.server_addresses
    return [context.get(Keypair, pki.KUBERNETES_CA), *(servers.needs if servers else ())]


def user_data(context: ModelContext, group: InstanceGroup) -> Deferred | None:
    """The user data of a group's instances; None for a bastion to which the user adds nothing."""
    if group.spec.role == "Bastion" and not group.spec.additional_user_data:
        return None

    return Deferred(needs(context, group), functools.partial(text_of_instances, context, group))


def text_of_instances(context: ModelContext, group: InstanceGroup) -> str:
    """The user data of instances, complete once the tasks that it needs are done."""
    additional = group.spec.additional_user_data
    boot = "" if group.spec.role == "Bastion" else script(context, group)
    own = [UserData(name=SCRIPT_NAME, type="text/x-shellscript", content=boot)] if boot else []
    return multipart([*own, *additional]) if additional else boot


def script(context: ModelContext, group: InstanceGroup) -> str:
    """The boot script of a group. It changes, and with it the launch template, when what it names does.

    It is complete once the tasks that it needs are done.
    """
    text = json.dumps(_boot(context, group), indent=1, sort_keys=True)
    if group.spec.compress_user_data:
        # Whoever makes a server puts in what that server alone is told.
        own = {"NONCE": NONCE_PLACEHOLDER} if NONCE_PLACEHOLDER in text else {}
        text, late_values = _outside(text, {**context.target.marks_in(text), **own})
        # No time in the header: the same text gives the same user data.
        packed = base64.b64encode(gzip.compress(text.encode() + b"\n", mtime=0)).decode()
        boot_file = _COMPRESSED_BOOT_FILE.format(text=packed, late=late_values)
    else:
        boot_file = _PLAIN_BOOT_FILE.format(text=text)
    return _SCRIPT.format(boot_file=boot_file, rest=_rest(context, group))


def _boot(context: ModelContext, group: InstanceGroup) -> dict[str, Any]:
    """What the loader (node/loader/) and the program (node/boot_file.py) read."""
    cloud = cloud_of(context.cluster)
    boot: dict[str, Any] = {
        "cloud": cloud.name,
        "cluster": context.name,
        "instanceGroup": group.metadata.name,
        "role": group.spec.role,
        "nodeConfigs": {name: _named(file) for name, file in node_configs.stored(context, group).items()},
        "program": _named(node_configs.stored_program(context)),
    }
    if names_nodes_by_address(context.cluster):
        boot["namedByAddress"] = True
    environment = egress_proxy.variables(NodeContext(context.cluster, group))
    if _reads_store(context, group) or not cloud.starts_nodes:
        boot["store"] = context.store_base
        elsewhere = elsewhere_of(context.store_base, context.keypair_base, context.secret_base)
        boot.update({"elsewhere": elsewhere} if elsewhere and cloud.starts_nodes else {})
        environment.update(_of_compatible_service())
        environment.update(context.environment)
    else:
        names = hosts.names_of_balancer(NodeContext(context.cluster, group))
        boot["servers"] = {
            **({"hostNames": names} if names else {}),
            "addresses": _server_addresses(context),
            "name": server_name(context.name),
            "port": KOPS_CONTROLLER,
            "ca": context.stored.trusted_authorities(),
        }
        boot["certificates"] = node_configs.certificates(context, group)
    if cloud.starts_nodes:
        boot.update(stored_keys.identities(context, group))
    return {**boot, **({"environment": environment} if environment else {})}


def _of_compatible_service() -> dict[str, str]:
    """The endpoint as a URL; kops takes it without https://, too."""
    given = {_ENDPOINT: compatible_endpoint(), _REGION: os.environ.get(_REGION, "")}
    return {name: value for name, value in given.items() if value}


def _reads_store(context: ModelContext, group: InstanceGroup) -> bool:
    """As in kops, the roles of all others read nothing of the store."""
    return runs_api_server(group)


def _server_addresses(context: ModelContext) -> list[str]:
    """Where instances find the bootstrap servers."""
    servers = context.server_addresses
    return [*(servers.find() if servers else ())] or [server_name(context.name)]


def _outside(text: str, marks: Mapping[str, str]) -> tuple[str, str]:
    """A text that is to be compressed, and the commands that put in what is known later. marks: see LateValues."""
    commands = ""
    for name, mark in marks.items():
        text = text.replace(mark, f"@@{name}@@")
        commands += f" | sed 's/@@{name}@@/{mark}/'"
    return text, commands


def _rest(context: ModelContext, group: InstanceGroup) -> str:
    cloud = cloud_of(context.cluster)
    if not cloud.starts_nodes:
        return _NO_LOADER
    start = loader_text.FROM_SERVERS
    if _reads_store(context, group):
        start = loader_text.from_store(cloud, urlsplit(context.store_base).scheme)
    # Not zlib, of which versions and variants give different bytes.
    packed = base64.b64encode(bz2.compress(loader_text.loader_text(start).encode())).decode()
    return _LOADER.format(loader=packed)


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
