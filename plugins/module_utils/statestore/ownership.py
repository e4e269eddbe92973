# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ownership of places in a store. A cluster writes to its own directory, and to places outside that its spec names.

A place outside carries a mark, ``igconfig/owner.json``, written before anything else. Without a mark, a place is the
cluster's if it is empty, or if the last update of the cluster has used it already (kops knows no marks).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..api import manifest
from ..api.cluster import Cluster
from ..base.errors import FieldError, KopsError
from ..base.options import named
from .vfs.open import open_path, spelled_as_kops
from .vfs.path import Listed, StoreError, VFSPath

# In a directory that kops deletes together with the cluster, and never lists.
OWNER = "igconfig/owner.json"
CONFIG = "config"
COMPLETED = "cluster-completed.spec"
# The documents of service account discovery: all that a cluster writes there.
DISCOVERY_FILES = ("openid/v1/jwks", ".well-known/openid-configuration")
_BASE = "spec.configBase"
_KEYS = "spec.keyStore"
_SECRETS = "spec.secretStore"
_DISCOVERY = "spec.serviceAccountIssuerDiscovery.discoveryStore"
# What is another cluster's from then on, by the field that names the place; else backups of etcd.
_TAKEN = {
    _BASE: "the files that its nodes and control plane read",
    _KEYS: "its key pairs",
    _SECRETS: "its secrets",
    _DISCOVERY: "the keys by which its service account tokens are verified",
}


@dataclass(frozen=True)
class Owner:
    """A cluster. directory: its own one in its state store; "" if that is not known."""

    cluster: str
    directory: str = ""

    def __str__(self) -> str:
        return f"cluster {self.cluster}" + (f" ({self.directory})" if self.directory else "")

    def mark(self, *, public: bool) -> bytes:
        """The content of its mark; in a public place it gives no address away."""
        plain = {"cluster": self.cluster, "directory": self.directory}
        digest = hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
        return (json.dumps({"sha256": digest} if public else plain, indent=2, sort_keys=True) + "\n").encode()


@dataclass(frozen=True)
class Place:
    """A place outside of a cluster's directory. field: that names it, as a manifest spells it."""

    field: str
    path: VFSPath

    @property
    def is_public(self) -> bool:
        """Whether everybody may read it."""
        return self.field == _DISCOVERY

    def has_files(self) -> bool:
        """Whether there is anything that a cluster may have written."""
        if self.is_public:
            return any(exists(self.path.join(name)) for name in DISCOVERY_FILES)
        return bool(self.path.list_tree())


@dataclass(frozen=True)
class Foreign:
    """A place that another cluster has. owner: None if nothing says whose it is. name: by which it is taken over."""

    place: Place
    owner: Owner | None
    name: str

    def problem(self, cluster: str) -> FieldError:
        """Why it is refused to a cluster, and how it is taken over."""
        what = f"is a place of {self.owner}" if self.owner else f"has files, and nothing says that they are {cluster}'s"
        message = (
            f"{what}; name another place. To take this one over from its owner, run create_cluster, replace, edit or"
            f" update_cluster with {named('adopt', self.name)}"
        )
        return FieldError("Forbidden", self.place.field, message, self.place.path.path)

    def warning(self, cluster: str) -> str:
        """What changes when it is taken over."""
        what = _TAKEN.get(self.place.field, "its backups of etcd")
        return f"{self.place.path} is taken over from {self.owner or 'an unknown owner'}: {what} are {cluster}'s now"


