# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of IAM policies, while others write the same policies."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import CloudError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce import policies
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.cloud import GCECloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.policies import Place
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater
from ansible_collections.kubeops.kops.tests.support.google.project import Project

HERE = Place(project="my-project")
BUCKET = Place(bucket="state")


@pytest.fixture(name="project")
def make_project() -> Project:
    project = Project("my-project")
    for name in ("a", "b", "c", "d"):
        email = f"{name}@my-project.iam.gserviceaccount.com"
        project.accounts[email] = {"email": email, "projectId": "my-project"}
    return project


@pytest.fixture(name="cloud")
def make_cloud(project: Project) -> GCECloud:
    session: Any = project
    return GCECloud("us-east1", "demo.example.com", "my-project", session)


def member(name: str) -> str:
    return f"serviceAccount:{name}@my-project.iam.gserviceaccount.com"


@pytest.mark.parametrize("place", [HERE, BUCKET], ids=["project", "bucket"])
def test_a_member_is_added_once_and_taken_away(cloud: GCECloud, project: Project, place: Place) -> None:
    policies.add(cloud, place, "roles/viewer", member("a"))
    project.forget()
    policies.add(cloud, place, "roles/viewer", member("a"))
    assert all(method != "PUT" and "setIamPolicy" not in path for method, path in project.asked)
    policies.add(cloud, place, "roles/viewer", member("b"))
    assert policies.members(policies.read(cloud, place), "roles/viewer") == {member("a"), member("b")}
    policies.remove(cloud, place, member("a"))
    assert policies.members(policies.read(cloud, place), "roles/viewer") == {member("b")}


def test_writers_at_the_same_time_lose_nothing(cloud: GCECloud) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: policies.add(cloud, HERE, "roles/viewer", member(name)), "abcd"))
    assert policies.members(policies.read(cloud, HERE), "roles/viewer") == set(map(member, "abcd"))


def test_bindings_with_conditions_are_others(cloud: GCECloud, project: Project) -> None:
    binding = {"role": "roles/viewer", "members": [member("a")], "condition": {"expression": "false"}}
    project.identity.policies["projects/my-project"] = {"version": 3, "etag": "a", "bindings": [binding]}
    assert policies.members(policies.read(cloud, HERE), "roles/viewer") == set()
    policies.add(cloud, HERE, "roles/viewer", member("a"))
    found = policies.read(cloud, HERE)
    assert found["bindings"] == [binding, {"role": "roles/viewer", "members": [member("a")]}]
    assert found["version"] == 3


def test_an_account_that_google_does_not_know_yet_is_tried_again(cloud: GCECloud) -> None:
    with pytest.raises(TryAgainLater, match="does not exist"):
        policies.add(cloud, HERE, "roles/viewer", "serviceAccount:new@my-project.iam.gserviceaccount.com")


def test_a_lost_answer_is_looked_after(cloud: GCECloud, project: Project) -> None:
    project.lose = True
    policies.add(cloud, HERE, "roles/viewer", member("a"))
    assert policies.members(policies.read(cloud, HERE), "roles/viewer") == {member("a")}


def test_whoever_is_always_faster_is_said(cloud: GCECloud, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Place.read

    def overtaken(place: Place, client: GCECloud) -> dict[str, Any]:
        found = read(place, client)
        project.identity.policies["projects/my-project"]["etag"] += "+"
        return found

    monkeypatch.setattr(Place, "read", overtaken)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with pytest.raises(CloudError, match="concurrent policy changes"):
        policies.add(cloud, HERE, "roles/viewer", member("a"))
