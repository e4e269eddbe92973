# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How backups of etcd are kept in a store, and for how long: for who makes them, on a controller or on a node.

One directory each: ``<time>-<sequence>/etcd.backup.gz``, and beside it ``_etcd_backup.meta``, which is written last:
without it there is no backup. kops' manager of etcd finds ours, and we find its. It refuses fields that it does not
know, so that the second file has its fields only.
Source: pkg/backup and pkg/backupcontroller/cleanup.go of kubernetes-sigs/etcd-manager.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Optional

DATA, META = "etcd.backup.gz", "_etcd_backup.meta"
TIME = "%Y-%m-%dT%H:%M:%SZ"
# If the last backup is older than so many intervals, something is wrong.
LATE = 3
_NAME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)(?:-(.*))?")
_HOUR, _DAY = datetime.timedelta(hours=1), datetime.timedelta(days=1)
_EPOCH = datetime.datetime(1, 1, 1, tzinfo=datetime.timezone.utc)


@dataclass(frozen=True)
class Retention:
    """For how long the first backup of each hour is kept, and then the first of each day."""

    hourly: datetime.timedelta
    daily: datetime.timedelta


@dataclass(frozen=True)
class Listing:
    """The names in a store. complete: the backups, oldest first. begun: what is not complete yet, or never will be."""

    complete: tuple[str, ...]
    begun: tuple[str, ...]

    @classmethod
    def of(cls, files: Iterable[str]) -> Listing:
        """The backups of a directory. files: all paths below it."""
        found: dict[str, set[str]] = {}
        for path in files:
            name, slash, file = path.partition("/")
            if slash:
                found.setdefault(name, set()).add(file)
        return cls(
            tuple(sorted(name for name, has in found.items() if META in has)),
            tuple(sorted(name for name, has in found.items() if has == {DATA})),
        )

    def last(self) -> Optional[datetime.datetime]:
        """When the last backup was stored; None without one whose name says it."""
        return max((time for name in self.complete if (time := time_of(name))), default=None)

    def free_name(self, now: datetime.datetime) -> str:
        """The name of a new backup."""
        prefix, sequence = now.strftime(TIME), 1
        while f"{prefix}-{sequence:06d}" in (*self.complete, *self.begun):
            sequence += 1
        return f"{prefix}-{sequence:06d}"

    def over(self, retention: Retention, now: datetime.datetime, added: Collection[str] = ()) -> list[str]:
        """Those whose time is over, and what will never become a backup any more. added: backups made meanwhile."""
        broken_off = [name for name in self.begun if (time := time_of(name)) and now - time > _DAY]
        return outdated([*self.complete, *added], retention, now) + broken_off


def outdated(names: Iterable[str], retention: Retention, now: datetime.datetime) -> list[str]:
    """The backups whose time is over: all but the first one of an hour, later of a day.

    What is younger than an hour stays, and what has a name that says no time.
    """
    first: dict[datetime.datetime, str] = {}
    over: list[str] = []
    for name, time in ((name, time_of(name)) for name in sorted(names)):
        if time is None or now - time < _HOUR:
            continue
        age = now - time
        if age >= max(retention.hourly, retention.daily):
            over.append(name)
            continue
        size = _HOUR if age < retention.hourly else _DAY
        bucket = time - (time - _EPOCH) % size
        if first.setdefault(bucket, name) != name:
            over.append(name)
    return over


def time_of(name: str) -> Optional[datetime.datetime]:
    """When a backup was stored; None for a name that says nothing of it."""
    found = _NAME.fullmatch(name)
    try:
        return parse_time(found.group(1)) if found else None
    except ValueError:
        return None


def parse_time(text: str) -> datetime.datetime:
    """A time as names begin with. Raises ValueError."""
    return datetime.datetime.strptime(text, TIME).replace(tzinfo=datetime.timezone.utc)


def meta(etcd_version: str, member_count: int, now: datetime.datetime) -> bytes:
    """The content of the second file."""
    return json.dumps(
        {
            "etcdVersion": etcd_version,
            # Numbers of 64 bits are text in this dialect of JSON.
            "timestamp": str(int(now.timestamp())),
            "clusterSpec": {"memberCount": member_count, "etcdVersion": etcd_version},
        },
        indent=2,
    ).encode()
