# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How often etcd is backed up, and for how long backups are kept: what the specification says, else kops' defaults.

Source: cmd/etcd-manager and pkg/backupcontroller/cleanup.go of kubernetes-sigs/etcd-manager.
"""

from __future__ import annotations

import datetime
import re

from ..base.errors import KopsError
from .etcd import EtcdClusterSpec
from .scalars import Duration

_INTERVAL = datetime.timedelta(minutes=15)
_HOURLY, _DAILY = "7d", "2y"
_HOURLY_VARIABLE = "ETCD_MANAGER_HOURLY_BACKUPS_RETENTION"
_DAILY_VARIABLE = "ETCD_MANAGER_DAILY_BACKUPS_RETENTION"
_DAY = datetime.timedelta(days=1)


def interval_of(etcd: EtcdClusterSpec) -> datetime.timedelta:
    """The time between two backups."""
    given = etcd.manager.backup_interval if etcd.manager else None
    seconds = Duration(given).seconds if given else 0
    return datetime.timedelta(seconds=seconds) if seconds > 0 else _INTERVAL


def retention_of(etcd: EtcdClusterSpec, hourly: str = "", daily: str = "") -> tuple[datetime.timedelta, ...]:
    """For how long the first backup of each hour is kept, and the first of each day.

    hourly, daily: go before what the specification says. Raises KopsError for what is no length of time.
    """
    manager = etcd.manager
    variables = {variable.name: variable.value for variable in manager.env} if manager else {}
    days = manager.backup_retention_days if manager else None
    by_specification = f"{days}d" if days is not None else variables.get(_DAILY_VARIABLE)
    return (
        parse_age(hourly or variables.get(_HOURLY_VARIABLE) or _HOURLY),
        parse_age(daily or by_specification or _DAILY),
    )


def parse_age(text: str) -> datetime.timedelta:
    """A length of time: ``7d``, ``1y`` (365 days), or a duration of Go. Raises KopsError."""
    days = re.fullmatch(r"(\d+)([dy])", text)
    try:
        if days:
            return _DAY * int(days.group(1)) * (365 if days.group(2) == "y" else 1)
        return datetime.timedelta(seconds=Duration.parse(text).seconds)
    except ValueError as error:
        raise KopsError(f"{text!r} is no length of time; write for example 36h, 7d or 1y") from error
