# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Making tasks real in an account of tests, and deleting a cluster from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.errors import explain
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import Exists
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan import Plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import make_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import delete_all
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task

_DEADLINE = 30.0


def said(error: BaseException) -> str:
    """As the provider explains it."""
    return str(explain(error))


def planned(cloud: DigitalOceanCloud, tasks: Iterable[Task[Any]]) -> Plan:
    """What would be done."""
    return make_plan({each.key: each for each in tasks}, cloud, explain=said)


def applied(
    cloud: DigitalOceanCloud, tasks: Iterable[Task[Any]], progress: Callable[[str], None] = lambda line: None
) -> Plan:
    """Make everything so; returns what was planned."""
    plan = planned(cloud, tasks)
    apply_plan(
        plan,
        cloud,
        progress=progress,
        explain=said,
        is_conflict=lambda error: isinstance(error, Exists),
        deadline=_DEADLINE,
    )
    return plan


def changes(plan: Plan) -> list[str]:
    """What a plan would do, a line each."""
    return [f"{step.action.value} {step.task.key} {sorted(step.changes)}" for step in plan.active()]


def removed(cloud: DigitalOceanCloud) -> list[str]:
    """Delete all objects of a client's cluster; returns what they are called."""
    cloud.forget_all()
    found = discover(cloud)
    delete_all(found, progress=lambda line: None, explain=said, deadline=_DEADLINE)
    return sorted(each.label for each in found.values())
