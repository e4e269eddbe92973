# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which stores the nodes of a cluster read themselves: a scheme of URLs is a module in node/stores/."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ....api.cluster import Cluster

if TYPE_CHECKING:
    # Ansible sends with a module what it imports, late or early: so the program gets them wherever a module runs.
    from ....node.stores import do, gs, hos, s3, swift  # noqa: F401

SCHEMES = ("do", "gs", "hos", "s3", "swift")


def schemes_of(cluster: Cluster) -> tuple[str, ...]:
    """The schemes of a completed cluster's store, of the parts of it that are elsewhere, and of backups of etcd.

    Without those that no node reads.
    """
    store = cluster.spec.config_store
    backups = [each.backups.backup_store for each in cluster.spec.etcd_clusters if each.backups]
    used = {urlsplit(url).scheme for url in (store.base, store.keypairs, store.secrets, *backups) if url}
    return tuple(scheme for scheme in SCHEMES if scheme in used)
