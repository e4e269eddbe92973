# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key pair of the servers (pkg/model/openstackmodel/sshkey.go of kops)."""

from __future__ import annotations

from ...cloud.openstack import names
from ...cloud.openstack.tasks.key_pair import KeyPair
from .. import ssh_keys
from ..context import ModelContext


def build(context: ModelContext) -> None:
    """One key pair, of the first key: Nova takes one for each server."""
    for public_key in context.ssh_public_keys[:1]:
        key = public_key.strip()
        context.add(
            KeyPair(names.key_pair(ssh_keys.fingerprint(key), context.name), context.layers.security, public_key=key)
        )
