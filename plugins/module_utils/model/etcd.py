# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What etcd's manager reads from the state store, and the authorities of each etcd cluster.

Source: pkg/model/components/etcdmanager of kops.
"""

from __future__ import annotations

import json

from ..base.errors import KopsError
from ..cloud.tasks.managed_file import ManagedFile
from . import pki
from .context import ModelContext


def build(context: ModelContext) -> None:
    """The control file beside the backups of each etcd cluster, and its authorities."""
    for etcd in context.cluster.spec.etcd_clusters:
        store = etcd.backups.backup_store if etcd.backups else None
        if not store:
            raise KopsError(f"etcd cluster {etcd.name} has no backups.backupStore")
        contents = {"memberCount": len(etcd.etcd_members), "etcdVersion": etcd.version}
        context.add(
            ManagedFile(
                f"etcd-cluster-spec-{etcd.name}",
                context.layers.cluster,
                base=store,
                location="control/etcd-cluster-spec",
                contents=json.dumps(contents, indent=2),
            )
        )
        pki.ensure_authority(context, f"etcd-manager-ca-{etcd.name}")
        pki.ensure_authority(context, f"etcd-peers-ca-{etcd.name}")
        # The API server has one client certificate for all etcd clusters that it uses.
        pki.ensure_authority(context, "etcd-clients-ca")
        if etcd.name == "cilium":
            pki.ensure_authority(context, "etcd-clients-ca-cilium")
