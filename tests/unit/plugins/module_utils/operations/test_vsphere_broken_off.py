# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates of a cluster on vSphere that are killed, or lose an answer, at any write: running again completes."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import cloud as client_of_vsphere
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import marks, names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.ownership import settings_of
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.states import is_on
from ansible_collections.kubeops.kops.plugins.module_utils.engine import doubts
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.tests.support.vsphere import whole_clusters as clusters
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import VCenter, running
from ansible_collections.kubeops.kops.tests.support.vsphere.whole_clusters import CONTROL_PLANE, NAME, NODES, Handed
from ansible_collections.kubeops.kops.tests.support.vsphere.wire import AFTER, BEFORE, Killed, Wire

PLACES = [f"{CONTROL_PLANE}-1", f"{NODES}-1"]


@pytest.fixture(name="vcenter")
def run_vcenter(monkeypatch: pytest.MonkeyPatch) -> Iterator[VCenter]:
    monkeypatch.setattr(doubts, "PATIENCE", 0.1)
    monkeypatch.setattr(client_of_vsphere, "_PAUSE", 0.01)
    with running() as made:
        yield made


@pytest.fixture(autouse=True)
def handed(vcenter: VCenter, monkeypatch: pytest.MonkeyPatch) -> Handed:
    return clusters.environment(monkeypatch, vcenter)


@pytest.fixture
def wire(vcenter: VCenter, monkeypatch: pytest.MonkeyPatch) -> Wire:
    return Wire(monkeypatch)


def update(store: str) -> Any:
    return update_cluster(UpdateOptions(store, NAME), check=False)


def whole(store: str) -> bool:
    """All machines are there once, on, tagged, and not being made; their disks are attached."""
    found = clusters.seen(store)
    control_plane = settings_of(found[0])
    return (
        clusters.places(store) == PLACES
        and all(is_on(each) and marks.MAKING not in settings_of(each) for each in found)
        and names.DISKS in control_plane
        and marks.CREDENTIALS in control_plane
    )


def fresh(store: str, number: int) -> str:
    return clusters.stored(f"{store}-{number}", node_count=1)


def test_an_update_that_changes_nothing_writes_nothing(wire: Wire, tmp_path: Any) -> None:
    store = fresh(f"memfs://{tmp_path.name}", 0)
    update(store)
    assert whole(store)
    wire.clear()
    assert not update(store).changed
    assert wire.writes == []
    assert len(wire.calls) <= 16


@pytest.mark.long
@pytest.mark.parametrize("where", [BEFORE, AFTER])
def test_killed_at_any_write_it_is_completed(
    vcenter: VCenter, wire: Wire, handed: Handed, tmp_path: Any, where: str
) -> None:
    empty = sorted(clusters.names_in(vcenter))
    for number in itertools.count():
        store = fresh(f"memfs://{tmp_path.name}", number)
        wire.clear()
        wire.killed_at = (number, where)
        with contextlib.suppress(Killed):
            update(store)
            break
        wire.clear()
        handed.boot_all(store)
        update(store)
        assert whole(store), f"killed {where} write {number}"
        assert not update(store).changed
        delete_cluster(DeleteOptions(store, NAME))
        assert sorted(clusters.names_in(vcenter)) == empty, f"killed {where} write {number}"
    assert number > 10


@pytest.mark.long
def test_answers_that_are_lost_make_no_twins(vcenter: VCenter, wire: Wire, tmp_path: Any) -> None:
    empty = sorted(clusters.names_in(vcenter))
    for number in itertools.count():
        store = fresh(f"memfs://{tmp_path.name}", number)
        wire.clear()
        wire.faults = {number: AFTER}
        update(store)
        is_over = len(wire.writes) <= number
        wire.clear()
        assert whole(store), f"the answer to write {number} is lost"
        assert not update(store).changed
        delete_cluster(DeleteOptions(store, NAME))
        assert sorted(clusters.names_in(vcenter)) == empty
        if is_over:
            break
    assert number > 10
