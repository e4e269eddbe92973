# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that the controller writes are those that a program reads."""

from __future__ import annotations

import json
import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import (
    BootstrapServerSettings,
    ControllersSettings,
    EtcdBackupsSettings,
    EtcdNamesSettings,
    Settings,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.json_files import load

ALL = [
    ControllersSettings("aws", "demo", "i-1", "s3://store/demo", "/root/kubeconfig", lock="/run/other.lock"),
    BootstrapServerSettings("aws", "demo", "s3://store/demo", {"roles": ["a"]}, 3988, "c", "k", "ca", "i-1"),
    EtcdBackupsSettings("aws", "s3://store/demo/control", {"main": {"store": "s3://store", "interval": 900.0}}),
    EtcdNamesSettings("aws", "demo", "/etc/hosts", {"main": "{member}.etcd"}),
]


@pytest.mark.parametrize("settings", ALL, ids=lambda each: type(each).__name__)
def test_what_is_written_is_read(settings: Settings, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(settings.text())
    assert load(type(settings), str(path)) == settings


def test_what_is_so_anyway_is_not_written() -> None:
    said = json.loads(ALL[1].text())
    assert said.keys().isdisjoint({"kubeconfig", "elsewhere", "named_by_address"})
    assert "lock" in json.loads(ALL[0].text())


def test_files_are_apart() -> None:
    assert len({type(each).FILE for each in ALL}) == len(ALL)
