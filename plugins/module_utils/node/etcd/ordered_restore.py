# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A restore that a controller has ordered in the store, on one of the hosts that take part.

What was done is on the disks and in the host's report. A phase that was broken off, by a killed process or by a boot,
is done again: each of them leaves alone what it has done already.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection
from typing import Optional, Protocol

from ...base.errors import KopsError
from ...exchange.etcd_backups import DATA
from ...exchange.etcd_restores import (
    PHASES,
    PREPARED,
    PRESENT,
    STARTED,
    STOPPED,
    SWAPPED,
    HostReport,
    Order,
    order_of,
    report_of,
)
from ..system import atomic, lock
from ..system.host import Host
from .manifest import in_root, local_members
from .observe import observe_members
from .restore import PREPARED as RESTORING
from .restore import TIMEOUT, Restore
from .scheduled import DIRECTORY
from .snapshot import archive_of

# Seconds to wait for who converges the host.
_LOCK_WAIT = 120


class Store(Protocol):
    """Where order, reports and backups are. All methods raise KopsError or OSError."""

    def read(self, url: str) -> bytes | None:
        """A file; None if there is none."""

    def write(self, url: str, content: bytes) -> None:
        """Write a file."""

    def download(self, url: str, path: str) -> None:
        """Write a file, which must be there, to a local one."""


class OrderedRestore:
    """The restores of this host. control: URL of the directory of the order. say: tells what is done."""

    def __init__(
        self,
        store: Store,
        control: str,
        say: Callable[[str], None],
        *,
        root: str = "/",
        host: Optional[Host] = None,
        lock_file: str = lock.PATH,
        timeout: float = TIMEOUT,
    ) -> None:
        self._store, self._control, self._say = store, control, say
        self._root, self._host, self._lock, self._timeout = root, host, lock_file, timeout
        self._mine: Optional[HostReport] = None

    def round(self) -> Optional[Order]:
        """Do what is to be done now. Returns the restore that is under way. Raises KopsError, OSError."""
        content = self._store.read(order_of(self._control))
        if content is None:
            self._forget()
            return None
        order = Order.read(content)
        members = [each for each in observe_members(self._root) if each["manifest"] and each["etcd"] in order.backups]
        if not members:
            return None
        members.sort(key=lambda each: (each["etcd"] != "main", each["etcd"]))
        host = f"{members[0]['etcd']}-{members[0]['member']}"
        mine = self._known(order, host)
        if (mine is not None and mine.has(STARTED)) or (order.hosts and host not in order.hosts):
            return None
        if mine is None:
            self._say(f"restore {order.restore} of etcd: this host is present")
            mine = self._tell(HostReport(order.restore, host, PRESENT, "", members))
        if order.hosts:
            self._go_on(order, mine)
        return order

    def _forget(self) -> None:
        """Remove the data of a restore that was withdrawn."""
        if self._mine is not None and self._mine.phase == PREPARED:
            for member in local_members(self._root).values():
                shutil.rmtree(in_root(self._root, f"{member.volume}/{RESTORING}"), ignore_errors=True)
            self._say(f"restore {self._mine.restore} of etcd: it was withdrawn")
        self._mine = None

    def _known(self, order: Order, host: str) -> Optional[HostReport]:
        """What this host has said of this restore."""
        if self._mine is None or (self._mine.restore, self._mine.host) != (order.restore, host):
            self._mine = self._report(order, host)
        return self._mine

    def _report(self, order: Order, host: str) -> Optional[HostReport]:
        content = self._store.read(report_of(self._control, host))
        report = HostReport.read(content) if content is not None else None
        return report if report is not None and report.restore == order.restore else None

    def _tell(self, report: HostReport) -> HostReport:
        self._store.write(report_of(self._control, report.host), report.text())
        self._mine = report
        return report

    def _go_on(self, order: Order, mine: HostReport) -> None:
        """The next phase, if all hosts are ready for it. Raises what hinders it, which is in the report then."""
        phase = PHASES[PHASES.index(mine.phase) + 1]
        if phase != PREPARED and not (order.go and self._all_have(order, mine.phase)):
            return
        try:
            with lock.held(self._lock, wait=_LOCK_WAIT):
                self._do(order, phase)
        except (KopsError, OSError) as error:
            if str(error) != mine.error:
                self._tell(HostReport(mine.restore, mine.host, mine.phase, str(error), mine.members))
            raise
        self._tell(HostReport(mine.restore, mine.host, phase, "", mine.members))
        self._say(f"restore {order.restore} of etcd: this host is {phase}")

    def _all_have(self, order: Order, phase: str) -> bool:
        for host in order.hosts:
            report = self._report(order, host)
            if report is None or not report.has(phase):
                return False
        return True

    def _do(self, order: Order, phase: str) -> None:
        restore = Restore(
            order.restore, sorted(self._own(order)), root=self._root, host=self._host, timeout=self._timeout
        )
        if phase == PREPARED:
            self._prepare(order, restore)
        elif phase == STOPPED:
            restore.stop()
        elif phase == SWAPPED:
            # A boot in between has started them again.
            restore.stop()
            restore.swap()
        else:
            restore.start()

    def _own(self, order: Order) -> Collection[str]:
        """The etcd clusters of the restore that this host has members of."""
        return {each["etcd"] for each in observe_members(self._root) if each["manifest"]} & order.backups.keys()

    def _prepare(self, order: Order, restore: Restore) -> None:
        directory = in_root(self._root, DIRECTORY)
        os.makedirs(directory, mode=0o700, exist_ok=True)
        archives = {etcd: archive_of(directory, etcd) for etcd in self._own(order)}
        try:
            for etcd, path in archives.items():
                self._store.download(f"{order.backups[etcd].rstrip('/')}/{DATA}", path)
            restore.prepare(DIRECTORY, order.members)
        finally:
            for path in archives.values():
                atomic.remove(path)
