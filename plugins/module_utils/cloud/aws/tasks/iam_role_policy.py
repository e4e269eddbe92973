# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: iam role policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task, computed

if TYPE_CHECKING:
    from .iam_role import IAMRole


@dataclass(eq=False)
class IAMRolePolicy(Task):
    """TODO."""

    id: str | None = computed()
    role: IAMRole | None = None
    policy_document: str | None = None
    external_policies: list[str] | None = None
    managed: bool | None = None
