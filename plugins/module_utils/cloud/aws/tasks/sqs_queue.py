# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: sqs queue."""

from __future__ import annotations

from dataclasses import dataclass

from ....engine.task import Task, computed


@dataclass(eq=False)
class SQS(Task):
    """TODO."""

    arn: str | None = computed()
    url: str | None = None
    message_retention_period: int | None = None
    policy: str | None = None
    tags: dict[str, str] | None = None
