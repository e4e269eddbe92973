# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which changes of a working node are left to a run that may interrupt it.

These are deferred: changes that interrupt, and what the programs concerned read; programs and manifests, because their
versions belong together; removals, because what runs may use what is removed. Everything else is done at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ...base.report import Step
from ...exchange.items import Unit
from ..config import names
from ..context import Context, Phase
from ..system.systemd import DIRECTORY
from .units import RELOAD, is_quiet, restart_reasons


def defer(context: Context, phases: Sequence[Phase]) -> None:
    """Mark the steps that are deferred. Nothing is, if nothing interrupts."""
    steps = [step for phase in phases for step in phase.steps if step.changed]
    if not any(step.interrupts for step in steps):
        return
    context.deferring = True
    for step in steps:
        step.deferred = step.interrupts or step.waits
    units = {unit.label: unit for unit in context.config.units}
    pods = {pod.label: pod.restart_on for pod in context.config.static_pods}
    _repeat(lambda: _spread(phases, steps, units, {**pods, RELOAD: [f"file:{DIRECTORY}/"]}), steps)
    left = {step.item for step in steps if step.deferred}
    context.fetches = [each for each in context.fetches if each.label not in left]
    _keep_record(context, steps, left)


def _repeat(spread: Callable[[], None], steps: Sequence[Step]) -> None:
    """Until no further step is deferred."""
    count = -1
    while count != (count := sum(step.deferred for step in steps)):
        spread()


def _spread(
    phases: Sequence[Phase],
    steps: Sequence[Step],
    units: Mapping[str, Unit],
    others: Mapping[str, Sequence[str]],
) -> None:
    """Defer what belongs to deferred steps. units: by label. others: label -> reasons to restart another item."""
    for step in steps:
        if step.item in units:
            _spread_unit(steps, step, units[step.item])
            continue
        causes = _causes(steps, others.get(step.item, ()))
        if causes and all(cause.deferred for cause in causes):
            step.deferred = True
        if step.interrupts:
            _defer(causes)
    for phase in phases:
        if phase.act is not None and not phase.separable and any(step.deferred for step in phase.steps):
            for step in phase.steps:
                step.deferred = step.changed


def _spread_unit(steps: Sequence[Step], step: Step, unit: Unit) -> None:
    causes = _causes(steps, restart_reasons(unit))
    loud = [cause for cause in causes if not is_quiet(unit, cause.item)]
    if step.interrupts and any(not cause.deferred for cause in causes if cause not in loud):
        # It is restarted now, for what disturbs nothing, and again for the rest, which it must not find yet.
        step.deferred = False
        _defer(loud)
    elif step.interrupts or any(cause.deferred for cause in causes):
        # It would be started without something that it needs.
        step.deferred = True
        _defer(causes)


def _defer(causes: Iterable[Step]) -> None:
    """What a program reads when it starts does not change before it is restarted."""
    for cause in causes:
        cause.deferred = True


def _causes(steps: Sequence[Step], reasons: Sequence[str]) -> list[Step]:
    return [step for step in steps if any(names(reason, step.item) for reason in reasons)]


def _keep_record(context: Context, steps: Sequence[Step], left: set[str]) -> None:
    """Take back what the record of the next run would say of deferred restarts."""
    before, record = context.before, context.next
    for pod in context.config.static_pods:
        # A pod that is deferred only for its manifest is restarted with it for what has changed meanwhile.
        if pod.label in left and all(cause.deferred for cause in _causes(steps, pod.restart_on)):
            record.pods.pop(pod.name, None)
            record.pods.update({pod.name: before.pods[pod.name]} if pod.name in before.pods else {})
    record.restarts = [name for name in record.restarts if f"unit:{name}" not in left or name in before.restarts]
