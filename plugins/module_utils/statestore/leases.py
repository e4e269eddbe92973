# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leases: a small JSON file that one writer of a cluster holds, renews and releases.

Every step is a conditional write, so the store decides which writer is first. A released lease stays as a record,
because not every store can delete conditionally. If the holder ran on this machine, its death is recognized at once.
Elsewhere, the lease must have expired, and no renewal may have been seen for as long (so clocks need not agree).
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import getpass
import json
import os
import random
import socket
import threading
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import KopsError
from ..base.options import named
from .vfs.path import StoreError, WriteConflict, WriteUncertain

if TYPE_CHECKING:
    from types import TracebackType

    from .vfs.path import VFSPath

# Seconds that a lease is valid without renewal; it is renewed after a third of that, and tried again sooner.
LIFETIME = 60.0
_SOON = 1 / 12
# Default seconds to wait for another writer: longer than the lease of a dead holder.
WAIT = 90.0
_POLL = (0.2, 2.0)
_TOO_LATE = "it could not be renewed in time"


class LeaseHeld(KopsError):
    """Another writer holds the lease. The message names it and its operation."""


class LeaseLost(KopsError):
    """The lease was broken, or could not be renewed in time. Nothing may be written any more."""


class Lease:
    """The right to write to one cluster, as a context manager.

    path: the lease file. operation: shown to processes that wait ("update cluster").
    wait: seconds to wait for another holder; 0 fails at once.
    break_existing: take the lease from its holder, which stops at its next write.
    undisturbed: when it is held, whether no other process has held it since look().
    """

    def __init__(
        self,
        path: VFSPath,
        operation: str,
        *,
        wait: float = WAIT,
        break_existing: bool = False,
        lifetime: float = LIFETIME,
    ) -> None:
        self.path = path
        self.operation = operation
        self.wait = wait
        self.break_existing = break_existing
        self.lifetime = lifetime
        self.undisturbed = False
        self._looked_at: tuple[dict[str, Any], str] | None = None
        self._token = uuid.uuid4().hex
        self._etag = ""
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._lost = ""
        self._good_until = 0.0
        # What was written last, also if nobody knows whether it was: when, as the record says it, and by our clock.
        self._attempt = ("", 0.0)
        self._renewer: threading.Thread | None = None

    def __enter__(self) -> Lease:
        self._acquire()
        self._renewer = threading.Thread(target=self._renew_regularly, name="lease", daemon=True)
        self._renewer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._renewer is not None:
            self._renewer.join()
        if not self._lost:
            # Fails if the lease was broken or removed with its cluster. Without a connection, the lease expires.
            with contextlib.suppress(WriteConflict, StoreError):
                self._write({"released": _text(_now()), "operation": self.operation, "holder": whoami()})

    def ensure(self) -> None:
        """Raise LeaseLost unless we still hold the lease. Call it before each write."""
        if not self._lost and _clock() >= self._good_until:
            self._lost = _TOO_LATE
        if self._lost:
            raise LeaseLost(f"the lease {self.path} was lost while working on {self.operation}: {self._lost}")

    # -- acquiring ----------------------------------------------------------------------------------------------

    def look(self) -> bool:
        """Whether the lease is free at the moment.

        Call it before reading what decides about the work: if there is nothing to write, the lease is not needed. If it
        is `undisturbed` later when it is taken, the data that was read is still valid.
        """
        self._looked_at = read_lease(self.path)
        return _is_free(self._looked_at[0], unseen_for_long=False)

    def _acquire(self) -> None:
        deadline = _clock() + self.wait
        observed_etag, observed_since = "", _clock()
        while True:
            looked_at, self._looked_at = self._looked_at, None
            record, etag = looked_at or read_lease(self.path)
            if etag != observed_etag:
                observed_etag, observed_since = etag, _clock()
            unseen = _clock() - observed_since
            if self.break_existing or _is_free(record, unseen >= self.lifetime / 2):
                if self._try_to_take(etag):
                    # If it was broken, it was held when look() was called: its holder may have written since.
                    self.undisturbed = looked_at is not None and _is_free(record, unseen_for_long=False)
                    return
                continue
            if _clock() >= deadline:
                raise LeaseHeld(f"{describe(record)}; waited {self.wait:g} s. {_HOW_TO_BREAK}")
            time.sleep(min(random.uniform(*_POLL), max(deadline - _clock(), 0.01)))  # noqa: S311

    def _try_to_take(self, etag: str) -> bool:
        self._etag = etag
        try:
            self._write(self._record(), create=not etag)
        except (WriteConflict, WriteUncertain):
            # The SDK may have retried a write that had succeeded: then the record is already ours.
            if not self._is_ours():
                return False
        if not self.path.settles:
            return True
        time.sleep(self.path.settles)
        return self._is_ours()

    def _is_ours(self) -> bool:
        """Whether the store has our record; if it is the one that was written last, the lease is good from then on."""
        record, self._etag = read_lease(self.path)
        written, moment = self._attempt
        if record.get("token") == self._token and record.get("renewed") == written:
            self._good_until = moment + self.lifetime
        return record.get("token") == self._token

    # -- holding ------------------------------------------------------------------------------------------------

    def _record(self) -> dict[str, Any]:
        now = _now()
        return {
            "holder": whoami(),
            "pid": os.getpid(),
            "process": _process_identity(os.getpid()),
            "operation": self.operation,
            "token": self._token,
            "renewed": _text(now),
            "expires": _text(now + datetime.timedelta(seconds=self.lifetime)),
        }

    def _write(self, record: dict[str, Any], create: bool = False) -> None:
        data = (json.dumps(record, indent=2, sort_keys=True) + "\n").encode()
        started = _clock()
        self._attempt = str(record.get("renewed")), started
        with self._lock:
            if create:
                self._etag = self.path.write(data, if_none_match=True)
            else:
                self._etag = self.path.write(data, if_match=self._etag)
            self._good_until = started + self.lifetime

    def _renew_regularly(self) -> None:
        while not self._lost and not self._stop.wait(self._pause()):
            # The error may be temporary: ensure() decides when it is too late.
            with contextlib.suppress(StoreError):
                self._renew()

    def _pause(self) -> float:
        """Seconds until the next renewal: a third after the last one, or soon if that has not come through."""
        due = self._good_until - self.lifetime * 2 / 3
        return max(due - _clock(), self.lifetime * _SOON)

    def _renew(self) -> None:
        try:
            self._write(self._record())
        except (WriteConflict, WriteUncertain):
            # What was written before may have arrived although nobody said so; what the store has then, counts.
            time.sleep(self.path.settles)
            if _clock() >= self._good_until:
                # Somebody else may have had it between then and now.
                self._lost = _TOO_LATE
            elif not self._is_ours():
                record, _etag = read_lease(self.path)
                self._lost = f"now {describe(record)}" if "holder" in record else "the lease file was removed"


