# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of a cluster as an update needs them. Each is read once, and all existing ones at the same time."""

from __future__ import annotations

import hashlib
import threading
from concurrent.futures import ThreadPoolExecutor

from ...base.errors import FieldError
from ...statestore.keyset import KUBERNETES_CA, Keyset
from ...statestore.keysets import BUNDLE, is_rotatable
from ...statestore.store import ClusterStore
from ...statestore.vfs.path import Tree


class KnownKeys:
    """The keysets and secrets of a store. What is not there may be made meanwhile, and is looked for again.

    tree: the listing of the cluster's directory. Threads share it.
    """

    def __init__(self, store: ClusterStore, tree: Tree) -> None:
        self._store = store
        names = [file.name.split("/") for file in tree.below(store.keysets.root.join("private"))]
        self._listed = [parts[0] for parts in names if len(parts) == 2 and parts[1] == BUNDLE]
        self._keysets: dict[str, Keyset] = {}
        self._hashes: dict[str, str] = {}
        self._lock = threading.Lock()

    def problems(self) -> list[FieldError]:
        """Keysets that nodes cannot use: without them the next certificate or token cannot be signed.

        Raises KeysetError for a file that is no keyset.
        """
        self._keyset(KUBERNETES_CA)
        found = []
        for name, keyset in sorted(self._keysets.items()):
            problem = keyset.problem() if is_rotatable(name) else ""
            if problem:
                message = (
                    f"keyset {name}: {problem}; bring back pki/private/{name}/{BUNDLE} from an older version of the"
                    " file or a copy of the store"
                )
                found.append(FieldError("Invalid", "", message))
        return found

    def all_ids(self, name: str) -> list[str]:
        """Ids of all key pairs of a keyset, also of distrusted ones; empty if there is no such keyset."""
        keyset = self._keyset(name)
        return list(keyset.items) if keyset else []

    def trusted_authorities(self) -> str:
        """The trusted certificates of the cluster's own CA, PEM; "" as long as there is none."""
        keyset = self._keyset(KUBERNETES_CA)
        return keyset.certificate_bundle() if keyset else ""

    def ids(self, name: str) -> list[str]:
        """The ids of the key pairs of a keyset that are not distrusted, the primary first; none without the keyset."""
        keyset = self._keyset(name)
        return keyset.used_ids() if keyset else []

    def secret_hash(self, name: str) -> str:
        """The SHA-256 of a secret; "" if there is none."""
        with self._lock:
            if name not in self._hashes:
                value = self._store.secrets.find(name)
                if value is None:
                    return ""
                self._hashes[name] = hashlib.sha256(value).hexdigest()
            return self._hashes[name]

    def _keyset(self, name: str) -> Keyset | None:
        with self._lock:
            missing = [each for each in dict.fromkeys((name, *self._listed)) if each not in self._keysets]
            self._listed = []
            if name in missing:
                with ThreadPoolExecutor(max(len(missing), 1)) as pool:
                    for each, found in zip(missing, pool.map(self._store.keysets.find, missing)):
                        if found is not None:
                            self._keysets[each] = found
            return self._keysets.get(name)
