# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How often etcd is backed up, and for how long backups are kept."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.etcd import EtcdClusterSpec, EtcdManagerSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.etcd_schedule import interval_of, parse_age
from ansible_collections.kubeops.kops.plugins.module_utils.api.scalars import Duration
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError


def test_lengths_of_time() -> None:
    assert parse_age("1h30m") == datetime.timedelta(minutes=90)
    with pytest.raises(KopsError, match="'soon' is no length of time; write for example 36h, 7d or 1y"):
        parse_age("soon")


def test_the_interval() -> None:
    assert interval_of(EtcdClusterSpec()) == datetime.timedelta(minutes=15)
    for text, minutes in (("1m", 1), ("0s", 15)):
        spec = EtcdClusterSpec(manager=EtcdManagerSpec(backup_interval=Duration(text)))
        assert interval_of(spec) == datetime.timedelta(minutes=minutes)
