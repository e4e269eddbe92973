# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state store: the specifications, keys and secrets of clusters, in kops' own layout.

Below ``<store>/<cluster>/``: ``config``, ``instancegroup/<name>``, ``cluster-completed.spec``, ``kops-version.txt``,
``clusteraddons/default``, ``pki/``, ``secrets/``. Some files are ours, at places where kops' own deletion accepts them:
``igconfig/lease.json``, ``igconfig/instancegroups.json``, and ``igconfig/owner.json`` in places outside (ownership.py).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Any

from ..api import codec, manifest
from ..api.additional import AdditionalObject
from ..api.cluster import Cluster
from ..api.instance_group import InstanceGroup
from ..api.versions import OLDER_KUBELETS, Version
from ..base.errors import FieldError, KopsError, ValidationError, in_one_line
from . import removal
from .group_copy import GroupCopy
from .keysets import Keysets
from .leases import WAIT, Lease
from .objects import differ, labelled, revised, with_base
from .ownership import COMPLETED, CONFIG, OWNER, Foreign, Owner, Ownership
from .secrets import Secrets
from .ssh_keys import SSHPublicKeys
from .vfs.open import open_path
from .vfs.path import Listed, StoreError, Tree, VFSPath, WriteConflict

KOPS_VERSION = "kops-version.txt"
GROUPS = "instancegroup"
ADDITIONAL_OBJECTS = "clusteraddons/default"
LEASE = "igconfig/lease.json"
INSTANCES_LEASE = "igconfig/instances-lease.json"
GROUP_COPY = "igconfig/instancegroups.json"
# So many clusters of a store are named in a message.
_NAMED = 5


class ClusterNotFound(KopsError, FileNotFoundError):
    """The store has no cluster with this name."""


def examples_of(name: str) -> str:
    """Addresses that a user may mean who gives only the name of a bucket, or a directory."""
    return f"s3://{name.strip('/')} and file:///{name.strip('/')}"


class StateStore:
    """A store of clusters. url: ``s3://bucket/prefix``, ``file:///directory``. auth: see vfs.open.open_path."""

    def __init__(self, url: str, **auth: Any) -> None:
        if not url:
            raise StoreError("no state store was given; set state_store, or KOPS_STATE_STORE in the environment")
        if "://" not in url:
            raise StoreError(f"the state store {url!r} has no scheme; examples are {examples_of(url)}")
        self.root = open_path(url, **auth)

    def clusters(self) -> list[str]:
        """The names of all clusters: the directories that contain a ``config``."""
        suffix = f"/{CONFIG}"
        return sorted(file.name[: -len(suffix)] for file in self.root.list_tree() if file.name.endswith(suffix))

    def cluster(self, name: str, *, adopt: Sequence[str] = ()) -> ClusterStore:
        """One cluster of the store; it need not exist yet. adopt: places of others that it takes over, by name."""
        if not name:
            raise StoreError("no cluster was named; set name, or KOPS_CLUSTER_NAME in the environment")
        if "/" in name or name in (".", ".."):
            raise StoreError(f"{name!r} is not a valid cluster name; an example is demo.example.com")
        return ClusterStore(self.root.join(name), name, adopt, self)

    def listed(self) -> str:
        """The clusters that it has, for a message; "" if it cannot be listed."""
        try:
            names = self.clusters()
        except (KopsError, OSError):
            return ""
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return f"it has {', '.join(names[:_NAMED])}{more}" if names else "it has no clusters"


