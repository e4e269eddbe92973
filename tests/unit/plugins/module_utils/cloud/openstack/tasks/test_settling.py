# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is still being made, or has failed, does not count as there: a run that was killed may have left it so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.kinds import Kind
from ansible_collections.kubeops.kops.tests.support.openstack import clusters
from ansible_collections.kubeops.kops.tests.support.openstack.memory import MemoryCloud, Project

NAME = clusters.NAME


@pytest.fixture
def project() -> Project:
    """With the cluster."""
    made = Project()
    clusters.applied(made.client(NAME), clusters.tasks())
    return made


def changes(project: Project) -> list[str]:
    return clusters.changes(clusters.planned(project.client(NAME), clusters.tasks()))


@pytest.mark.parametrize(
    ("kind", "key", "word", "ready"),
    [
        (kinds.SERVER, "status", "BUILD", "ACTIVE"),
        (kinds.VOLUME, "status", "creating", "available"),
        (kinds.BALANCER, "provisioning_status", "PENDING_UPDATE", "ACTIVE"),
    ],
    ids=lambda value: getattr(value, "word", value),
)
def test_a_run_waits_for_what_is_still_being_made(
    project: Project, monkeypatch: pytest.MonkeyPatch, kind: Kind, key: str, word: str, ready: str
) -> None:
    found = next(iter(project.of(kind).values()))
    found[key] = word
    (change,) = changes(project)
    assert change.endswith("['state']")
    latest, asked, writes = MemoryCloud.latest, [], len(project.writes)

    def seen(cloud: MemoryCloud, asked_for: Kind, identifier: str, since: float = 0.0) -> Mapping[str, Any] | None:
        asked.append(identifier)
        if len(asked) > 1:
            found[key] = ready
        return latest(cloud, asked_for, identifier, since)

    monkeypatch.setattr(MemoryCloud, "latest", seen)
    clusters.applied(project.client(NAME), clusters.tasks())
    assert len(asked) > 1
    assert len(project.writes) == writes
    assert changes(project) == []


@pytest.mark.parametrize(
    ("kind", "key", "word", "message"),
    [
        (kinds.VOLUME, "status", "error", "volume .* is in the state error: if it has never held data, delete it"),
        (kinds.BALANCER, "provisioning_status", "ERROR", "load balancer .* is in the state ERROR: delete it, and run"),
    ],
    ids=lambda value: getattr(value, "word", value),
)
def test_what_has_failed_is_said_and_what_is_named_helps(
    project: Project, kind: Kind, key: str, word: str, message: str
) -> None:
    identifier, found = next(iter(project.of(kind).items()))
    found[key] = word
    writes = len(project.writes)
    with pytest.raises(KopsError, match=message):
        clusters.applied(project.client(NAME), clusters.tasks())
    assert len(project.writes) == writes
    project.write("DELETE", kind, f"/{identifier}", None)
    clusters.applied(project.client(NAME), clusters.tasks())
    assert changes(project) == []
    assert identifier not in project.of(kind)
    addresses = {each["port_id"] for each in project.of(kinds.FLOATING_IP).values()}
    assert {each["vip_port_id"] for each in project.of(kinds.BALANCER).values()} <= addresses


def test_a_server_that_could_not_be_made_is_made_again(project: Project) -> None:
    identifier, found = next(iter(project.of(kinds.SERVER).items()))
    found["status"] = "ERROR"
    clusters.applied(project.client(NAME), clusters.tasks())
    assert changes(project) == []
    assert identifier not in project.of(kinds.SERVER)
    names = [each["metadata"]["KopsName"] for each in project.of(kinds.SERVER).values()]
    assert sorted(names) == sorted(set(names))
    assert found["metadata"]["KopsName"] in names


def test_an_object_that_a_service_fails_to_make_is_not_applied(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = {"message": "No valid host was found."}
    get = MemoryCloud.get

    def failed(cloud: MemoryCloud, kind: Kind, identifier: str) -> Mapping[str, Any] | None:
        found = get(cloud, kind, identifier)
        return {**found, "status": "ERROR", "fault": fault} if found and kind is kinds.SERVER else found

    monkeypatch.setattr(MemoryCloud, "get", failed)
    with pytest.raises(KopsError, match=r"server \S+ could not be made: No valid host was found"):
        clusters.applied(project.client("more.k8s.local"), clusters.tasks("more.k8s.local"))


def test_of_two_objects_of_one_name_none_is_taken_for_the_clusters(project: Project) -> None:
    project.insert(kinds.ROUTER, {"name": "demo-k8s-local"})
    writes = len(project.writes)
    with pytest.raises(
        KopsError, match=r"2 objects of the project are called router demo-k8s-local \(router-\d+, router"
    ):
        clusters.applied(project.client(NAME), clusters.tasks())
    assert len(project.writes) == writes
