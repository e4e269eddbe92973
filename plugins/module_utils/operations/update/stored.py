# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the state store has of a cluster when an update begins, as its model asks for it (model/stored.py)."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from ...addons.index import CHANNELS
from ...addons.upstream import NONE, Parse, UpstreamFile, parse
from ...api import manifest
from ...api.additional import AdditionalObject
from ...api.cluster import Cluster
from ...model.node.files.assets import FileAsset
from ...statestore.store import ClusterStore
from ...statestore.vfs.path import Tree
from .file_checksums import with_checksums
from .known_keys import KnownKeys
from .upstream_files import UpstreamFiles


class StoredCluster:
    """The store of one cluster. What is read once is kept.

    tree: the listing of the cluster's directory. secret_names: of its secrets. manifests: what to plan with as if it
    were stored; "" for what is. pinned: SHA-256 of files of addons, by URL.
    """

    def __init__(
        self,
        store: ClusterStore,
        tree: Tree,
        cluster: Cluster,
        keys: KnownKeys,
        secret_names: frozenset[str],
        *,
        manifests: str = "",
        pinned: Mapping[str, str] = NONE,
    ) -> None:
        self._store, self._tree, self._cluster, self._manifests = store, tree, cluster, manifests
        self._upstream = UpstreamFiles(store.path, tree, cluster.spec.assets, pinned)
        self.secret_names = secret_names
        self.had_channels = tree.file(store.path.join(CHANNELS)) is not None
        self.signing_certificates = store.keysets.signing_certificates
        self.trusted_authorities, self.key_pairs, self.secret_hash = (
            keys.trusted_authorities,
            keys.ids,
            keys.secret_hash,
        )
        self.cilium_keys = store.secrets.cilium_keys
        self.additional_objects = functools.cache(self._additional_objects)

    def with_checksums(self, files: Sequence[FileAsset]) -> Sequence[FileAsset]:
        """Files that nodes download, each with its checksum. Raises FilesError that names every problem."""
        return with_checksums(self._cluster, files)

    def read_upstream(
        self, urls: Sequence[str], parse: Parse = parse, hashes: Mapping[str, str] = NONE
    ) -> Mapping[str, UpstreamFile]:
        """Files of addons that others publish, by URL. Raises FilesError that names every problem."""
        return self._upstream.read(urls, parse, hashes)

    def read(self, location: str) -> bytes | None:
        """A file of the cluster's directory, by its location there; None if there is none."""
        path = self._store.path.join(location)
        return path.read() if self._tree.file(path) else None

    def _additional_objects(self) -> list[AdditionalObject]:
        """The user's own objects, as they are stored or would be."""
        if not self._manifests:
            return self._store.additional_objects(self._tree)
        objects = manifest.load(self._manifests, source="manifest")
        return [found for found in objects if isinstance(found, AdditionalObject)]