class ClusterStore:
    """One cluster of a store. It keeps the objects that were read, so that a write notices changes of other processes.

    path: the cluster's directory. root: the store, for messages. broken: what is wrong with the completed
    specification; "" if nothing is. warnings: unknown fields in objects, written by another version of kops.
    ownership: what it may write to outside of that. takeovers: what it takes over of that, as the user wants it.
    """

    def __init__(self, path: VFSPath, name: str, adopt: Sequence[str] = (), root: StateStore | None = None) -> None:
        self.path = path
        self.name = name
        self.ownership = Ownership(Owner(name, path.path), path, adopt)
        self._root = root
        self.warnings: list[str] = []
        self.broken = ""
        self.takeovers: list[str] = []
        self._foreign: dict[tuple[str, ...], list[Foreign]] = {}
        self._is_absent = False
        self._lease: Lease | None = None
        self._cluster: tuple[Cluster, str] | None = None
        self._groups: dict[str, tuple[InstanceGroup, str]] = {}
        self._copy = GroupCopy(path.join(GROUP_COPY))

    @classmethod
    def open(cls, url: str, name: str, *, adopt: Sequence[str] = (), **auth: Any) -> ClusterStore:
        """One cluster of the store at url. adopt: as of StateStore.cluster()."""
        return StateStore(url, **auth).cluster(name, adopt=adopt)

    # -- reading ------------------------------------------------------------------------------------------------

    def exists(self) -> bool:
        """Whether the store has the cluster."""
        return self.find_cluster() is not None

    def find_cluster(self) -> Cluster | None:
        """The user's specification, None if the store has none.

        Its spec.config_store.base is filled in. Raises StoreError if it is the specification of another cluster.
        """
        path = self.path.join(CONFIG)
        try:
            data, etag = path.read_tagged()
        except FileNotFoundError:
            self._cluster, self._is_absent = None, True
            return None
        cluster = _parse(path, data, Cluster, self.warnings)
        cluster.metadata.name = cluster.metadata.name or self.name
        if cluster.metadata.name != self.name:
            raise StoreError(
                f"{path} is the specification of cluster {cluster.metadata.name}, not of {self.name}: "
                "this is the store of another cluster"
            )
        cluster = with_base(cluster, self.path.path)
        self._cluster = (cluster, etag)
        # The kept object must stay as it was read, whatever the caller does with its copy.
        return codec.copy(cluster)

    def read_cluster(self) -> Cluster:
        """The user's specification. Raises ClusterNotFound."""
        cluster = self.find_cluster()
        if cluster is None:
            raise self.not_found()
        return cluster

    def not_found(self) -> ClusterNotFound:
        """The error for an operation that needs the cluster."""
        listed = self._root.listed() if self._root else ""
        return ClusterNotFound(
            f"there is no cluster {self.name} in the state store ({self.path.join(CONFIG)}){listed and f'; {listed}'};"
            " check its name and state_store, or create it (kubeops.kops.create_cluster)"
        )

    def read_groups(self, tree: Tree | None = None) -> list[InstanceGroup]:
        """All instance groups, sorted by name, each with its cluster's label.

        tree: a listing of the cluster's directory, if the caller has one.
        """
        directory = self.path.join(GROUPS)
        files = tree.below(directory) if tree else directory.list_tree()
        listed = [file for file in files if "/" not in file.name]
        found = {}
        for name, (etag, data) in sorted(self._copy.read(listed).items()):
            path = directory.join(name)
            group = _parse(path, data, InstanceGroup, self.warnings)
            group.metadata.name = group.metadata.name or name
            if group.metadata.name != name:
                raise StoreError(f"{path} is the specification of instance group {group.metadata.name}, not of {name}")
            found[name] = (labelled(group, self.name), etag)
        self._groups = found
        return [codec.copy(group) for group, _etag in found.values()]

    def read(self) -> tuple[Cluster, list[InstanceGroup]]:
        """Cluster and instance groups, as the user specified them. Raises ClusterNotFound."""
        return self.read_cluster(), self.read_groups()

    def completed(self) -> Cluster | None:
        """The complete specification, as the last update wrote it; None if there is none, or only a broken one.

        Every update can make it again, so a broken one is no error: `broken` says what is wrong with it.
        """
        path = self.path.join(COMPLETED)
        try:
            data = path.read()
        except FileNotFoundError:
            return None
        try:
            found: Cluster = _parse(path, data, Cluster, [])
            what = self._implausible(found)
        except KopsError as error:
            what = in_one_line(error).removeprefix(f"{path}").lstrip(":, ")
        if not what:
            return found
        self.broken = f"{path} is broken, and is made again by the next update: {what}"
        return None

    def _implausible(self, completed: Cluster) -> str:
        """Why a completed specification is not what an update of this cluster wrote; "" if it may be."""
        if completed.metadata.name != self.name:
            return f"it is that of cluster {completed.metadata.name or 'without a name'}"
        specified, text = self._specified(), completed.spec.kubernetes_version
        if not text or specified is None or not specified.spec.kubernetes_version:
            return ""
        version, wanted = Version.parse(text), Version.parse(specified.spec.kubernetes_version)
        if (version.major, version.minor + OLDER_KUBELETS) < (wanted.major, wanted.minor):
            return (
                f"it says Kubernetes {text}, from which no update leads to {wanted}: nodes may be {OLDER_KUBELETS}"
                " minor versions older"
            )
        return ""

    def additional_objects(self, tree: Tree | None = None) -> list[AdditionalObject]:
        """The user's objects that are applied in addition to kops' own. tree: a listing, which saves reads."""
        path = self.path.join(ADDITIONAL_OBJECTS)
        if tree and tree.file(path) is None:
            return []
        try:
            text = _text(path, path.read())
        except FileNotFoundError:
            return []
        objects = manifest.load(text, source=str(path)) if text.strip() else []
        return [found for found in objects if isinstance(found, AdditionalObject)]

    def kops_version(self, expected: str = "", tree: Tree | None = None) -> str:
        """The version of kops that last updated the cluster; "" if it was never updated.

        With a tree, the file is read only if its content differs from expected.
        """
        path = self.path.join(KOPS_VERSION)
        listed = tree.file(path) if tree else None
        if tree and listed is None:
            return ""
        if listed and listed.holds(expected.encode()):
            return expected
        try:
            return path.read().decode("utf-8", "replace").strip()
        except FileNotFoundError:
            return ""

    def was_updated(self, tree: Tree) -> bool:
        """Whether an update of the cluster has begun to write, so that it may run. tree: of the cluster's directory."""
        return any(tree.file(self.path.join(name)) for name in (KOPS_VERSION, COMPLETED))

    def tree(self) -> Tree:
        """The cluster's directory, in one listing."""
        return Tree.of(self.path)

    def files(self) -> list[Listed]:
        """Every file of the cluster, in one listing."""
        return self.path.list_tree()

    # -- keys and secrets ---------------------------------------------------------------------------------------

    @property
    def keysets(self) -> Keysets:
        """CA certificates and private keys."""
        return Keysets(self._pki())

    @property
    def ssh_public_keys(self) -> SSHPublicKeys:
        """SSH keys that can log in to nodes."""
        return SSHPublicKeys(self._pki())

    @property
    def secrets(self) -> Secrets:
        """Secrets that are not keys."""
        return Secrets(self._elsewhere("secrets") or self._base().join("secrets"))

    def _pki(self) -> VFSPath:
        return self._elsewhere("keypairs") or self._base().join("pki")

    def _specified(self) -> Cluster | None:
        if self._cluster is None and not self._is_absent:
            self.find_cluster()
        return self._cluster[0] if self._cluster else None

    def _base(self) -> VFSPath:
        cluster = self._specified()
        base = cluster.spec.config_store.base if cluster else None
        return self._outside(base) if base and base != self.path.path else self.path

    def _elsewhere(self, what: str) -> VFSPath | None:
        # spec.keyStore and spec.secretStore may lie outside of the cluster's directory.
        cluster = self._specified()
        url = getattr(cluster.spec.config_store, what) if cluster else None
        return self._outside(url) if url else None

    def _outside(self, url: str) -> VFSPath:
        """A place that the stored specification names. Keys and secrets of another cluster are not even read."""
        self.refuse_foreign_places()
        return open_path(url)

    # -- whose places these are -----------------------------------------------------------------------------------

    def foreign_places(self, cluster: Cluster, tree: Tree | None = None) -> list[FieldError]:
        """The places that a specification names, and that are another cluster's; what is taken over is a warning.

        tree: a listing of the cluster's directory, in which then nothing may be marked by another cluster either.
        """
        problems = []
        # They are looked at once, until another process may have changed them.
        key = tuple(place.path.path for place in self.ownership.places(cluster))
        if key not in self._foreign:
            self._foreign[key] = self.ownership.foreign(cluster, self._specified())
        for found in self._foreign[key]:
            if self.ownership.is_adopted(found):
                self._take(found)
            else:
                problems.append(found.problem(self.name))
        for address, taker in self.ownership.taken(tree.files) if tree else ():
            if not self.ownership.takes(taker.directory if taker else address):
                message = (
                    f"was taken over by {taker or 'another cluster'}, whose files are in it now; once that cluster uses"
                    f" another place, remove the mark {address}/{OWNER}"
                )
                problems.append(FieldError("Forbidden", "spec.configBase", message, address))
        return problems

    def _take(self, found: Foreign) -> None:
        if found.warning(self.name) not in self.takeovers:
            self.takeovers.append(found.warning(self.name))

    def refuse_foreign_places(self) -> None:
        """Raise ValidationError if the stored specification names places that are another cluster's."""
        cluster = self._specified()
        problems = self.foreign_places(cluster) if cluster else []
        if problems:
            raise ValidationError(problems, f"cluster {self.name}")

    # -- writing ------------------------------------------------------------------------------------------------

    def lease_for(self, operation: str, *, wait: float | None = None, break_existing: bool = False) -> Lease:
        """The lease for writing, not taken yet: first call its look(). See leases.Lease."""
        seconds = WAIT if wait is None else wait
        return Lease(self.path.join(LEASE), operation, wait=seconds, break_existing=break_existing)

    def instances_lease(self, operation: str, *, wait: float | None = None, break_existing: bool = False) -> Lease:
        """The lease for replacing instances, not taken yet. See leases.Lease.

        It is another one than that for writing: a cluster can be updated while its instances are replaced.
        """
        seconds = WAIT if wait is None else wait
        return Lease(self.path.join(INSTANCES_LEASE), operation, wait=seconds, break_existing=break_existing)

    def lease(
        self, operation: str, *, wait: float | None = None, break_existing: bool = False
    ) -> contextlib.AbstractContextManager[Lease]:
        """Hold the lease for writing during the block. Raises LeaseHeld, which names the holder."""
        return self.holding(self.lease_for(operation, wait=wait, break_existing=break_existing))

    @contextlib.contextmanager
    def holding(self, lease: Lease) -> Iterator[Lease]:
        """Hold a lease of lease_for() during the block, in which the cluster's places outside get its mark.

        Discards all objects read before, since another process may have changed them; not if the lease is undisturbed.
        """
        with lease:
            if not lease.undisturbed:
                self._forget()
            self._lease = lease
            try:
                self._claim()
                yield lease
                self._copy.write()
            finally:
                self._lease = None

    def _claim(self) -> None:
        """Mark what is the cluster's. What is not stays as it is: an operation that would write there is refused."""
        cluster = self._specified()
        if cluster is not None and not self.foreign_places(cluster):
            self.ownership.claim(cluster)

    def _forget(self) -> None:
        self._foreign, self._is_absent = {}, False
        self._cluster, self._groups, self._copy = None, {}, GroupCopy(self.path.join(GROUP_COPY))

    def write_cluster(self, cluster: Cluster) -> bool:
        """Write the user's specification. Returns whether this changed anything. metadata is updated as in kops."""
        if cluster.metadata.name != self.name:
            raise StoreError(f"cluster {cluster.metadata.name} cannot be written to {self.path}")
        path, known = self.path.join(CONFIG), self._cluster
        problems = self.foreign_places(cluster)
        if problems:
            raise ValidationError(problems, f"cluster {self.name}")
        self.ownership.claim(cluster)
        if known is None:
            created = revised(cluster, None)
            etag = self._create(path, manifest.dump(created))
            if etag is not None:
                self._cluster = (with_base(created, self.path.path), etag)
                return True
            self.read_cluster()
            known = self._cluster
        if known is None:
            raise StoreError(f"{path} appears and disappears; another process is removing it")
        filled = with_base(cluster, self.path.path)
        wanted = revised(filled, known[0])
        if not differ(wanted, known[0]):
            return False
        wanted.spec.config_store.base = cluster.spec.config_store.base
        etag = self._replace(path, manifest.dump(wanted), known[1])
        self._cluster = (with_base(wanted, self.path.path), etag)
        return True

    def write_group(self, group: InstanceGroup) -> bool:
        """Write an instance group with its cluster's label. Returns whether this changed anything."""
        name = group.metadata.name or ""
        if "/" in name or name in ("", ".", ".."):
            raise StoreError(f"{name!r} is not a valid name of an instance group")
        group = labelled(group, self.name)
        path, known = self.path.join(GROUPS, name), self._groups.get(name)
        if known is None:
            created = revised(group, None)
            text = manifest.dump(created)
            etag = self._create(path, text)
            if etag is not None:
                self._remember(created, etag, text)
                return True
            data, etag = path.read_tagged()
            known = (labelled(_parse(path, data, InstanceGroup, self.warnings), self.name), etag)
        wanted = revised(group, known[0])
        if not differ(wanted, known[0]):
            return False
        text = manifest.dump(wanted)
        self._remember(wanted, self._replace(path, text, known[1]), text)
        return True

    def renew_group_copy(self) -> None:
        """Rewrite the copy of the groups if it was out of date when it was read (its last writer was killed).

        This needs no lease: etags decide which entries of the copy are valid.
        """
        self._copy.write()

    def _remember(self, group: InstanceGroup, etag: str, text: str) -> None:
        name = str(group.metadata.name)
        self._groups[name] = (group, etag)
        self._copy.note(name, etag, text)

    def remove_group(self, name: str) -> None:
        """Remove an instance group if it exists."""
        self._ensure()
        self.path.join(GROUPS, name).remove()
        self._groups.pop(name, None)
        self._copy.forget(name)

    def write_additional_objects(self, objects: Sequence[AdditionalObject]) -> bool:
        """Write all objects that are applied in addition to kops' own. Returns whether this changed anything."""
        if [found.data for found in self.additional_objects()] == [wanted.data for wanted in objects]:
            return False
        self._ensure()
        self.path.join(ADDITIONAL_OBJECTS).write(manifest.dump_all(objects).encode())
        return True

    def _create(self, path: VFSPath, text: str) -> str | None:
        self._ensure()
        try:
            return path.write(text.encode(), if_none_match=True)
        except WriteConflict:
            return None

    def _replace(self, path: VFSPath, text: str, etag: str) -> str:
        self._ensure()
        return path.write(text.encode(), if_match=etag)

    def _ensure(self) -> None:
        if self._lease is not None:
            self._lease.ensure()

    # -- removing -----------------------------------------------------------------------------------------------

    def check_removable(self) -> list[Listed]:
        """The files that remove() would remove. Raises StoreError if some are unknown, or another cluster's."""
        files = self.files()
        removal.check(self.path, files)
        taken = [f"{address} ({owner or 'another cluster'})" for address, owner in self.ownership.taken(files)]
        if taken:
            raise StoreError(
                f"{self.path} holds what was taken over by others: {', '.join(taken)}; once these clusters use other"
                f" places, remove their marks ({OWNER} in each place)"
            )
        return files

    def leftovers(self) -> list[Listed]:
        """The files of an interrupted creation or removal; empty if the cluster exists, or if there is nothing.

        A lease that is held at the moment does not count.
        """
        files = [file for file in self.files() if self._lease is None or file.name != LEASE]
        return files if removal.are_leftovers(files) else []

    def remove(self) -> None:
        """Remove the cluster from the store, with its parts that its specification puts elsewhere. The lease goes last.

        What another cluster has in these places stays.
        """
        self._ensure()
        files = self.check_removable()
        cluster = self._specified()
        if cluster is not None:
            foreign = {str(problem.value) for problem in self.foreign_places(cluster)}
            removal.remove_elsewhere(cluster, self.path, foreign)
        # The specification is removed after the parts that it refers to: an interrupted removal can be repeated.
        last = {CONFIG: 1, LEASE: 2}
        for rank in (0, 1, 2):
            self.path.remove_many([file.path for file in files if last.get(file.name, 0) == rank])
        self._forget()


