# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups of etcd in the state store, in the layout of kops' manager of etcd (exchange/etcd_backups.py).

They are below ``spec.etcdClusters[].backups.backupStore``.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any

from ...api.etcd import EtcdClusterSpec
from ...api.etcd_schedule import interval_of, retention_of
from ...base.errors import KopsError
from ...base.files import Files, LocalFiles
from ...exchange import etcd_backups as layout
from ...exchange.etcd_backups import DATA, META, TIME, Listing, Retention
from ...statestore.store import ClusterStore
from ...statestore.vfs.open import open_path
from ...statestore.vfs.path import VFSPath

_CHUNK = 1 << 20
_LOCAL = LocalFiles()


@dataclass(frozen=True)
class Backup:
    """A backup of an etcd cluster ("main"). path: its directory. size: bytes. What is not known is "" or 0."""

    etcd: str
    name: str
    path: VFSPath
    size: int = 0

    @property
    def time(self) -> datetime.datetime | None:
        """When it was stored; None for a name that says nothing of it."""
        return layout.time_of(self.name)

    def plain(self) -> dict[str, Any]:
        """The backup as plain data, for results of modules."""
        time = self.time.strftime(TIME) if self.time else ""
        return {"etcd": self.etcd, "name": self.name, "time": time, "path": self.path.path, "size": self.size}


@dataclass(frozen=True)
class NewBackup:
    """A file that becomes a backup. source: its path; it is compressed with gzip. sha256: its checksum, if known."""

    etcd: str
    source: str
    etcd_version: str
    member_count: int
    sha256: str = ""

    @classmethod
    def taken(cls, plain: Mapping[str, Any], directory: str) -> NewBackup:
        """The backup that a host has taken (etcd_backup), with its file in a directory. Raises KopsError."""
        missing = [name for name in ("etcd", "etcd_version", "member_count") if not plain.get(name)]
        if missing:
            raise KopsError(f"a backup has no {', '.join(missing)}; give what kubeops.kops.etcd_backup returns")
        etcd = str(plain["etcd"])
        return cls(
            etcd=etcd,
            source=os.path.join(directory, f"{etcd}.backup.gz"),
            etcd_version=str(plain["etcd_version"]),
            member_count=int(plain["member_count"]),
            sha256=str(plain.get("sha256", "")),
        )

    def check(self, stream: IO[bytes]) -> None:
        """Raise KopsError if the file's content is not what was taken."""
        digest = hashlib.sha256()
        for piece in iter(partial(stream.read, _CHUNK), b""):
            digest.update(piece)
        if self.sha256 and digest.hexdigest() != self.sha256:
            raise KopsError(f"the backup {self.source} is not the one that was taken: its checksum is wrong")

    def meta(self, now: datetime.datetime) -> bytes:
        """The metadata file beside the backup."""
        return layout.meta(self.etcd_version, self.member_count, now)


@dataclass(frozen=True)
class Schedule:
    """When an etcd cluster is backed up. directory: with its backups. last: when the newest was stored, if any was."""

    directory: VFSPath
    interval: datetime.timedelta
    last: datetime.datetime | None
    late: bool


@dataclass
class Stored:
    """Result of storing backups: what was done, or would be in check mode."""

    stored: list[Backup] = field(default_factory=list)
    removed: list[Backup] = field(default_factory=list)


