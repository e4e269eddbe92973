# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules of etcd's backups as a user runs them."""

from __future__ import annotations

import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.client import Member
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.membership import Membership
from ansible_collections.kubeops.kops.plugins.modules import etcd_member

SPECIFICATION = """
apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata:
  name: demo.example.com
spec:
  kubernetesVersion: 1.34.0
  etcdClusters:
  - name: main
    etcdMembers: [{name: a, instanceGroup: control-plane}]
  - name: events
    etcdMembers: [{name: a, instanceGroup: control-plane}]
"""


@pytest.fixture
def brought(store: pathlib.Path, tmp_path: pathlib.Path) -> pathlib.Path:
    """The directory with files from hosts; and a stored cluster."""
    (store / "demo.example.com").mkdir(parents=True)
    (store / "demo.example.com" / "config").write_text(SPECIFICATION)
    directory = tmp_path / "brought"
    directory.mkdir()
    for etcd in ("main", "events"):
        (directory / f"{etcd}.backup.gz").write_bytes(etcd.encode())
    return directory


def taken(etcd: str) -> dict[str, object]:
    return {"etcd": etcd, "etcd_version": "3.6.5", "member_count": 3, "path": "/tmp/x", "size": 4}


def test_backups_are_kept_listed_and_brought_back(ansible, brought: pathlib.Path, tmp_path: pathlib.Path, tree) -> None:
    given = {"backups": [taken("main"), taken("events")], "directory": str(brought)}
    before = tree()
    predicted = ansible("etcd_backup_store", check=True, **given)
    assert tree() == before
    done = ansible("etcd_backup_store", **given)
    assert [each["etcd"] for each in predicted["stored"]] == [each["etcd"] for each in done["stored"]]
    assert done["diff"][0]["after"] == "".join(f"{each['path']}\n" for each in done["stored"])

    listed = ansible("etcd_backups_info")["backups"]
    assert [each["name"] for each in listed] == [each["name"] for each in done["stored"]]
    assert [each["etcd"] for each in ansible("etcd_backups_info", etcd_clusters=["events"])["backups"]] == ["events"]

    back = tmp_path / "back"
    back.mkdir()
    choose = {"directory": str(back), "names": {"main": listed[0]["name"]}}
    assert ansible("etcd_backup_fetch", check=True, **choose)["backups"][0]["file"] == ""
    assert list(back.iterdir()) == []
    chosen = ansible("etcd_backup_fetch", names=choose["names"])
    assert (chosen["changed"], chosen["backups"][0]["file"], list(back.iterdir())) == (False, "", [])
    (found,) = ansible("etcd_backup_fetch", **choose)["backups"]
    assert (found["file"], found["etcd_version"]) == (str(back / "main.backup.gz"), "3.6.5")
    assert (back / "main.backup.gz").read_bytes() == b"main"


def test_what_is_wrong_is_said(ansible, brought: pathlib.Path) -> None:
    given = {"backups": [taken("main")], "directory": str(brought)}
    message = ansible.fails("etcd_backup_store", hourly_retention="soon", **given)
    assert "'soon' is no length of time" in message
    assert "has no etcd cluster other" in ansible.fails("etcd_backups_info", etcd_clusters=["other"])
    assert "has no backups of etcd" in ansible.fails("etcd_backup_fetch", directory=str(brought))


def test_a_host_without_members_says_so(ansible, tmp_path: pathlib.Path) -> None:
    words = "this host has no member of etcd cluster lab"
    assert words in ansible.fails("etcd_member", etcd="lab", name="b", peer_urls=["https://10.0.0.8:2380"])
    assert words in ansible.fails("etcd_health", members=[{"etcd": "lab", "name": "a"}])
    assert words in ansible.fails("etcd_backup", etcd_clusters=["lab"], directory=str(tmp_path))
    assert words in ansible.fails("etcd_restore", phase="stop", restore="r1", etcd_clusters=["lab"])
    assert "is no directory" in ansible.fails("etcd_backup", directory=str(tmp_path / "none"))
    assert "all of the following are missing: peer_urls" in ansible.fails("etcd_member", name="b")
    assert "any of the following are missing: name, peer_urls" in ansible.fails("etcd_member", state="absent")


def test_a_new_member_is_told_what_to_start_with() -> None:
    first, second = (Member(name, name, (f"https://{name}:2381",), learner=name == "b") for name in "ab")
    done = etcd_member.outcome("events", Membership([first], [first, second]), present=True).as_result()
    assert done["facts"] == {
        "ETCD_EVENTS_INITIAL_CLUSTER": "a=https://a:2381,b=https://b:2381",
        "ETCD_EVENTS_INITIAL_STATE": "existing",
    }
    assert (done["changed"], [member["learner"] for member in done["members"]]) == (True, [False, True])
    assert done["diff"][0]["before"] == "a https://a:2381\n"
    gone = etcd_member.outcome("events", Membership([first, second], [first]), present=False)
    assert "facts" not in gone.values
