# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The layout of backups of etcd, and how long they stay."""

from __future__ import annotations

import datetime

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.etcd_backups import (
    Listing,
    Retention,
    outdated,
)

NOW = datetime.datetime(2026, 5, 8, 12, 30, tzinfo=datetime.timezone.utc)


def at(age: datetime.timedelta) -> str:
    return f"{NOW - age:%Y-%m-%dT%H:%M:%SZ}-000001"


def kept(*ages: datetime.timedelta) -> list[datetime.timedelta]:
    """What stays of backups with these ages."""
    retention = Retention(datetime.timedelta(days=7), datetime.timedelta(days=90))
    over = outdated([at(age) for age in ages], retention, NOW)
    return [age for age in ages if at(age) not in over]


def test_how_long_backups_stay() -> None:
    minute, hour, day = (datetime.timedelta(minutes=count) for count in (1, 60, 1440))
    young = [15 * minute * count for count in range(4)]
    assert kept(*young) == young
    # 10:29 and 10:14, 09:59 and 09:44 (it is 12:30): the first one of each hour.
    assert kept(121 * minute, 136 * minute, 151 * minute, 166 * minute) == [136 * minute, 166 * minute]
    # The first one of the day from the eighth day on.
    assert kept(8 * day, 8 * day + hour, 8 * day + 2 * hour, 9 * day) == [8 * day + 2 * hour, 9 * day]
    assert kept(89 * day, 91 * day) == [89 * day]


def test_names_that_say_no_time_stay() -> None:
    odd = ["mine", "2020-13-01T00:00:00Z-000001"]
    nothing = Retention(datetime.timedelta(0), datetime.timedelta(0))
    assert outdated(odd, nothing, NOW) == []
    assert outdated([at(datetime.timedelta(days=1))], nothing, NOW) == [at(datetime.timedelta(days=1))]
    without_sequence = "2020-01-01T00:00:00Z"
    assert outdated([without_sequence], nothing, NOW) == [without_sequence]


def test_a_listing() -> None:
    old, begun = "2026-05-06T00:00:00Z-000001", "2026-05-07T12:00:00Z-000001"
    files = [
        f"{old}/etcd.backup.gz",
        f"{old}/_etcd_backup.meta",
        f"{begun}/etcd.backup.gz",
        "control/etcd-cluster-spec",
    ]
    listing = Listing.of([*files, f"{at(datetime.timedelta(0))}/etcd.backup.gz", "odd/_etcd_backup.meta"])
    assert listing.complete == (old, "odd")
    assert listing.last() == datetime.datetime(2026, 5, 6, tzinfo=datetime.timezone.utc)
    assert Listing.of([]).last() is None
    assert listing.free_name(NOW) == "2026-05-08T12:30:00Z-000002"
    day = datetime.timedelta(days=1)
    assert listing.over(Retention(day, 90 * day), NOW) == [begun]
    assert listing.over(Retention(day, 2 * day), NOW, [at(3 * day)]) == [at(3 * day), old, begun]
