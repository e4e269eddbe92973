# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters whose control planes could not read their state store: refused before anything is stored or applied."""

from __future__ import annotations

from collections.abc import Iterator

from ...api.clouds import cloud_of
from ...api.cluster import Cluster
from ...api.validation.problems import invalid
from ...base.errors import FieldError
from ...statestore.objects import with_base
from ...statestore.vfs.open import MEMORY


def problems_of_stores(cluster: Cluster, directory: str, *, field: str = "") -> list[FieldError]:
    """The places that instances read and write, and that are not in their cloud's kind of store.

    directory: of the cluster in its state store. field: which gave the places; "" for the specification's own.
    """
    cloud = cloud_of(cluster)
    # A store in memory is for tests, all of whose steps are one process; a module refuses it.
    if not cloud.starts_nodes or directory.startswith(f"{MEMORY}://"):
        return []
    wanted = f"{cloud.store_scheme}://"
    message = f"instances of {cloud.title} cannot read this; keep the cluster's state in {wanted}"
    unread = {path: url for path, url in _places(with_base(cluster, directory)) if not url.startswith(wanted)}
    if field and unread:
        return [invalid(field, next(iter(unread.values())), message)]
    return [invalid(path, url, message) for path, url in unread.items()]


def _places(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Fields, as a manifest spells them, and the addresses that they give."""
    stores = cluster.spec.config_store
    found = [("spec.configBase", stores.base), ("spec.keyStore", stores.keypairs), ("spec.secretStore", stores.secrets)]
    found += [
        (f"spec.etcdClusters[{index}].backups.backupStore", etcd.backups.backup_store if etcd.backups else None)
        for index, etcd in enumerate(cluster.spec.etcd_clusters)
    ]
    yield from ((path, url) for path, url in found if url)
