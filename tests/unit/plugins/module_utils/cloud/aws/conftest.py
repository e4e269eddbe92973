# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS for tests: moto's server over HTTP, and clouds whose API calls are recorded."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import AWSCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.errors import is_conflict
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan import Plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_data import Action
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import make_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Change, Deletion, Task

if TYPE_CHECKING:
    import boto3

CLUSTER = "demo.example.com"
REGION = "us-east-1"
READS = ("Describe", "List", "Get", "Head")


class Calls(list):
    """The API calls made so far, as "service.Operation", in order."""

    @property
    def writes(self) -> list[str]:
        return [call for call in self if not call.split(".")[1].startswith(READS)]

    def of(self, operation: str) -> int:
        return sum(call.split(".")[1] == operation for call in self)


@pytest.fixture(scope="session")
def recorded() -> Calls:
    return Calls()


@pytest.fixture
def calls(recorded: Calls) -> Calls:
    recorded.clear()
    return recorded


@pytest.fixture(scope="session")
def session(recorded: Calls) -> boto3.Session:
    """Records all calls. Tests share it, and its clients: to make them takes longer than most tests."""
    import boto3

    def record(model: Any, **_rest: Any) -> None:
        recorded.append(f"{model.service_model.service_name}.{model.name}")

    made = boto3.Session("testing", "testing", region_name=REGION)
    made.events.register("before-call", record)
    return made


@pytest.fixture(scope="session")
def clients() -> dict[tuple[str, str], Any]:
    return {}


@pytest.fixture
def new_cloud(
    moto_server: str, session: boto3.Session, clients: dict[tuple[str, str], Any], calls: Calls
) -> Callable[[], AWSCloud]:
    """Makes a cloud that remembers nothing, as a new process would have; its calls are recorded."""

    def make() -> AWSCloud:
        cloud = AWSCloud(REGION, CLUSTER, session)
        cloud._clients = clients
        return cloud

    return make


@pytest.fixture
def cloud(new_cloud: Callable[[], AWSCloud]) -> AWSCloud:
    return new_cloud()


@dataclasses.dataclass
class Run:
    """What one run of the tasks did: task key -> "create", "update" or nothing; and the fields that differed."""

    plan: Plan
    tasks: dict[str, Task]
    actions: dict[str, str]
    changes: dict[str, dict[str, Change]]
    deletions: list[Deletion]


@pytest.fixture
def run(new_cloud: Callable[[], AWSCloud]) -> Callable[..., Run]:
    """Plans and applies tasks in a new process, as it were: run(tasks, apply=True, delete=True, meanwhile=...).

    meanwhile: what happens between the plan and its apply.
    """

    def execute(
        tasks: list[Task], apply: bool = True, delete: bool = True, meanwhile: Callable[[], object] = lambda: None
    ) -> Run:
        cloud = new_cloud()
        by_key = {task.key: task for task in tasks}
        plan = make_plan(by_key, cloud, prune=delete)
        if apply:
            meanwhile()
            apply_plan(plan, cloud, is_conflict=is_conflict)
        return Run(
            plan=plan,
            tasks=by_key,
            actions={step.task.key: step.action.value for step in plan.steps if step.action is not Action.NONE},
            changes={step.task.key: step.changes for step in plan.steps if step.changes},
            deletions=plan.deletions,
        )

    return execute
