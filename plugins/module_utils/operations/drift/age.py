# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ages that are too high: of etcd's backups, and of certificates in the state store."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...exchange.etcd_backups import TIME
from ..etcd.backups import Backups
from .finding import DIFFERENT, STORE, Finding

# Control planes of clouds make them by themselves.
_LOOK = "kubeops.kops.validate_cluster says what is wrong with the control planes (docs/backup.md)"
_BACK_UP = "kubeops.kops.etcd_backup with the inventory of the hosts (-i hosts.yml)"
_ROTATE = "kubeops.kops.rotate"


def of_backups(backups: Backups, now: datetime.datetime, *, by_hosts: bool) -> Iterator[Finding]:
    """Etcd clusters whose last backup is too old. by_hosts: on bare metal, where a playbook makes them."""
    for etcd in backups.names():
        for problem in backups.late([etcd], now):
            yield Finding(STORE, DIFFERENT, "EtcdBackups", etcd, reason=problem, mend=_BACK_UP if by_hosts else _LOOK)


def of_keypairs(pairs: Iterable[Mapping[str, Any]], days: int, now: datetime.datetime) -> Iterator[Finding]:
    """Certificates that are used and will have expired in so many days. pairs: as keypair_info returns them."""
    limit = (now + datetime.timedelta(days=days)).strftime(TIME)
    for each in pairs:
        ends = each.get("not_after", "")
        if ends and ends < limit and not each["distrusted"]:
            name = f"{each['keyset']}/{each['id']}"
            yield Finding(STORE, DIFFERENT, "Keypair", name, reason=f"its certificate expires {ends}", mend=_ROTATE)
