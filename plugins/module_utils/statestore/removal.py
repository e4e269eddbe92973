# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removal of a cluster from its store: which files its directory may contain, and which are elsewhere."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from .ownership import DISCOVERY_FILES, OWNER
from .vfs.open import open_path
from .vfs.path import Listed, StoreError, VFSPath

if TYPE_CHECKING:
    from ..api.cluster import Cluster

# The files of a cluster's directory (kops' list). cluster.spec is of kops before 1.22.
KNOWN_FILES = frozenset(["config", "cluster.spec", "cluster-completed.spec", "kops-version.txt"])
KNOWN_DIRECTORIES = (
    "addons/",
    "clusteraddons/",
    "pki/",
    "secrets/",
    "instancegroup/",
    "igconfig/",
    "manifests/",
    "backups/",
)
# Files that are written before the specification when a cluster is created, and removed after it.
_OF_A_BROKEN_OFF_WRITE = ("instancegroup/", "igconfig/", "clusteraddons/", "pki/ssh/")
_SHOWN = 5


def check(directory: VFSPath, files: list[Listed]) -> None:
    """Raise StoreError if the cluster's directory contains files that are not part of a cluster."""
    unknown = [
        file.name for file in files if file.name not in KNOWN_FILES and not file.name.startswith(KNOWN_DIRECTORIES)
    ]
    if unknown:
        more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
        raise StoreError(
            f"{directory} contains files that are not part of a cluster ({', '.join(unknown[:_SHOWN])}{more}); "
            "move them away first"
        )


def are_leftovers(files: list[Listed]) -> bool:
    """Whether these are the files of an interrupted creation or removal: no specification, and nothing made from it."""
    return bool(files) and all(file.name.startswith(_OF_A_BROKEN_OFF_WRITE) for file in files)


def remove_elsewhere(cluster: Cluster, directory: VFSPath, foreign: Collection[str]) -> None:
    """Remove files that the specification puts outside of the cluster's directory: keys, secrets, OIDC documents.

    foreign: addresses of places that are another cluster's; they stay as they are.
    """
    stores = cluster.spec.config_store
    for url in dict.fromkeys(filter(None, (stores.secrets, stores.keypairs))):
        outside = open_path(url)
        if not f"{outside.path}/".startswith(f"{directory.path}/") and outside.path not in foreign:
            outside.remove_many([file.path for file in outside.list_tree()])
    discovery = cluster.spec.service_account_issuer_discovery
    if discovery is not None and discovery.discovery_store:
        store = open_path(discovery.discovery_store)
        for name in (*DISCOVERY_FILES, OWNER) if store.path not in foreign else ():
            store.join(name).remove()
