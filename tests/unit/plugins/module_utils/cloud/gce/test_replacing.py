# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacement that breaks off: whatever has been done, the next run ends with as many instances as were wanted."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import requests
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.cloud import GCECloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.looking import GCELooking
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.replacing import GCEReplacing
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import DETACHED, SERVING, CloudInstance
from ansible_collections.kubeops.kops.tests.support.google.objects import LINK
from ansible_collections.kubeops.kops.tests.support.google.project import Project

ZONE = "my-project/zones/us-east1-b"
MANAGER = f"{ZONE}/instanceGroupManagers/b-nodes-demo-example-com"


class Breaking(Project):
    """Of so many writes, the connection breaks before the next one; None is never."""

    left: int | None = None

    def request(self, method: str, url: str, params: Any, json: Any, timeout: Any) -> requests.Response:
        if method != "GET" and self.left is not None:
            if not self.left:
                raise requests.exceptions.ConnectionError("broken off")
            self.left -= 1
        return super().request(method, url, params, json, timeout)


@pytest.fixture(name="project")
def make_project() -> Breaking:
    project = Breaking("my-project")
    cloud = client(project)
    items = {"cluster-name": "demo.example.com", "kops-k8s-io-instance-group-name": "nodes"}
    cloud.insert(
        "my-project/global/instanceTemplates",
        {
            "name": "nodes-1",
            "properties": {
                "machineType": "e2-medium",
                "labels": {"k8s-io-cluster-name": "demo-example-com"},
                "metadata": {"items": [{"key": key, "value": value} for key, value in items.items()]},
            },
        },
    )
    template = f"{LINK}my-project/global/instanceTemplates/nodes-1"
    group = {"name": "b-nodes-demo-example-com", "baseInstanceName": "nodes", "targetSize": 3}
    cloud.insert(f"{ZONE}/instanceGroupManagers", {**group, "instanceTemplate": template})
    return project


def client(project: Project) -> GCECloud:
    session: Any = project
    return GCECloud("us-east1", "demo.example.com", "my-project", session)


def machines(project: Project) -> list[CloudInstance]:
    return list(GCELooking().groups(client(project))["nodes"].machines)


def wanted(project: Project) -> int:
    return GCELooking().groups(client(project))["nodes"].wanted


@pytest.mark.parametrize("writes", range(5))
@pytest.mark.parametrize("act", ["detach", "terminate"])
def test_a_run_that_broke_off_is_finished_by_the_next(project: Breaking, act: str, writes: int) -> None:
    machine = machines(project)[0]
    project.left = writes
    with contextlib.suppress(requests.exceptions.ConnectionError):
        getattr(GCEReplacing(), act)(client(project), machine)
    project.left = None
    assert wanted(project) == 3
    replacing = GCEReplacing()
    present = [each for each in machines(project) if each.name == machine.name]
    for each in present:
        replacing.terminate(client(project), each)
    left = machines(project)
    assert (len(left), {each.state for each in left}, wanted(project)) == (3, {SERVING}, 3)
    assert machine.name not in {each.name for each in left}
    assert project.objects[MANAGER]["targetSize"] == 3


def test_an_instance_that_was_only_marked_is_in_service_still(project: Breaking) -> None:
    machine = machines(project)[0]
    project.left = 1
    with pytest.raises(requests.exceptions.ConnectionError):
        GCEReplacing().detach(client(project), machine)
    project.left = None
    assert {each.state for each in machines(project)} == {SERVING}
    GCEReplacing().detach(client(project), machine)
    assert sorted(each.state for each in machines(project)) == [DETACHED, *[SERVING] * 3]


def test_a_size_that_the_autoscaler_has_raised_is_not_lowered(project: Breaking) -> None:
    first, second, _third = machines(project)
    GCEReplacing().detach(client(project), first)
    client(project).call(f"{MANAGER}/resize", size="8")
    GCEReplacing().detach(client(project), second)
    assert project.objects[MANAGER]["targetSize"] == 8
