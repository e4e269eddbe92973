# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups of etcd on schedule, made by the control plane whose member leads an etcd cluster.

The leader of etcd decides, not a Lease: a backup is made as well when there is no API server. A new leader looks into
the store for the last backup. A backup is there when its second file is, which is written last; so what is broken off
is none, and is removed a day later.
"""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ...base.errors import KopsError
from ...exchange.etcd_backups import DATA, META, Listing, Retention, meta
from ..system import atomic
from .manifest import in_root, local_members
from .snapshot import archive_of, take

# Files are here until they are in the store; as on hosts (playbook etcd_backup).
DIRECTORY = "/var/lib/kops/etcd-backups"
# Seconds after which a member that does not lead looks again, at the latest.
_AGAIN = 30.0


class Store(Protocol):
    """Where backups go. All methods raise KopsError or OSError."""

    def names(self, url: str) -> list[str]:
        """The paths of all files below a directory."""

    def upload(self, url: str, path: str, sha256: str) -> None:
        """Write a local file, whole or not at all."""

    def write(self, url: str, content: bytes) -> None:
        """Write a file."""

    def remove(self, url: str) -> None:
        """Remove a file, if it is there."""


@dataclass(frozen=True)
class Schedule:
    """How an etcd cluster is backed up. store: URL of the directory of its backups.

    interval: seconds between two. hourly, daily: for how many seconds the first one of an hour, and of a day, is kept.
    """

    store: str
    interval: float
    hourly: float
    daily: float

    @classmethod
    def read(cls, data: Mapping[str, object]) -> Schedule:
        """From the node's configuration. Raises TypeError, KeyError, ValueError."""
        numbers = (float(str(data[name])) for name in ("interval", "hourly", "daily"))
        return cls(str(data["store"]), *numbers)

    @property
    def retention(self) -> Retention:
        """For how long they are kept."""
        return Retention(datetime.timedelta(seconds=self.hourly), datetime.timedelta(seconds=self.daily))


class Backups:
    """The backups of one etcd cluster, as a host with a member sees them.

    now: the time. clock: seconds that only grow. root: "/", except in tests.
    """

    def __init__(
        self,
        etcd: str,
        schedule: Schedule,
        store: Store,
        *,
        root: str = "/",
        now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.timezone.utc),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.etcd, self._schedule, self._store = etcd, schedule, store
        self._root, self._now, self._clock = root, now, clock
        self._next = 0.0

    def round(self) -> str:
        """Make a backup if one is due and this member leads. Returns what was done; "" if nothing.

        Raises KopsError, OSError; the next call tries it again.
        """
        if self._clock() < self._next:
            return ""
        started, now = self._clock(), self._now()
        member = local_members(self._root).get(self.etcd)
        if member is None or not member.client(self._root, only_local=True).status().is_leader:
            self._next = started + min(_AGAIN, self._schedule.interval)
            return ""
        listing = Listing.of(self._store.names(self._schedule.store))
        last = listing.last()
        # A time that is still to come is that of a wrong clock, and no reason to wait.
        age = (now - last).total_seconds() if last and last <= now else self._schedule.interval
        if age < self._schedule.interval:
            self._next = started + self._schedule.interval - age
            return ""
        done = self._make(listing, now)
        self._next = started + (self._schedule.interval if done else _AGAIN)
        return f"{done}, in {self._clock() - started:.1f} s" if done else ""

    def _make(self, listing: Listing, now: datetime.datetime) -> str:
        member = local_members(self._root)[self.etcd]
        directory = in_root(self._root, DIRECTORY)
        os.makedirs(directory, mode=0o700, exist_ok=True)
        size = member.client(self._root, only_local=True).status().size
        if size > atomic.free_space(directory):
            raise KopsError(f"{DIRECTORY} has no room for a database of {size} bytes")
        path = archive_of(directory, self.etcd)
        try:
            taken = take(member, DIRECTORY, root=self._root, leader_only=True)
            if taken is None:
                return ""
            name = listing.free_name(now)
            place = f"{self._schedule.store.rstrip('/')}/{name}"
            self._store.upload(f"{place}/{DATA}", path, taken.sha256)
            self._store.write(f"{place}/{META}", meta(taken.etcd_version, taken.member_count, now))
        finally:
            atomic.remove(path)
        over = listing.over(self._schedule.retention, now, [name])
        for each in over:
            # Without its second file it is no backup any more, so that file goes first.
            for file in (META, DATA):
                self._store.remove(f"{self._schedule.store.rstrip('/')}/{each}/{file}")
        removed = f", {len(over)} older ones are removed" if over else ""
        return f"backup {name} has {taken.size} bytes, up to revision {taken.revision}{removed}"
