# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What modules that drain and replace instances do alike: their options, and the form of their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..base.outcome import Outcome
from ..kubernetes.drain import DrainOptions
from ..kubernetes.unready import Patience
from ..kubernetes.validation.run import Timing
from ..operations.rolling.engine import Options
from .module import LEASE

if TYPE_CHECKING:
    from ..operations.rolling.cloud import RollingUpdate
    from .module import Call

REPLACING: dict[str, Any] = {
    **LEASE,
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


def outcome_of(module: Call, update: RollingUpdate, lines: Sequence[str] | None = None, **values: Any) -> Outcome:
    """The outcome of an update that was carried out, or only planned. lines: its plan, if it says more."""
    return Outcome(
        changed=update.has_work if module.check else update.engine.changed,
        values={
            "plan": [each.as_dict() for each in update.plans],
            "report": [each.as_dict() for each in update.records],
            "text": list(update.lines if lines is None else lines),
            **values,
        },
        warnings=update.engine.warnings,
        failure="\n".join(update.problems),
    )