class Ownership:
    """Places that a cluster may write to. owner: the cluster and its directory. adopt: names of places to take over."""

    def __init__(self, owner: Owner, directory: VFSPath, adopt: Sequence[str] = ()) -> None:
        self._owner, self._directory = owner, directory
        self._adopt = frozenset(map(_comparable, filter(None, adopt)))

    def foreign(self, cluster: Cluster, stored: Cluster | None) -> list[Foreign]:
        """The places of a specification that are another cluster's, also those that may be taken over.

        stored: the specification as it is stored: what the last update of that has used is the cluster's. Without it,
        the cluster is new, and its directory must not be another one's either.
        """
        places = list(self.places(cluster))
        if stored is None:
            places.insert(0, Place(_BASE, self._directory))
        return [found for place in places for found in self._foreign(place, stored)]

    def is_adopted(self, found: Foreign) -> bool:
        """Whether the user has named it."""
        return _comparable(found.name) in self._adopt

    def takes(self, name: str) -> bool:
        """Whether the user has named what is not in a store: an owner by its name or address."""
        return _comparable(name) in self._adopt

    def places(self, cluster: Cluster) -> Iterator[Place]:
        """The places outside of the cluster's directory that a specification names, each once."""
        seen: set[str] = set()
        for field, url in _named_places(cluster):
            path = open_path(url)
            inside = f"{path.path}/".startswith(f"{self._directory.path}/")
            if not inside and path.path not in seen:
                seen.add(path.path)
                yield Place(field, path)

    def claim(self, cluster: Cluster) -> None:
        """Mark the places of a specification, which foreign() has allowed."""
        for place in self.places(cluster):
            mark = self._owner.mark(public=place.is_public)
            path = place.path.join(OWNER)
            # Where this user may not write, the cluster's own programs do: nothing else is written there either.
            with contextlib.suppress(StoreError):
                if _read(path) != mark:
                    path.write(mark)

    def taken(self, files: Iterable[Listed]) -> list[tuple[str, Owner | None]]:
        """Marks of other clusters in the cluster's own directory: addresses, and by whom if that is known.

        files: a listing of the directory.
        """
        found = []
        for file in files:
            if f"/{file.name}".endswith(f"/{OWNER}"):
                mark = _read(file.path)
                if mark is not None and mark not in (self._owner.mark(public=False), self._owner.mark(public=True)):
                    found.append((file.path.path.removesuffix(f"/{OWNER}"), _owner_of(mark)))
        return found

    def _used(self, stored: Cluster | None) -> list[VFSPath]:
        """The places that the last update has used, as the completed specification in them says."""
        if stored is None:
            return []
        base = open_path(stored.spec.config_store.base or self._directory.path)
        completed = _cluster_in(base.join(COMPLETED))
        if completed is None or completed.metadata.name != self._owner.cluster:
            return []
        used = {place.path for place in self.places(completed)}
        return [place.path for place in self.places(stored) if place.path in used]

    def _foreign(self, place: Place, stored: Cluster | None) -> list[Foreign]:
        """The place, if it is another cluster's. One that this user may not read is not judged."""
        try:
            owner, is_foreign = self._look(place, stored)
        except StoreError:
            return []
        address = place.path.path
        return [Foreign(place, owner, (owner.directory if owner else "") or address)] if is_foreign else []

    def _look(self, place: Place, stored: Cluster | None) -> tuple[Owner | None, bool]:
        """The owner of a place as far as it is known, and whether it is another cluster."""
        mark = _read(place.path.join(OWNER))
        if mark is not None:
            return _owner_of(mark), mark != self._owner.mark(public=place.is_public)
        if place.path == self._directory:
            # Of a new cluster. What a creation left that was killed does not count.
            owner = _named_in(place.path.join(COMPLETED))
            if owner is not None and owner.cluster == self._owner.cluster:
                return owner, False
            # A deletion of the cluster around it would delete it as well. In itself there is neither cluster nor mark.
            owner = owner or _directory_around(place.path.path.rstrip("/").rpartition("/")[0])
            return owner, owner is not None
        owner = _directory_around(place.path.path)
        if owner is not None:
            return owner, owner != self._owner
        return None, place.has_files() and place.path not in self._used(stored)


def exists(path: VFSPath) -> bool:
    """Whether there is a file."""
    return _read(path) is not None


def _named_places(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Fields, and the addresses that they name."""
    spec = cluster.spec
    discovery = spec.service_account_issuer_discovery
    found = [
        (_BASE, spec.config_store.base),
        (_KEYS, spec.config_store.keypairs),
        (_SECRETS, spec.config_store.secrets),
        (_DISCOVERY, discovery.discovery_store if discovery else None),
    ]
    found += [
        (f"spec.etcdClusters[{index}].backups.backupStore", etcd.backups.backup_store if etcd.backups else None)
        for index, etcd in enumerate(spec.etcd_clusters)
    ]
    yield from ((field, url) for field, url in found if url and _can_be_opened(url))


def _can_be_opened(url: str) -> bool:
    """Stores of clouds that are not applied to yet are only named."""
    try:
        open_path(url)
    except StoreError:
        return False
    return True


def _directory_around(address: str) -> Owner | None:
    """The cluster in whose directory or marked place a place is, or which has it as its directory."""
    address = address.rstrip("/")
    root = address.partition("://")[0] + "://" if "://" in address else "/"
    while len(address) > len(root):
        directory = open_path(address)
        found = _cluster_in(directory.join(CONFIG))
        owner = Owner(str(found.metadata.name), directory.path) if found is not None else _mark_of(directory)
        if owner is not None:
            return owner
        address = address.rpartition("/")[0]
    return None


def _named_in(path: VFSPath) -> Owner | None:
    found = _cluster_in(path)
    return Owner(str(found.metadata.name)) if found is not None else None


def _cluster_in(path: VFSPath) -> Cluster | None:
    """The Cluster of a file; None if there is none, or if it is something else."""
    content = _read(path)
    if content is None:
        return None
    try:
        objects = manifest.load(content.decode("utf-8", "replace"), source=str(path), ignored=[])
    except KopsError:
        return None
    return next((each for each in objects if isinstance(each, Cluster) and each.metadata.name), None)


def _mark_of(directory: VFSPath) -> Owner | None:
    """The owner that the mark of a directory names, if there is one."""
    content = _read(directory.join(OWNER))
    return _owner_of(content) if content is not None else None


def _owner_of(mark: bytes) -> Owner | None:
    """The owner that a mark names; None for the mark of a public place, or one that is broken."""
    try:
        found = json.loads(mark)
        return Owner(str(found["cluster"]), str(found["directory"]))
    except (ValueError, KeyError, TypeError):
        return None


def _read(path: VFSPath) -> bytes | None:
    try:
        return path.read()
    except FileNotFoundError:
        return None


def _comparable(address: str) -> str:
    """An address or a name, in one spelling of it."""
    text = address.strip()
    try:
        return spelled_as_kops(text).rstrip("/") if "://" in text else text.rstrip("/")
    except StoreError:
        return text
