# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all kinds of objects of Google Cloud have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task
from ..errors import DirectTargetMissing

if TYPE_CHECKING:
    from ..cloud import GCECloud


@dataclass(eq=False)
class GoogleTask(Task):
    """An object of Google Cloud: it is rendered as Terraform, and not yet found or written directly."""

    def prepare(self, cloud: GCECloud) -> None:
        """Refuse the direct target before anything is asked, once for all objects."""
        raise DirectTargetMissing

    def find(self, cloud: GCECloud) -> Task | None:
        raise DirectTargetMissing
