# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcome of an update as modules return it, with lines for a reader: what was done, and how that has ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...api.clouds import CLOUDS
from ...base.outcome import Difference, Outcome
from ...engine.plan_text import as_they_should_be, kept, kept_for_a_reason
from ..next_steps import OUTDATED, PLANNED_AS, REACHABLE, UNVALIDATED, UPDATE, WRITTEN, next_steps
from ..policy.policy import denied, failure_of
from .cluster import UpdateResult

# The task of a key that every cluster has.
_NEW_CLUSTER = "Keypair/kubernetes-ca"
# So many names are in a line.
_NAMED = 5


def outcome(result: UpdateResult, *, check: bool) -> Outcome:
    """A result as a module returns it. check: whether nothing was done."""
    values: dict[str, Any] = {
        "plan": result.plan.as_data(),
        "plan_id": result.plan.id,
        "plan_text": "\n".join([result.plan.text().rstrip("\n"), *to_be_replaced(result.instances), ""]),
        "summary": result.plan.summary(),
        "name": result.name,
        "cloud": result.cloud,
        "is_new": _is_new(result),
        "report": report(result, check=check),
        "pending": result.pending,
        "to_replace": result.instances,
        "ended": _ended(result, check),
        "violations": [each.as_dict() for each in result.violations],
    }
    if result.manifest:
        values["manifest"] = result.manifest
    if result.out:
        values.update(files=result.files, out=result.out)
    differences = [Difference(result.name, **result.plan.diff())] if values["plan"] else []
    return Outcome(
        result.changed,
        values,
        differences,
        result.plan.warnings,
        result.refused or failure_of(result.violations),
        next_steps(UPDATE, values["ended"]),
    )


def report(result: UpdateResult, *, check: bool) -> list[str]:
    """What was done, or in check mode would be: a few lines, however large the cluster is."""
    if result.refused:
        return [f"{result.name}: {result.refused}"]
    if denied(result.violations):
        return [f"{result.name}: the policy forbids this, nothing was written", *map(str, denied(result.violations))]
    lines = list(_of_files(result, check) if result.out else _of_plan(result, check))
    return [f"{result.name}: {lines[0]}", *lines[1:]]


def _of_plan(result: UpdateResult, check: bool) -> Iterator[str]:
    count = result.plan.summary()
    # Without instances there is nothing else here: the hosts come next, and say for themselves what was done.
    where = "" if CLOUDS[result.cloud].has_instances else " in the state store"
    if result.plan.changed:
        what = [
            f"{count[action]} {'to be ' if check else ''}{told}"
            for action, told in (("create", "created"), ("update", "changed"), ("delete", "deleted"))
        ]
        yield f"{', '.join(what)}, {count['unchanged']} unchanged{where}"
    elif result.changed:
        yield f"the specification {'is to be' if check else 'was'} stored; all else{where} is as it should be"
    else:
        yield f"nothing to do{where}, {as_they_should_be(count['unchanged'], count['keep'])}"
    if count["keep"]:
        yield kept(count["keep"])
        yield from kept_for_a_reason(result.plan.as_data())
    yield from _by_reason(result.waiting)


def to_be_replaced(instances: Mapping[str, Sequence[str]]) -> list[str]:
    """Lines about the instances that do not get a change before they are replaced. instances: by their groups."""
    if not instances:
        return []
    lines = [f"    {name}: {_some(found)}" for name, found in sorted(instances.items())]
    return ["", "To be replaced, by a rolling update (kubeops.kops.rolling_update):", *lines]


def _ended(result: UpdateResult, check: bool) -> dict[str, Any]:
    """How it has ended, for the table of what comes next. Where there are hosts, their play continues."""
    if result.refused or denied(result.violations):
        return {}
    if check:
        return {PLANNED_AS: result.plan.id if result.changed and not result.out else ""}
    if not result.out and CLOUDS[result.cloud].has_hosts:
        return {}
    return {
        WRITTEN: result.written.next_step,
        OUTDATED: bool(result.waiting),
        UNVALIDATED: bool(result.out or _is_new(result)),
        REACHABLE: not result.out,
    }


def _is_new(result: UpdateResult) -> bool:
    return any(entry["task"] == _NEW_CLUSTER for entry in result.plan.as_data())


def _of_files(result: UpdateResult, check: bool) -> Iterator[str]:
    if not result.files:
        yield f"nothing to do, all files in {result.out} are as they should be"
    else:
        yield f"{len(result.files)} files {'to be written' if check else 'written'} in {result.out}"
    yield from _by_reason(result.waiting)


def _by_reason(reasons: Mapping[str, str]) -> Iterator[str]:
    """A line for each reason, with some of those that have it."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        names.setdefault(reason, []).append(name)
    for reason, found in names.items():
        yield f"{_some(found)}: {reason}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"
