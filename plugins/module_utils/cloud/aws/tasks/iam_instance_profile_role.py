# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: iam instance profile role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task

if TYPE_CHECKING:
    from .iam_instance_profile import IAMInstanceProfile
    from .iam_role import IAMRole


@dataclass(eq=False)
class IAMInstanceProfileRole(Task):
    """TODO."""

    instance_profile: IAMInstanceProfile | None = None
    role: IAMRole | None = None
