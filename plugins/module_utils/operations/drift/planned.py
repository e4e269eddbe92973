# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift of the state store and of the cloud: what an update would do, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...base.options import named
from ...cloud.provider import explaining
from ...cloud.tasks.keypair import Keypair
from ...cloud.tasks.managed_file import ManagedFile
from ...cloud.tasks.secret import Secret
from ...engine.plan import Plan, Step
from ...engine.planner import make_plan
from ...engine.task import Deletion, Task
from ...model.config import COMPLETED_CLUSTER
from ..update.desired import Desired
from .finding import CLOUD, STORE, UNWANTED, WHAT, Drift, Finding, Unseen

_STORED = (Keypair, ManagedFile, Secret)
UPDATE = "kubeops.kops.update_cluster, with --check first"
_PRUNE = f"kubeops.kops.update_cluster with {named('prune')}"
_BY_HAND = "look who has made it, and delete it by hand"
_TERRAFORM = "only Terraform makes the objects of this cloud; terraform plan says what differs"
_SPECIFICATION = "the specification has changed since the last update, or this file was changed by hand"


def look_at_plan(desired: Desired, drift: Drift, *, with_cloud: bool, with_store: bool) -> None:
    """Add what an update would do, and what the cloud has that no specification has."""
    provider, tasks = desired.provider, desired.tasks
    if not provider.compares:
        tasks = {key: task for key, task in tasks.items() if task.store_only}
        drift.unseen += [Unseen("the cloud", _TERRAFORM, failed=False)] if with_cloud else []
        with_cloud = False
    plan = make_plan(tasks, desired.cloud, for_apply=False, explain=provider.explain, is_denied=provider.is_denied)
    drift.warnings += plan.warnings
    found = [*map(_of_step, plan.active()), *(_of_deletion(each, desired.tasks) for each in plan.due_deletions())]
    # Files may hold what only the cloud says, so that all is compared in any case.
    drift.found += [each for each in found if (with_store if each.where == STORE else with_cloud)]
    if with_cloud:
        drift.found += _unknown(desired, plan, drift)


def _of_step(step: Step) -> Finding:
    entry = step.data
    reason = _SPECIFICATION if entry["name"] == COMPLETED_CLUSTER else entry["reason"]
    where = STORE if isinstance(step.task, _STORED) else CLOUD
    what = WHAT[entry["action"]]
    return Finding(where, what, entry["kind"], entry["name"], entry["before"], entry["after"], reason, UPDATE)


def _of_deletion(deletion: Deletion, tasks: Mapping[str, Task[Any]]) -> Finding:
    where = STORE if isinstance(tasks.get(deletion.task), _STORED) else CLOUD
    return Finding(where, UNWANTED, deletion.kind, deletion.item, reason=deletion.reason, mend=UPDATE)


def _unknown(desired: Desired, plan: Plan, drift: Drift) -> Iterator[Finding]:
    """What the plan does not name yet. Old versions of launch templates and the like are usual, and only counted."""
    with explaining(desired.provider):
        unknown = desired.provider.looking.unknown(desired.cloud, list(desired.tasks.values()))
    if unknown is None:
        drift.unseen.append(
            Unseen("objects that no specification has", "it is not known which ones of this cloud are its own", False)
        )
        unknown = []
    due = {deletion.item for deletion in plan.due_deletions()}
    deferred = {deletion.item for deletion in plan.deletions} - due
    drift.kept = len(deferred - {each.name for each in unknown})
    for each in unknown:
        if each.name not in due:
            mend = _PRUNE if each.name in deferred else _BY_HAND
            yield Finding(CLOUD, UNWANTED, each.kind, each.name, reason=each.reason, mend=mend)
