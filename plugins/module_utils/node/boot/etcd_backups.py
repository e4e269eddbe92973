# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``etcd-backups``: backups on schedule on a control plane of a cloud, and restores that a user orders.

What etcd-manager does for an etcd cluster besides running it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from ...base.errors import ConfigError, KopsError
from ...exchange.etcd_restores import Order
from ...exchange.settings import EtcdBackupsSettings as Settings
from .. import boot_file
from ..clouds import this_instance
from ..etcd.ordered_restore import OrderedRestore
from ..etcd.scheduled import Backups, Schedule
from ..stores.by_scheme import StoreByScheme
from ..system.json_files import load
from ..system.waiting import say

# Seconds between two looks for an order, without one and with one that is not complete.
_PAUSE, _RESTORING = 10.0, 1.0
# Seconds after a failure.
_FIRST_PAUSE, _LAST_PAUSE = 2.0, 60.0


class Task:
    """Something that is done again and again, with growing pauses while it fails. name: in the journal."""

    def __init__(self, name: str, act: Callable[[], object], clock: Callable[[], float] = time.monotonic) -> None:
        self.name, self._act, self._clock = name, act, clock
        self._told, self._pause, self._next = "", _FIRST_PAUSE, 0.0

    def round(self) -> object:
        """What it returns; None if it fails, or has just failed. Each reason is said once."""
        if self._clock() < self._next:
            return None
        try:
            result = self._act()
        except (KopsError, OSError) as error:
            reason = str(error) or type(error).__name__
            if reason != self._told:
                say(f"{self.name}: {reason}")
            self._told, self._next = reason, self._clock() + self._pause
            self._pause = min(2 * self._pause, _LAST_PAUSE)
            return None
        if self._told:
            say(f"{self.name}: works again")
        self._told, self._pause = "", _FIRST_PAUSE
        return result


def keep_backups(path: str = Settings.FILE) -> None:
    """Make backups and follow orders for ever. Raises ConfigError."""
    settings = load(Settings, path)
    os.environ.update(boot_file.read(settings.boot).environment)
    store = StoreByScheme(this_instance(settings.cloud))
    try:
        schedules = {etcd: Schedule.read(each) for etcd, each in settings.schedules.items()}
    except (TypeError, KeyError, ValueError) as error:
        raise ConfigError([f"{path} says no schedule of backups: {error}"]) from error
    restore = Task("a restore of etcd", OrderedRestore(store, settings.control, say).round)
    backups = {
        etcd: Task(f"backups of etcd cluster {etcd}", Backups(etcd, each, store).round)
        for etcd, each in sorted(schedules.items())
    }
    while True:
        order = restore.round()
        # An order whose controller was killed before it began may stay for long.
        is_stopping = isinstance(order, Order) and order.go
        for etcd, task in backups.items() if not is_stopping else ():
            done = task.round()
            if done:
                say(f"etcd cluster {etcd}: {done}")
        time.sleep(_RESTORING if order else _PAUSE)
