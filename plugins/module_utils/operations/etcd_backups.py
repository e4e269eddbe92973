# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups of etcd in the state store, as kops' manager of etcd keeps them: it finds ours, and we find its.

Below ``spec.etcdClusters[].backups.backupStore``, one directory each: ``<time>-<sequence>/etcd.backup.gz``, and beside
it ``_etcd_backup.meta``, which is written last: without it there is no backup. The manager refuses fields that it does
not know, so that the file has its fields only.
Source: pkg/backup and pkg/backupcontroller/cleanup.go of kubernetes-sigs/etcd-manager.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any

from ..api.etcd import EtcdClusterSpec
from ..api.scalars import Duration
from ..base.errors import KopsError
from ..base.files import Files, LocalFiles
from ..statestore.store import ClusterStore
from ..statestore.vfs.open import open_path
from ..statestore.vfs.path import VFSPath

DATA, META = "etcd.backup.gz", "_etcd_backup.meta"
_NAME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)(?:-(.*))?")
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_HOUR, _DAY = datetime.timedelta(hours=1), datetime.timedelta(days=1)
_HOURLY, _DAILY = "7d", "2y"
_HOURLY_VARIABLE = "ETCD_MANAGER_HOURLY_BACKUPS_RETENTION"
_DAILY_VARIABLE = "ETCD_MANAGER_DAILY_BACKUPS_RETENTION"
_CHUNK = 1 << 20
_LOCAL = LocalFiles()
_EPOCH = datetime.datetime(1, 1, 1, tzinfo=datetime.timezone.utc)


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
        return _time_of(self.name)

    def plain(self) -> dict[str, Any]:
        """As results of modules show it."""
        time = self.time.strftime(_TIME) if self.time else ""
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
        """What is written beside it."""
        return json.dumps(
            {
                "etcdVersion": self.etcd_version,
                # Numbers of 64 bits are text in this dialect of JSON.
                "timestamp": str(int(now.timestamp())),
                "clusterSpec": {"memberCount": self.member_count, "etcdVersion": self.etcd_version},
            },
            indent=2,
        ).encode()


@dataclass(frozen=True)
class Retention:
    """For how long the first backup of each hour is kept, and then the first of each day."""

    hourly: datetime.timedelta
    daily: datetime.timedelta


@dataclass
class Stored:
    """What was done, or would be."""

    stored: list[Backup] = field(default_factory=list)
    removed: list[Backup] = field(default_factory=list)


