# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The SSH keys that droplets let in (pkg/model/domodel/droplets.go of kops, which takes the first)."""

from __future__ import annotations

from ...cloud.digitalocean import names
from ...cloud.digitalocean.tasks.ssh_key import SSHKey
from .. import ssh_keys
from ..context import ModelContext


def build(context: ModelContext) -> None:
    """Each of the cluster's keys."""
    for public_key in context.ssh_public_keys:
        key = public_key.strip()
        name = names.ssh_key(ssh_keys.fingerprint(key), context.name)
        context.add(SSHKey(name, context.layers.security, public_key=key))


def keys_of(context: ModelContext) -> list[SSHKey]:
    """All of them, once they are built."""
    return [task for task in context.tasks.values() if isinstance(task, SSHKey)]
