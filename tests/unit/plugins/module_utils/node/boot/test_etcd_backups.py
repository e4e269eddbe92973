# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command etcd-backups: what fails is said once, and tried again with growing pauses."""

from __future__ import annotations

import json
import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError, KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.etcd_backups import Task, keep_backups


def test_a_reason_is_said_once_and_pauses_grow(capsys: pytest.CaptureFixture[str]) -> None:
    now, asked, reasons = 0.0, [], ["no network", "no network", "403", ""]

    def act() -> str:
        asked.append(now)
        reason = reasons[len(asked) - 1]
        if reason:
            raise KopsError(reason)
        return "done"

    task = Task("backups", act, lambda: now)
    results = []
    for second in range(16):
        now = float(second)
        results.append(task.round())
        if results[-1]:
            break
    assert asked == [0, 2, 6, 14]
    assert results[-1] == "done"
    assert capsys.readouterr().out.splitlines() == [
        "kubeops: backups: no network",
        "kubeops: backups: 403",
        "kubeops: backups: works again",
    ]


def test_a_configuration_that_says_nothing_of_backups(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        keep_backups(str(tmp_path / "none"))
    boot = {"cloud": "aws", "cluster": "c", "instanceGroup": "g", "role": "ControlPlane", "store": "s3://s"}
    (tmp_path / "boot.json").write_text(json.dumps({**boot, "nodeConfigs": {}}))
    said = {"cloud": "aws", "control": "s3://s/control", "boot": str(tmp_path / "boot.json")}
    (tmp_path / "config.json").write_text(json.dumps({**said, "schedules": {"main": {"store": "s3://s"}}}))
    with pytest.raises(ConfigError, match="says no schedule of backups: 'interval'"):
        keep_backups(str(tmp_path / "config.json"))
