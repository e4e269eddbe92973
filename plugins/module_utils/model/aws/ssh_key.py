# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key pair for SSH (pkg/model/awsmodel/sshkey.go of kops)."""

from __future__ import annotations

from ...cloud.aws.tasks.ssh_key import SSHKey
from ..context import ModelContext
from . import names, tags


def build(context: ModelContext) -> None:
    """The key pair; nothing when the cluster has no key, or says with an empty spec.sshKeyName that it wants none."""
    name = key_name(context)
    if not name:
        return
    context.add(
        SSHKey(
            name,
            context.layers.security,
            shared=bool(context.cluster.spec.ssh_key_name),
            public_key=context.ssh_public_keys[0] if context.ssh_public_keys else None,
            tags=tags.of_object(context.cluster, context.name),
        )
    )


def key_name(context: ModelContext) -> str:
    """The name of the key pair; "" when there is none."""
    wanted = context.cluster.spec.ssh_key_name
    if wanted is None and context.ssh_public_keys:
        return names.ssh_key(context.ssh_public_keys[0], context.name)
    return wanted or ""
