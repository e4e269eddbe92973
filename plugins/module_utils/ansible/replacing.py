# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What modules that drain and replace instances do alike: their options, and the form of their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..base.outcome import Outcome
from ..kubernetes.nodes.drain import DrainOptions
from ..kubernetes.nodes.unready import Patience
from ..kubernetes.validation.run import Timing
from ..operations.next_steps import FAILED, LIMITED, PLANNED, UNVALIDATED, next_steps
from ..operations.policy.policy import failure_of, warnings_of
from ..operations.rolling.engine import Options
from .module import LEASE, POLICY

if TYPE_CHECKING:
    from ..operations.rolling.cloud import RollingUpdate
    from .module import Call

REPLACING: dict[str, Any] = {
    **LEASE,
    **POLICY,
    "drain_timeout": {"type": "int", "default": 900},
    "post_drain_delay": {"type": "int", "default": 5},
    "fail_on_drain_error": {"type": "bool", "default": True},
    "fail_on_validate": {"type": "bool", "default": True},
    "wait": {"type": "int", "default": 900},
    "interval": {"type": "int", "default": 10},
    "count": {"type": "int", "default": 2},
}

# Of modules that find nodes that have failed.
FAILED_NODES: dict[str, Any] = {
    "after": {"type": "int", "default": 600},
    "max_unhealthy": {"type": "str", "default": "40%"},
}


def patience_of(module: Call) -> Patience:
    """Which nodes have failed for too long, and how many may. Raises KopsError."""
    return Patience(module.parameters["after"], module.text("max_unhealthy"))


def drain_of(module: Call) -> DrainOptions:
    """How nodes are drained."""
    return DrainOptions(module.parameters["drain_timeout"], module.parameters["post_drain_delay"])


def options_of(module: Call, **more: Any) -> Options:
    """How careful to be. more: fields of Options."""
    given = module.parameters
    return Options(
        times=Timing(given["wait"], given["interval"], given["count"]),
        fail_on_drain_error=given["fail_on_drain_error"],
        fail_on_validate=given["fail_on_validate"],
        **more,
    )


def outcome_of(
    operation: str, module: Call, update: RollingUpdate, lines: Sequence[str] | None = None, **values: Any
) -> Outcome:
    """The outcome of an update that was carried out, or only planned. operation: as next_steps() takes it.

    lines: its plan, if it says more.
    """
    done = update.has_work and not update.is_forbidden if module.check else update.engine.changed
    return Outcome(
        changed=done,
        values={
            "plan": [each.as_dict() for each in update.plans],
            "report": [each.as_dict() for each in update.records],
            "text": list(update.lines if lines is None else lines),
            "violations": [each.as_dict() for each in update.violations],
            **values,
        },
        warnings=[*update.engine.warnings, *warnings_of(update.violations)],
        failure=failure_of(update.violations, "nothing was done") or "\n".join(update.problems),
        next_steps=next_steps(operation, _ended(module, update)),
    )


def _ended(module: Call, update: RollingUpdate) -> dict[str, Any]:
    if module.check:
        return {PLANNED: update.has_work and not update.is_forbidden}
    done = update.engine.changed and not update.problems
    return {
        FAILED: update.problems,
        LIMITED: done and module.parameters.get("limit"),
        UNVALIDATED: done and module.parameters.get("cloudonly"),
    }
