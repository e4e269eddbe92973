# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which stores the nodes of a cluster read themselves: a scheme of URLs is a module in node/stores/."""

from __future__ import annotations

from collections.abc import Iterator
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
    used = {urlsplit(url).scheme for _path, url in places_of(cluster)}
    return tuple(scheme for scheme in SCHEMES if scheme in used)


def places_of(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Fields, as a manifest spells them, and the URLs in them that nodes read or write."""
    stores = cluster.spec.config_store
    found = [("spec.configBase", stores.base), ("spec.keyStore", stores.keypairs), ("spec.secretStore", stores.secrets)]
    found += [
        (f"spec.etcdClusters[{index}].backups.backupStore", etcd.backups.backup_store if etcd.backups else None)
        for index, etcd in enumerate(cluster.spec.etcd_clusters)
    ]
    yield from ((path, url) for path, url in found if url)
