# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The unit of a control plane that backs up etcd on schedule."""

from __future__ import annotations

import json

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import EtcdBackupsSettings as Settings
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.scheduled import Schedule

from ..conftest import by

UNIT = "kubeops-etcd-backups.service"


def test_a_control_plane_backs_up_its_etcd_clusters(config_of):
    config = config_of("control-plane", on_metal=False)
    settings = Settings(**json.loads(by("path", config["files"])[Settings.FILE]["content"]))
    assert settings.cloud == "aws"
    assert settings.control.endswith("/demo.example.com/backups/etcd/main/control")
    # Where booting has its files of the same directory.
    assert settings.control == config["etcdControl"]["main"]
    assert set(settings.schedules) == {"main", "events"}
    schedule = Schedule.read(settings.schedules["main"])
    assert schedule.store == settings.control.removesuffix("/control")
    assert schedule.interval == 900
    assert schedule.retention.hourly.days == 7
    unit = by("name", config["units"])[UNIT]
    assert f"etcd-backups --config {Settings.FILE}" in unit["content"]
    assert set(unit["restartOn"]) == set(unit["quietRestartOn"]) == {f"file:{Settings.FILE}"}


def test_others_have_no_such_unit(config_of):
    for group, on_metal in (("control-plane", True), ("nodes", True), ("nodes", False)):
        assert UNIT not in by("name", config_of(group, on_metal=on_metal)["units"])
