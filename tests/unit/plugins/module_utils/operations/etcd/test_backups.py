# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups of etcd in the state store: their place, their format, how long they stay."""

from __future__ import annotations

import datetime
import hashlib
import json
import pathlib
import stat

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.etcd_backups import Retention
from ansible_collections.kubeops.kops.plugins.module_utils.operations.etcd.backups import (
    Backup,
    Backups,
    NewBackup,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path

NAME = "demo.example.com"
NOW = datetime.datetime(2026, 5, 8, 12, 30, tzinfo=datetime.timezone.utc)
SPECIFICATION = """
apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata:
  name: demo.example.com
spec:
  kubernetesVersion: 1.34.0
  etcdClusters:
  - name: main
    manager:
      backupRetentionDays: 30
      env:
      - {name: ETCD_MANAGER_HOURLY_BACKUPS_RETENTION, value: 36h}
      - {name: ETCD_MANAGER_DAILY_BACKUPS_RETENTION, value: 1y}
    etcdMembers: [{name: a, instanceGroup: control-plane}]
  - name: events
    manager:
      env: [{name: ETCD_MANAGER_DAILY_BACKUPS_RETENTION, value: 1y}]
    etcdMembers: [{name: a, instanceGroup: control-plane}]
  - name: cilium
    backups: {backupStore: "ELSEWHERE"}
    etcdMembers: [{name: a, instanceGroup: control-plane}]
"""


@pytest.fixture
def directory(tmp_path: pathlib.Path) -> pathlib.Path:
    """The cluster's part of a store."""
    found = tmp_path / "store" / NAME
    found.mkdir(parents=True)
    (found / "config").write_text(SPECIFICATION.replace("ELSEWHERE", f"file://{tmp_path}/elsewhere"))
    return found


@pytest.fixture
def backups(directory: pathlib.Path) -> Backups:
    return Backups(f"file://{directory.parent}", NAME)


@pytest.fixture
def source(tmp_path: pathlib.Path) -> pathlib.Path:
    """Files as they were brought from a host."""
    found = tmp_path / "brought"
    found.mkdir()
    for etcd in ("main", "events", "cilium"):
        (found / f"{etcd}.backup.gz").write_bytes(f"backup of {etcd}".encode())
    return found


def new(source: pathlib.Path, etcd: str = "main", **more: str) -> NewBackup:
    return NewBackup.taken({"etcd": etcd, "etcd_version": "3.6.5", "member_count": 3, **more}, str(source))


def test_a_backup_is_where_kops_looks_and_reads_as_it_writes(backups: Backups, directory, source) -> None:
    done = backups.store([new(source), new(source, "events")], now=NOW)
    assert [backup.name for backup in done.stored] == ["2026-05-08T12:30:00Z-000001"] * 2
    place = directory / "backups/etcd/main/2026-05-08T12:30:00Z-000001"
    assert (place / "etcd.backup.gz").read_bytes() == b"backup of main"
    # The manager of etcd refuses a file with other fields, and numbers of 64 bits that are no text.
    assert json.loads((place / "_etcd_backup.meta").read_text()) == {
        "etcdVersion": "3.6.5",
        "timestamp": "1778243400",
        "clusterSpec": {"memberCount": 3, "etcdVersion": "3.6.5"},
    }
    assert [(found.etcd, found.name) for found in backups.of("main")] == [("main", done.stored[0].name)]
    assert backups.meta(done.stored[0])["etcdVersion"] == "3.6.5"


def test_names_of_one_second_differ(backups: Backups, source) -> None:
    first, second = (backups.store([new(source)], now=NOW).stored[0].name for _number in range(2))
    assert (first[-6:], second[-6:]) == ("000001", "000002")


def test_a_backup_store_of_its_own(backups: Backups, source, tmp_path: pathlib.Path) -> None:
    backups.store([new(source, "cilium")], now=NOW)
    assert (tmp_path / "elsewhere/2026-05-08T12:30:00Z-000001/etcd.backup.gz").exists()


def test_check_mode_says_what_is_then_done(backups: Backups, source, directory) -> None:
    for days in (50, 40):
        backups.store([new(source)], prune=False, now=NOW - datetime.timedelta(days=days))
    files = sorted(directory.rglob("*"))
    predicted = backups.store([new(source / "none")], check=True, now=NOW)
    assert sorted(directory.rglob("*")) == files
    done = backups.store([new(source)], now=NOW)
    names = [[backup.name for backup in each.stored + each.removed] for each in (predicted, done)]
    assert names[0] == names[1]
    assert len(names[0]) == 3
    assert [backup.name for backup in backups.of("main")] == [done.stored[0].name]
    assert not any((directory / "backups/etcd/main" / backup.name).exists() for backup in done.removed)


def test_what_was_broken_off_is_no_backup_and_goes_after_a_day(backups: Backups, source, directory) -> None:
    place = directory / "backups/etcd/main"
    for name in ("2026-05-08T01:00:00Z-000001", "2026-05-06T01:00:00Z-000001", "mine"):
        (place / name).mkdir(parents=True)
        (place / name / "etcd.backup.gz").write_bytes(b"half")
    (place / "control").mkdir()
    (place / "control/etcd-cluster-spec").write_text("{}")
    assert backups.of("main") == []
    assert [gone.name for gone in backups.store([new(source)], now=NOW).removed] == ["2026-05-06T01:00:00Z-000001"]
    assert {path.name for path in place.iterdir()} >= {"2026-05-08T01:00:00Z-000001", "mine", "control"}


def test_a_file_that_is_not_what_was_taken_is_refused(backups: Backups, source) -> None:
    digest = hashlib.sha256(b"backup of main").hexdigest()
    (source / "main.backup.gz").write_bytes(b"backup of mai")
    with pytest.raises(KopsError, match="its checksum is wrong"):
        backups.store([new(source, sha256=digest)], now=NOW)
    with pytest.raises(KopsError, match=r"none/main.backup.gz cannot be read: No such file"):
        backups.store([new(source / "none")], now=NOW)
    assert backups.of("main") == []
    with pytest.raises(KopsError, match="a backup has no etcd_version, member_count"):
        NewBackup.taken({"etcd": "main"}, str(source))


def test_a_backup_is_chosen(backups: Backups, source) -> None:
    days = [3, 2, 1]
    names = [backups.store([new(source)], now=NOW - datetime.timedelta(days=day)).stored[0].name for day in days]
    backups.store([new(source, "events")], now=NOW)
    assert [(backup.etcd, backup.name) for backup in backups.choose()] == [
        ("main", names[-1]),
        ("events", "2026-05-08T12:30:00Z-000001"),
    ]
    assert [backup.name for backup in backups.choose(names={"main": names[0]})] == [names[0]]
    assert [backup.name for backup in backups.choose(["main"], before="2026-05-06T12:30:00Z")] == [names[1]]
    with pytest.raises(KopsError, match=f"main has no backup never; the last ones are: {names[0]}, "):
        backups.choose(names={"main": "never"})
    with pytest.raises(KopsError, match="cilium has no backup at all; the last ones are: none"):
        backups.choose(["cilium"])
    with pytest.raises(KopsError, match="main has no backup no later than 2020-01-01T00:00:00Z"):
        backups.choose(["main"], before="2020-01-01T00:00:00Z")
    with pytest.raises(KopsError, match="'yesterday' is no time"):
        backups.choose(before="yesterday")
    with pytest.raises(KopsError, match="has no etcd cluster other; it has main, events, cilium"):
        backups.choose(["other"])


def test_nothing_to_choose_from(backups: Backups) -> None:
    with pytest.raises(KopsError, match="has no backups of etcd in its state store"):
        backups.choose()


def test_a_backup_comes_back(backups: Backups, source, tmp_path: pathlib.Path) -> None:
    stored = backups.store([new(source)], now=NOW).stored[0]
    path = pathlib.Path(backups.fetch(stored, str(tmp_path)))
    assert (path.name, path.read_bytes()) == ("main.backup.gz", b"backup of main")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(KopsError, match=r"none/main.backup.gz cannot be written: No such file"):
        backups.fetch(stored, str(tmp_path / "none"))
    with pytest.raises(KopsError, match="has no file etcd.backup.gz"):
        backups.fetch(Backup("main", "x", open_path(f"file://{tmp_path}/x")), str(tmp_path))


def test_retention_is_the_specifications(backups: Backups) -> None:
    day = datetime.timedelta(days=1)
    assert backups.retention("main") == Retention(1.5 * day, 30 * day)
    assert backups.retention("events") == Retention(7 * day, 365 * day)
    assert backups.retention("cilium") == Retention(7 * day, 730 * day)
    assert backups.retention("main", "1h", "2d") == Retention(day / 24, 2 * day)


def test_the_last_backup_is_late(backups: Backups, source) -> None:
    names = ["main", "events", "cilium"]
    assert [each.partition(" in ")[0] for each in backups.late(names, NOW)] == [
        f"the last backup of etcd cluster {name}" for name in names
    ]
    backups.store([new(source, name) for name in names], now=NOW)
    assert backups.late(names, NOW + datetime.timedelta(minutes=45)) == []
    late = backups.late(["main"], NOW + datetime.timedelta(minutes=45, seconds=1))
    assert len(late) == 1
    assert late[0].endswith("backups/etcd/main is 45 min 1 s old, and one is due every 15 min")


def test_a_young_cluster_has_nothing_to_be_late(directory: pathlib.Path) -> None:
    text = (directory / "config").read_text()
    young = text.replace("metadata:\n", "metadata:\n  creationTimestamp: 2026-05-08T12:00:00Z\n")
    interval = young.replace("    manager:\n      env: [{", "    manager:\n      backupInterval: 1m\n      env: [{")
    (directory / "config").write_text(interval)
    found = Backups(f"file://{directory.parent}", NAME).late(["main", "events"], NOW)
    assert [each.rpartition(", ")[2] for each in found] == ["and one is due every 1 min"]
    assert "etcd cluster events in" in found[0]
    assert "does not exist" in found[0]
