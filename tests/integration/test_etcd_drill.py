# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drills with a real etcd: a backup is restored beside the cluster, and counted."""

from __future__ import annotations

import gzip
import pathlib
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd import client as etcd_client
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.drill import (
    DIRECTORY,
    LOCK,
    Drilled,
    drill,
    lines_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.snapshot import take
from ansible_collections.kubeops.kops.plugins.module_utils.node.system import atomic
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.lock import held
from ansible_collections.kubeops.kops.tests.support.etcd import Laboratory, Machine, laboratory

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("etcd")]
OBJECTS = (
    "/registry/pods/default/a",
    "/registry/pods/default/b",
    "/registry/services/specs/default/kubernetes",
    "/registry/services/endpoints/default/kubernetes",
    "/registry/namespaces/default",
    "/registry/minions/control-plane-1",
    "/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com",
    "/registry/example.com/widgets/default/one",
    "marker",
)
COUNTED = {
    "(other keys)": 1,
    "apiextensions.k8s.io/customresourcedefinitions": 1,
    "endpoints": 1,
    "example.com/widgets": 1,
    "namespaces": 1,
    "nodes": 1,
    "pods": 2,
    "services": 1,
}


@pytest.fixture
def lab(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Laboratory]:
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "2048")
    with laboratory(tmp_path) as made:
        yield made


@pytest.fixture
def backed_up(lab: Laboratory) -> Machine:
    """A host whose cluster has a backup, and another object since."""
    (machine,) = lab.form(1)
    for key in OBJECTS:
        lab.control(machine, "put", key, "value")
    assert take(machine.local(), "/", root=str(machine.root)) is not None
    lab.control(machine, "put", "/registry/pods/default/c", "value")
    return machine


def drilled(machine: Machine) -> Drilled:
    return drill(machine.local(), "/", root=str(machine.root), host=machine.host, timeout=20)


def left(machine: Machine) -> list[pathlib.Path]:
    directory = machine.path(DIRECTORY)
    return [*directory.iterdir()] if directory.exists() else []


def test_a_backup_is_served_and_counted_and_nothing_is_left(
    lab: Laboratory, backed_up: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(etcd_client, "_PAGE", 3)
    before = backed_up.client().catch_up()
    found = drilled(backed_up)
    assert found.objects == COUNTED
    assert found.now == {**COUNTED, "pods": 3}
    assert (found.etcd, found.revision) == ("main", 1 + len(OBJECTS))
    assert "  pods: 2, now 3" in lines_of(found)
    assert "  namespaces: 1" in lines_of(found)
    assert (left(backed_up), backed_up.containers) == ([], {})
    assert backed_up.client().catch_up() == before
    assert lab.control(backed_up, "get", "marker", "--print-value-only") == "value"


def test_a_damaged_backup_is_found(backed_up: Machine) -> None:
    path = backed_up.root / "main.backup.gz"
    content = bytearray(gzip.decompress(path.read_bytes()))
    content[len(content) // 2] ^= 1
    path.write_bytes(gzip.compress(bytes(content)))
    with pytest.raises(KopsError, match="is damaged: its checksum is wrong"):
        drilled(backed_up)
    assert left(backed_up) == []


def test_what_a_killed_drill_has_left_goes_and_a_full_disk_is_said(
    backed_up: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        """In place of a signal."""

    def kill(self: object, *_arguments: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(etcd_client.EtcdClient, "keys", kill)
        patch.setattr(Machine, "end_container", lambda self, name: None)
        patch.setattr("shutil.rmtree", lambda *arguments, **more: None)
        with pytest.raises(Killed):
            drilled(backed_up)
    assert (len(left(backed_up)), [*backed_up.containers]) == (1, ["kops-etcd-drill-main"])
    assert drilled(backed_up).objects == COUNTED
    assert (left(backed_up), backed_up.containers) == ([], {})
    with (
        held(str(backed_up.path(LOCK)), wait=0),
        pytest.raises(KopsError, match="another run is drilling with etcd cl"),
    ):
        drilled(backed_up)
    monkeypatch.setattr(atomic, "free_space", lambda path: 1)
    with pytest.raises(KopsError, match=r"has 1 bytes of room, and a drill of etcd cluster main needs \d+"):
        drilled(backed_up)
