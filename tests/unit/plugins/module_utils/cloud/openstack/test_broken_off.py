# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that is broken off at a write, before it or after it, is completed by the next: nothing is there twice."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.engine import graph
from ansible_collections.kubeops.kops.tests.support.openstack import clusters
from ansible_collections.kubeops.kops.tests.support.openstack.memory import Project

NAME = clusters.NAME


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between looks."""
    monkeypatch.setattr(graph, "FIRST_PAUSE", 0.01)


class Killed(BaseException):
    """The process ends."""


def whole() -> Project:
    """A project with the cluster."""
    project = Project()
    clusters.applied(project.client(NAME), clusters.tasks())
    return project


# So many there are at least: rules are made together, as many as are due.
WRITES, DELETIONS = 33, 24


def test_a_second_run_writes_nothing() -> None:
    project = whole()
    writes = len(project.writes)
    assert writes >= WRITES
    assert clusters.changes(clusters.applied(project.client(NAME), clusters.tasks())) == []
    assert len(project.writes) == writes


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", range(WRITES))
def test_running_again_completes(number: int, moment: str) -> None:
    project = Project()
    project.fault = broken_at(number, moment)
    with pytest.raises(Killed):
        clusters.applied(project.client(NAME), clusters.tasks())
    project.fault = lambda moment, number: None
    clusters.applied(project.client(NAME), clusters.tasks())
    assert clusters.changes(clusters.planned(project.client(NAME), clusters.tasks())) == []
    assert len(project.names()) == len(whole().names())


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", range(WRITES))
def test_what_a_run_that_was_broken_off_has_made_can_be_deleted(number: int, moment: str) -> None:
    project = Project()
    project.fault = broken_at(number, moment)
    with pytest.raises(Killed):
        clusters.applied(project.client(NAME), clusters.tasks())
    project.fault = lambda moment, number: None
    clusters.remove(project.client(NAME))
    assert project.names() == Project().names()


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", range(DELETIONS))
def test_a_deletion_that_is_broken_off_ends_with_the_next(number: int, moment: str) -> None:
    project = whole()
    project.fault = broken_at(len(project.writes) + number, moment)
    with pytest.raises(Killed):
        clusters.remove(project.client(NAME))
    project.fault = lambda moment, number: None
    clusters.remove(project.client(NAME))
    assert discover(project.client(NAME)) == {}
    assert project.names() == Project().names()


def broken_at(number: int, moment: str):
    """A fault: the process ends at a write, and with every later one of other threads."""

    def fault(now: str, count: int) -> None:
        if count > number or (count == number and now == moment):
            raise Killed

    return fault