class Backups:
    """The backups of a cluster's etcd clusters. Raises ClusterNotFound and StoreError.

    files: where backups come from and go to.
    """

    def __init__(self, state_store: str, cluster_name: str, files: Files = _LOCAL) -> None:
        self._files = files
        store = ClusterStore.open(state_store, cluster_name)
        cluster = store.read_cluster()
        self._specs = {str(etcd.name): etcd for etcd in cluster.spec.etcd_clusters}
        self._base = open_path(cluster.spec.config_store.base or store.path.path)
        self._cluster = cluster_name

    def names(self) -> list[str]:
        """The etcd clusters of the specification."""
        return list(self._specs)

    def of(self, etcd: str) -> list[Backup]:
        """All backups of an etcd cluster, oldest first."""
        return self._listed(etcd)[0]

    def _listed(self, etcd: str) -> tuple[list[Backup], list[Backup]]:
        """Backups; and what was begun and did not become one."""
        directory = self._directory(etcd)
        files: dict[str, dict[str, int]] = {}
        for listed in directory.list_tree():
            name, slash, file = listed.name.partition("/")
            if slash:
                files.setdefault(name, {})[file] = listed.size
        found = [Backup(etcd, name, directory.join(name), sum(files[name].values())) for name in sorted(files)]
        begun = [each for each in found if set(files[each.name]) == {DATA}]
        return [each for each in found if META in files[each.name]], begun

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
        """What counts for an etcd cluster: what is given, else what its specification says, else kops' own."""
        manager = self._spec(etcd).manager
        variables = {variable.name: variable.value for variable in manager.env} if manager else {}
        days = manager.backup_retention_days if manager else None
        by_specification = f"{days}d" if days is not None else variables.get(_DAILY_VARIABLE)
        return Retention(
            parse_age(hourly or variables.get(_HOURLY_VARIABLE) or _HOURLY),
            parse_age(daily or by_specification or _DAILY),
        )

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
        """Store files as backups; with prune remove those of the same etcd clusters whose time is over."""
        now = now or datetime.datetime.now(datetime.timezone.utc)
        done = Stored()
        for each in new:
            retention = self.retention(each.etcd, hourly, daily)
            present, begun = self._listed(each.etcd)
            name = _free_name(now, {backup.name for backup in (*present, *begun)})
            added = Backup(each.etcd, name, self._directory(each.etcd).join(name))
            if not check:
                self._write(added, each, now)
            done.stored.append(added)
            if prune:
                over = outdated([*present, added], retention, now) + _broken_off(begun, now)
                done.removed += over
                for backup in over if not check else ():
                    backup.path.remove_many([file.path for file in backup.path.list_tree()])
        return done

    def _write(self, backup: Backup, new: NewBackup, now: datetime.datetime) -> None:
        with self._files.reading(new.source) as stream:
            new.check(stream)
            stream.seek(0)
            backup.path.join(DATA).upload(stream)
        backup.path.join(META).write(new.meta(now))

    def choose(
        self, etcds: Sequence[str] = (), names: Mapping[str, str] | None = None, before: str = ""
    ) -> list[Backup]:
        """One backup of each etcd cluster: that of the name, or else the last one, no later than before if it is given.

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


def outdated(backups: Iterable[Backup], retention: Retention, now: datetime.datetime) -> list[Backup]:
    """The backups whose time is over: all but the first one of an hour, later of a day.

    What is younger than an hour stays, and what has a name that says no time.
    """
    first: dict[datetime.datetime, Backup] = {}
    over: list[Backup] = []
    for backup in sorted((each for each in backups if each.time), key=lambda each: each.name):
        time = backup.time or now
        age = now - time
        if age < _HOUR:
            continue
        if age >= max(retention.hourly, retention.daily):
            over.append(backup)
            continue
        size = _HOUR if age < retention.hourly else _DAY
        bucket = time - (time - _EPOCH) % size
        if first.setdefault(bucket, backup) != backup:
            over.append(backup)
    return over


def parse_age(text: str) -> datetime.timedelta:
    """A length of time: ``7d``, ``1y`` (365 days), or a duration of Go. Raises KopsError."""
    days = re.fullmatch(r"(\d+)([dy])", text)
    try:
        if days:
            return _DAY * int(days.group(1)) * (365 if days.group(2) == "y" else 1)
        return datetime.timedelta(seconds=Duration.parse(text).seconds)
    except ValueError as error:
        raise KopsError(f"{text!r} is no length of time; write for example 36h, 7d or 1y") from error


def _broken_off(begun: Iterable[Backup], now: datetime.datetime) -> list[Backup]:
    """What will never become a backup any more."""
    return [backup for backup in begun if backup.time and now - backup.time > _DAY]


def _free_name(now: datetime.datetime, taken: set[str]) -> str:
    prefix, sequence = now.strftime(_TIME), 1
    while f"{prefix}-{sequence:06d}" in taken:
        sequence += 1
    return f"{prefix}-{sequence:06d}"


def _time_of(name: str) -> datetime.datetime | None:
    found = _NAME.fullmatch(name)
    try:
        return _parse_time(found.group(1)) if found else None
    except KopsError:
        return None


def _parse_time(text: str) -> datetime.datetime:
    try:
        return datetime.datetime.strptime(text, _TIME).replace(tzinfo=datetime.timezone.utc)
    except ValueError as error:
        raise KopsError(f"{text!r} is no time; write for example 2026-05-08T12:00:00Z") from error


def _fits(backup: Backup, name: str, limit: datetime.datetime | None) -> bool:
    if name:
        return backup.name == name
    return limit is None or (backup.time is not None and backup.time <= limit)
