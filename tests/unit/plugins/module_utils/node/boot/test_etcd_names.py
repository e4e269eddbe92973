# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file that says where members of etcd are."""

from __future__ import annotations

import json
import pathlib
import time
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError, KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import EtcdNamesSettings
from ansible_collections.kubeops.kops.plugins.module_utils.node import boot_file
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import etcd_names
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.etcd_names import keep_names, update
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.json_files import load

LOCAL = "127.0.0.1 localhost\n::1 localhost\n"


class Cloud:
    """places: where the members are, or why that is not known."""

    def __init__(self, places: Any) -> None:
        self.places = places

    def etcd_addresses(self, cluster: str) -> dict[tuple[str, str], str]:
        assert cluster == "demo"
        if isinstance(self.places, Exception):
            raise self.places
        return dict(self.places)


@pytest.fixture()
def names(tmp_path: pathlib.Path) -> EtcdNamesSettings:
    return EtcdNamesSettings("aws", "demo", str(tmp_path / "hosts"), {"main": "{member}.main", "events": "{member}.ev"})


def test_the_content_changes_and_the_file_stays(names: EtcdNamesSettings) -> None:
    file = pathlib.Path(names.file)
    file.write_text(LOCAL)
    inode = file.stat().st_ino
    # Members that came later have names, too; other clusters of etcd have none.
    cloud: Any = Cloud(
        {("main", "a"): "10.0.0.1", ("main", "b"): "10.0.1.1", ("events", "a"): "10.0.0.1", ("cilium", "a"): "9"}
    )
    assert update(names, cloud)
    assert file.read_text() == f"{LOCAL}10.0.0.1 a.ev\n10.0.0.1 a.main\n10.0.1.1 b.main\n"
    assert not update(names, cloud)
    cloud.places = {("main", "b"): "10.0.1.2"}
    assert update(names, cloud)
    assert file.read_text() == f"{LOCAL}10.0.1.2 b.main\n"
    assert file.stat().st_ino == inode


def test_what_was_known_stays_while_the_cloud_does_not_answer(
    names: EtcdNamesSettings,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    cloud = Cloud({("main", "a"): "10.0.0.1"})
    rounds = iter([KopsError("503"), KopsError("503"), {("main", "a"): "10.0.0.2"}])
    config, boot = tmp_path / "config.json", tmp_path / "boot.json"
    config.write_text(json.dumps({"cloud": "aws", "cluster": "demo", "file": names.file, "names": names.names}))
    said = {"cloud": "aws", "cluster": "demo", "instanceGroup": "cp", "role": "ControlPlane", "store": "s3://a"}
    boot.write_text(json.dumps({**said, "nodeConfigs": {}}))
    seen = []

    def pause(_seconds: float) -> None:
        seen.append(pathlib.Path(names.file).read_text().removeprefix(LOCAL))
        cloud.places = next(rounds)

    monkeypatch.setattr(boot_file, "PATH", str(boot))
    monkeypatch.setattr(etcd_names, "this_instance", lambda _cloud: cloud)
    monkeypatch.setattr(etcd_names, "MemberDisks", lambda disks: disks)
    monkeypatch.setattr(time, "sleep", pause)
    with pytest.raises(StopIteration):
        keep_names(str(config))
    assert seen == ["10.0.0.1 a.main\n"] * 3 + ["10.0.0.2 a.main\n"]
    assert capsys.readouterr().out.count("it is not known where members of etcd are: 503") == 1


def test_a_configuration_that_is_none(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load(EtcdNamesSettings, str(tmp_path / "none"))
    (tmp_path / "bad").write_text('{"cloud": "aws"}')
    with pytest.raises(ConfigError, match="is not the configuration of names"):
        load(EtcdNamesSettings, str(tmp_path / "bad"))