# CLOCK_BOOTTIME also counts the time while a laptop sleeps.
_clock = (
    functools.partial(time.clock_gettime, time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic
)
_HOW_TO_BREAK = f"If that process no longer runs, break its lease: set {named('break_lease')}"


def read_lease(path: VFSPath) -> tuple[dict[str, Any], str]:
    """The record in a lease file and its etag; ({}, "") if there is none."""
    try:
        data, etag = path.read_tagged()
    except FileNotFoundError:
        return {}, ""
    try:
        record = json.loads(data)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise StoreError(f"{path} is not a lease record; remove the file if no other writer is running")
    return record, etag


def describe(record: dict[str, Any]) -> str:
    """One line that describes the holder of a lease."""
    return (
        f"{record.get('holder')} (pid {record.get('pid')}) holds the lease for {record.get('operation')!r} "
        f"until {record.get('expires')}"
    )


def whoami() -> str:
    """user@host of this process."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"


def _is_free(record: dict[str, Any], unseen_for_long: bool) -> bool:
    if not record or "released" in record:
        return True
    if _holder_died_here(record):
        return True
    return unseen_for_long and _now() >= _parse(str(record.get("expires")))


def _holder_died_here(record: dict[str, Any]) -> bool:
    theirs, mine = str(record.get("process", "")), _process_identity(os.getpid())
    same_machine = bool(mine) and theirs.rpartition("/")[0] == mine.rpartition("/")[0]
    return same_machine and _process_identity(int(record.get("pid", 0))) != theirs


def _process_identity(pid: int) -> str:
    """boot/pid-namespace/start-time: the same text only for the same process; "" if the system does not provide it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        namespace = Path("/proc/self/ns/pid").readlink()
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    # Fields 3 and 22 of proc(5). A zombie has ended, although its process id is still in use.
    return "" if fields[0] == "Z" else f"{boot}/{namespace}/{fields[19]}"


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


def _text(moment: datetime.datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _parse(text: str) -> datetime.datetime:
    try:
        return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
    except ValueError:
        return datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)
