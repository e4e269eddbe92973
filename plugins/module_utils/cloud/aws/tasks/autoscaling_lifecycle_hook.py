# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: autoscaling lifecycle hook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task, computed

if TYPE_CHECKING:
    from .autoscaling_group import AutoscalingGroup


@dataclass(eq=False)
class AutoscalingLifecycleHook(Task):
    """TODO."""

    id: str | None = computed()
    hook_name: str | None = None
    autoscaling_group: AutoscalingGroup | None = None
    default_result: str | None = None
    heartbeat_timeout: int | None = None
    lifecycle_transition: str | None = None
    enabled: bool | None = None
