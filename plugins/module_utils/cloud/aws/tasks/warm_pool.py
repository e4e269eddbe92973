# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: warm pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task

if TYPE_CHECKING:
    from .autoscaling_group import AutoscalingGroup


@dataclass(eq=False)
class WarmPool(Task):
    """TODO."""

    enabled: bool | None = None
    max_size: int | None = None
    min_size: int | None = None
    autoscaling_group: AutoscalingGroup | None = None
