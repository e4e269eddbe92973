# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcome of an update as modules return it, with lines for a reader: what was done, and what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..api.clouds import METAL
from ..base.outcome import Difference, Outcome
from ..engine.plan_data import Action
from ..engine.plan_text import kept
from .update import UpdateResult

# The task of a key that every cluster has.
_NEW_CLUSTER = "Keypair/kubernetes-ca"
# So many names are in a line.
_NAMED = 5
_VALIDATE = "Next: kubeops.kops.validate_cluster -e kops_validate_wait=900 waits until it is valid"
_REPLACE = "Next: kubeops.kops.rolling_update drains and replaces the instances of these groups, one after the other"


def outcome(result: UpdateResult, *, check: bool) -> Outcome:
    """A result as a module returns it. check: whether nothing was done."""
    values: dict[str, Any] = {
        "plan": result.plan.as_data(),
        "plan_id": result.plan.id,
        "plan_text": result.plan.text(),
        "summary": result.plan.summary(),
        "name": result.name,
        "cloud": result.cloud,
        "is_new": _is_new(result),
        "report": report(result, check=check),
    }
    if result.manifest:
        values["manifest"] = result.manifest
    if result.out:
        values.update(files=result.files, out=result.out)
    differences = [Difference(result.name, **result.plan.diff())] if values["plan"] else []
    return Outcome(result.changed, values, differences, result.plan.warnings)


def report(result: UpdateResult, *, check: bool) -> list[str]:
    """What was done, or in check mode would be, and what comes next: a few lines, however large the cluster is."""
    lines = list(_of_terraform(result, check) if result.out else _of_plan(result, check))
    return [f"{result.name}: {lines[0]}", *lines[1:]]


def _of_plan(result: UpdateResult, check: bool) -> Iterator[str]:
    count = result.plan.summary()
    if result.plan.changed:
        what = [
            f"{count[action]} {'to be ' if check else ''}{told}"
            for action, told in (("create", "created"), ("update", "changed"), ("delete", "deleted"))
        ]
        yield f"{', '.join(what)}, {count['unchanged']} unchanged"
    elif result.changed:
        yield f"the specification {'is to be' if check else 'was'} stored; all else is as it should be"
    else:
        yield f"nothing to do, all {count['unchanged']} objects are as they should be"
    if count["keep"]:
        yield kept(count["keep"])
    updated = [entry for entry in result.plan.as_data() if entry["action"] == Action.UPDATE.value]
    waiting = {entry["name"]: entry["reason"] for entry in updated if entry["reason"]}
    yield from _by_reason(waiting)
    if check and result.changed:
        yield f"Next: the same without --check; with -e kops_plan_id={result.plan.id} it does exactly this, or nothing"
    elif not check and result.cloud != METAL.name:
        if waiting:
            yield _REPLACE
        if _is_new(result):
            yield _VALIDATE
        yield "Next: kubeops.kops.kubeconfig writes a kubeconfig for it"


def _is_new(result: UpdateResult) -> bool:
    return any(entry["task"] == _NEW_CLUSTER for entry in result.plan.as_data())


def _of_terraform(result: UpdateResult, check: bool) -> Iterator[str]:
    if not result.files:
        yield f"nothing to do, all files in {result.out} are as they should be"
    else:
        yield f"{len(result.files)} files {'to be written' if check else 'written'} in {result.out}"
    yield from _by_reason(result.replaced)
    if not check:
        yield f"Next: terraform -chdir={result.out} init, then plan and apply"
        if result.replaced:
            yield _REPLACE
        yield _VALIDATE


def _by_reason(reasons: Mapping[str, str]) -> Iterator[str]:
    """A line for each reason, with some of those that have it."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        names.setdefault(reason, []).append(name)
    for reason, found in names.items():
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        yield f"{', '.join(found[:_NAMED])}{more}: {reason}"
