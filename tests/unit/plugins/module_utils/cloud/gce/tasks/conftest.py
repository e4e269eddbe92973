# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans and applies of single tasks, on Compute Engine in memory."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import Exists
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.cloud import GCECloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.address import Address
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.network import Network
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.service_account import ServiceAccount
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.subnet import Subnet
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan import Plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import make_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.tests.support.google.objects import LINK
from ansible_collections.kubeops.kops.tests.support.google.project import Project

PROJECT, REGION, CLUSTER = "my-project", "us-east1", "demo.example.com"
# (project, network, subnetwork)
NETWORKS = (
    (PROJECT, "demo-example-com", "us-east1-demo-example-com"),
    (PROJECT, "demo", "us-east1-demo"),
    ("host", "net", "theirs"),
)


@pytest.fixture(name="compute")
def make_compute() -> Project:
    """The project, with the networks that tests name, and nothing else."""
    project = Project(PROJECT)
    for owner, network, subnet in NETWORKS:
        for path in (f"{owner}/global/networks/{network}", f"{owner}/regions/{REGION}/subnetworks/{subnet}"):
            project.objects[path] = {"name": path.rpartition("/")[2], "selfLink": LINK + path}
    return project


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks, addresses and accounts are as wanted: other files test them."""
    for kind in (Network, Subnet, Address, ServiceAccount):
        monkeypatch.setattr(kind, "find", lambda task, cloud: dataclasses.replace(task))


@pytest.fixture(name="cloud")
def make_cloud(compute: Project, monkeypatch: pytest.MonkeyPatch) -> GCECloud:
    """The cluster's client of it."""
    monkeypatch.delenv("CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE", raising=False)
    session: Any = compute
    return GCECloud(REGION, CLUSTER, PROJECT, session)


def plan(cloud: GCECloud, *tasks: Task[Any], prune: bool = False) -> Plan:
    """The plan of these tasks, by what is there now."""
    cloud.forget_all()
    everything: dict[str, Task[Any]] = {}
    waiting = list(tasks)
    while waiting:
        task = waiting.pop()
        everything[task.key] = task
        waiting += (each for each in task.dependencies() if each.key not in everything)
    return make_plan(everything, cloud, prune=prune, explain=str)


def apply(cloud: GCECloud, *tasks: Task[Any], prune: bool = False) -> Plan:
    """Make the objects of these tasks as wanted, and return the plan that did it."""
    made = plan(cloud, *tasks, prune=prune)
    apply_plan(made, cloud, is_conflict=lambda error: isinstance(error, Exists), deadline=2)
    return made


def changed(made: Plan) -> dict[str, list[str]]:
    """Key of each object that is changed -> the fields that differ; none for those that are new."""
    return {step.task.key: sorted(step.changes) for step in made.active()}
