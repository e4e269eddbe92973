# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: iam role."""

from __future__ import annotations

from dataclasses import dataclass

from ....engine.task import Task, computed


@dataclass(eq=False)
class IAMRole(Task):
    """TODO."""

    id: str | None = computed()
    role_policy_document: str | None = None
    permissions_boundary: str | None = None
    tags: dict[str, str] | None = None
    export_with_id: str | None = None
