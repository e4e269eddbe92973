# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: iam instance profile."""

from __future__ import annotations

from dataclasses import dataclass

from ....engine.task import Task, computed


@dataclass(eq=False)
class IAMInstanceProfile(Task):
    """TODO."""

    tags: dict[str, str] | None = None
    id: str | None = computed()
    shared: bool | None = None
