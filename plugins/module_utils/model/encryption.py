# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key by which the API server encrypts Secrets in etcd, generated with the cluster. kops wants it to be given."""

from __future__ import annotations

from ..cloud.tasks.secret import Secret
from ..statestore.secrets import ENCRYPTION_CONFIG
from .context import ModelContext


def build(context: ModelContext) -> None:
    """The EncryptionConfiguration, where the specification asks for one."""
    if context.cluster.spec.encryption_config:
        context.add(Secret(ENCRYPTION_CONFIG, context.layers.cluster, base=context.secret_base))