def _text(path: VFSPath, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StoreError(f"{path} is not text: {error}") from error


def versioning_warnings(path: VFSPath) -> list[str]:
    """Warnings about a store that cannot bring back files that are replaced or removed by mistake."""
    if path.keeps_versions() is not False:
        return []
    bucket = path.path.partition("://")[2].partition("/")[0]
    endpoint = os.environ.get("S3_ENDPOINT", "")
    command = f"aws s3api{f' --endpoint-url {endpoint}' if endpoint else ''} put-bucket-versioning --bucket {bucket}"
    return [
        f"the bucket {bucket} has no versioning: what is replaced or removed in the state store by mistake is lost."
        f" Switch it on: {command} --versioning-configuration Status=Enabled"
    ]


def _parse(path: VFSPath, data: bytes, kind: Any, warnings: list[str]) -> Any:
    ignored: list[str] = []
    objects = manifest.load(_text(path, data), source=str(path), ignored=ignored)
    warnings.extend(f"{field} is an unknown field; it is lost when the object is written" for field in ignored)
    if len(objects) != 1 or not isinstance(objects[0], kind):
        found = ", ".join(type(found).__name__ for found in objects) or "nothing"
        raise StoreError(f"{path} must contain one {kind.__name__}; it contains {found}")
    return objects[0]