class Backups:
    """The backups of a cluster's etcd clusters. Raises ClusterNotFound and StoreError.

    files: where backups come from and go to. cluster: with the specification as it was applied last.
    """

    def __init__(self, state_store: str, cluster_name: str, files: Files = _LOCAL) -> None:
        self._files = files
        store = ClusterStore.open(state_store, cluster_name)
        cluster = store.read_cluster()
        store.refuse_foreign_places()
        self._specs = {str(etcd.name): etcd for etcd in cluster.spec.etcd_clusters}
        self._base = open_path(cluster.spec.config_store.base or store.path.path)
        self.cluster = store.completed() or cluster
        self._cluster = cluster_name
        self._created = _created(cluster.metadata.creation_timestamp)

    def names(self) -> list[str]:
        """The etcd clusters of the specification."""
        return list(self._specs)

    def of(self, etcd: str) -> list[Backup]:
        """Backups of an etcd cluster, oldest first."""
        return self._listed(etcd)[0]

    def at(self, etcd: str, url: str) -> Backup:
        """The backup of a directory."""
        path = open_path(url)
        return Backup(etcd, url.rstrip("/").rpartition("/")[2], path)

    def _listed(self, etcd: str) -> tuple[list[Backup], Listing]:
        """Backups; and all names that there are."""
        directory = self._directory(etcd)
        files = directory.list_tree()
        listing = Listing.of(file.name for file in files)
        sizes: dict[str, int] = {}
        for file in files:
            name = file.name.partition("/")[0]
            sizes[name] = sizes.get(name, 0) + file.size
        return [Backup(etcd, name, directory.join(name), sizes[name]) for name in listing.complete], listing

    def _directory(self, etcd: str) -> VFSPath:
        backups = self._spec(etcd).backups
        url = backups.backup_store if backups else None
        return open_path(url) if url else self._base.join("backups", "etcd", etcd)

    def _spec(self, etcd: str) -> EtcdClusterSpec:
        if etcd not in self._specs:
            raise KopsError(
                f"cluster {self._cluster} has no etcd cluster {etcd}; it has {', '.join(self._specs) or 'none'}"
            )
        return self._specs[etcd]

    def retention(self, etcd: str, hourly: str = "", daily: str = "") -> Retention:
        """Retention of an etcd cluster's backups: as given, else by the specification, else the default of kops."""
        return Retention(*retention_of(self._spec(etcd), hourly, daily))

    def schedule(self, etcd: str, now: datetime.datetime | None = None) -> Schedule:
        """Schedule of an etcd cluster's backups, and the age of the last one.

        It is late if that is older than three intervals; a cluster that is younger than that has nothing to be late.
        """
        now = now or datetime.datetime.now(datetime.timezone.utc)
        interval = interval_of(self._spec(etcd))
        limit, last = layout.LATE * interval, self._listed(etcd)[1].last()
        is_young = last is None and self._created is not None and now - self._created <= limit
        late = not is_young and (last is None or now - last > limit)
        return Schedule(self._directory(etcd), interval, last, late)

    def late(self, etcds: Iterable[str], now: datetime.datetime | None = None) -> list[str]:
        """Etcd clusters whose last backup is too old, each as a sentence."""
        now = now or datetime.datetime.now(datetime.timezone.utc)
        found = []
        for etcd in etcds:
            known = self.schedule(etcd, now)
            if known.late:
                age = f"is {_shown(now - known.last)} old" if known.last else "does not exist"
                found.append(
                    f"the last backup of etcd cluster {etcd} in {known.directory} {age}, and one is due every "
                    f"{_shown(known.interval)}"
                )
        return found

    def store(
        self,
        new: Iterable[NewBackup],
        *,
        hourly: str = "",
        daily: str = "",
        prune: bool = True,
        check: bool = False,
        now: datetime.datetime | None = None,
    ) -> Stored:
        """Store files as backups; with prune, remove expired backups of the same etcd clusters."""
        now = now or datetime.datetime.now(datetime.timezone.utc)
        done = Stored()
        for each in new:
            retention = self.retention(each.etcd, hourly, daily)
            listing = self._listed(each.etcd)[1]
            name = listing.free_name(now)
            added = self._backup(each.etcd, name)
            if not check:
                self._write(added, each, now)
            done.stored.append(added)
            if prune:
                over = [self._backup(each.etcd, gone) for gone in listing.over(retention, now, [name])]
                done.removed += over
                for backup in over if not check else ():
                    backup.path.remove_many([file.path for file in backup.path.list_tree()])
        return done

    def _backup(self, etcd: str, name: str) -> Backup:
        return Backup(etcd, name, self._directory(etcd).join(name))

    def _write(self, backup: Backup, new: NewBackup, now: datetime.datetime) -> None:
        with self._files.reading(new.source) as stream:
            new.check(stream)
            stream.seek(0)
            backup.path.join(DATA).upload(stream)
        backup.path.join(META).write(new.meta(now))

    def choose(
        self, etcds: Sequence[str] = (), names: Mapping[str, str] | None = None, before: str = ""
    ) -> list[Backup]:
        """Choose one backup of each etcd cluster: by name, or else the last one. before: none that is later.

        etcds: which etcd clusters; all that have backups if none is given. before: a time as names begin with.
        Raises KopsError, which lists what there is.
        """
        names = dict(names or {})
        limit = _parse_time(before) if before else None
        for etcd in (*etcds, *names):
            self._spec(etcd)
        wanted = list(dict.fromkeys([*etcds, *names])) or self.names()
        chosen = []
        for etcd in wanted:
            present = self.of(etcd)
            fitting = [backup for backup in present if _fits(backup, names.get(etcd, ""), limit)]
            if fitting:
                chosen.append(fitting[-1])
            elif etcds or names or limit:
                shown = ", ".join(backup.name for backup in present[-10:]) or "none"
                asked = names.get(etcd) or (f"no later than {before}" if before else "at all")
                raise KopsError(f"etcd cluster {etcd} has no backup {asked}; the last ones are: {shown}")
        if not chosen:
            raise KopsError(f"cluster {self._cluster} has no backups of etcd in its state store")
        return chosen

    def fetch(self, backup: Backup, directory: str) -> str:
        """Write a backup into a directory; returns the path of the file, which only its owner can read."""
        path = os.path.join(directory, f"{backup.etcd}.backup.gz")
        with self._files.writing(path) as stream:
            try:
                backup.path.join(DATA).download(stream)
            except FileNotFoundError as error:
                raise KopsError(f"the backup {backup.path} has no file {DATA}") from error
        return path

    def meta(self, backup: Backup) -> dict[str, Any]:
        """What is written beside a backup: etcdVersion, timestamp, clusterSpec; any may be missing."""
        try:
            found = json.loads(backup.path.join(META).read())
        except (FileNotFoundError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def _created(text: str | None) -> datetime.datetime | None:
    try:
        return layout.parse_time(text or "")
    except ValueError:
        return None


def _shown(length: datetime.timedelta) -> str:
    """A length of time for people: its two largest units."""
    seconds = int(length.total_seconds())
    units = ((seconds // 86400, "d"), (seconds // 3600 % 24, "h"), (seconds // 60 % 60, "min"), (seconds % 60, "s"))
    return " ".join(f"{number} {unit}" for number, unit in [each for each in units if each[0]][:2]) or "0 s"


def _parse_time(text: str) -> datetime.datetime:
    try:
        return layout.parse_time(text)
    except ValueError as error:
        raise KopsError(f"{text!r} is no time; write for example 2026-05-08T12:00:00Z") from error


def _fits(backup: Backup, name: str, limit: datetime.datetime | None) -> bool:
    if name:
        return backup.name == name
    return limit is None or (backup.time is not None and backup.time <= limit)
