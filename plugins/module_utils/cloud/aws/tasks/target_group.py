# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: target group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task, computed

if TYPE_CHECKING:
    from .vpc import VPC


@dataclass(eq=False)
class TargetGroup(Task):
    """TODO."""

    vpc: VPC | None = None
    tags: dict[str, str] | None = None
    port: int | None = None
    protocol: str | None = None
    arn: str | None = computed()
    shared: bool | None = None
    attributes: dict[str, str] | None = None
    interval: int | None = None
    healthy_threshold: int | None = None
    unhealthy_threshold: int | None = None
    health_check_protocol: str | None = None
    health_check_path: str | None = None
