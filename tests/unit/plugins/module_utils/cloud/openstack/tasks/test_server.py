# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server of which nobody knows whether it was made: an overloaded Nova makes it after its answer was given up."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.kinds import Kind
from ansible_collections.kubeops.kops.plugins.module_utils.engine import doubts
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import AnswerLost
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import openstack_sdk
from ansible_collections.kubeops.kops.tests.support.openstack import clusters
from ansible_collections.kubeops.kops.tests.support.openstack.memory import MemoryCloud, Project

NAME = clusters.NAME
PATIENCE = 0.3


@pytest.fixture
def overloaded(monkeypatch: pytest.MonkeyPatch) -> list[threading.Timer]:
    """Each first server of a name is made long after what a cloud may take to show what it has made."""
    monkeypatch.setattr(doubts, "PATIENCE", PATIENCE)
    late: list[threading.Timer] = []
    ask = MemoryCloud.ask

    def asked(cloud: MemoryCloud, method: str, kind: Kind, path: str, body: Any, doing: str) -> dict[str, Any]:
        if kind is not kinds.SERVER or method != "POST" or path:
            return ask(cloud, method, kind, path, body, doing)
        late.append(threading.Timer(4 * PATIENCE, ask, [cloud, method, kind, path, body, doing]))
        late[-1].start()
        raise AnswerLost(f"{doing}: no answer in time", openstack_sdk.SECONDS_TO_WRITE)

    monkeypatch.setattr(MemoryCloud, "ask", asked)
    return late


def stable_names(project: Project) -> list[str]:
    return sorted(each["metadata"]["KopsName"] for each in project.of(kinds.SERVER).values())


def test_no_server_is_made_twice_after_a_timeout(overloaded: list[threading.Timer]) -> None:
    project = Project()
    clusters.applied(project.client(NAME), clusters.tasks())
    assert len(overloaded) == 4
    assert stable_names(project) == sorted(set(stable_names(project)))
    assert clusters.changes(clusters.planned(project.client(NAME), clusters.tasks())) == []


def test_no_server_that_had_failed_is_made_twice_after_a_timeout(overloaded: list[threading.Timer]) -> None:
    project = Project()
    clusters.applied(project.client(NAME), clusters.tasks())
    (failed, *_others) = project.of(kinds.SERVER).values()
    failed["status"] = "ERROR"
    overloaded.clear()
    clusters.applied(project.client(NAME), clusters.tasks())
    assert len(overloaded) == 1
    assert len(project.of(kinds.SERVER)) == len(set(stable_names(project))) == 4


def test_of_two_servers_in_one_place_the_one_with_the_port_stays() -> None:
    """Nova made the other one after its controller had been killed, and started again."""
    project = Project()
    clusters.applied(project.client(NAME), clusters.tasks())
    (first, *_others) = project.of(kinds.SERVER).values()
    twin = {**first, "id": "a-twin", "name": "a-twin"}
    # Before it as well as after it.
    servers = project.of(kinds.SERVER)
    before = {"a-twin": twin, **servers}
    servers.clear()
    servers.update(before)
    plan = clusters.planned(project.client(NAME), clusters.tasks())
    assert clusters.changes(plan) == []
    assert [(each.task, each.reason) for each in plan.deletions] == [
        ("Server/a-twin", f"server {first['name']} has its port")
    ]
    clusters.applied(project.client(NAME), clusters.tasks())
    assert "a-twin" not in servers
    after = clusters.planned(project.client(NAME), clusters.tasks())
    assert (clusters.changes(after), after.deletions) == ([], [])


def test_servers_that_name_no_place_are_left_alone() -> None:
    """Whoever has made them has given a port without a name the cluster's tag."""
    project = Project()
    clusters.applied(project.client(NAME), clusters.tasks())
    (first, *_others) = project.of(kinds.SERVER).values()
    (port,) = (each for each in project.of(kinds.PORT).values() if each.get("device_id") == first["id"])
    for name in ("one", "another"):
        metadata = {key: value for key, value in first["metadata"].items() if key != "KopsName"}
        project.of(kinds.SERVER)[name] = {**first, "id": name, "name": name, "metadata": metadata}
    project.of(kinds.PORT)["theirs"] = {**port, "id": "theirs", "name": "", "device_id": "one"}
    assert clusters.planned(project.client(NAME), clusters.tasks()).deletions == []


def test_as_long_as_no_server_has_the_port_nobody_chooses() -> None:
    project = Project()
    clusters.applied(project.client(NAME), clusters.tasks())
    (first, *_others) = project.of(kinds.SERVER).values()
    project.of(kinds.SERVER)["a-twin"] = {**first, "id": "a-twin", "name": "a-twin"}
    for port in project.of(kinds.PORT).values():
        port["device_id"] = ""
    with pytest.raises(KopsError, match="2 objects of the project are called server"):
        clusters.planned(project.client(NAME), clusters.tasks())
