# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the tasks for objects of Google Cloud."""

from __future__ import annotations

from dataclasses import dataclass

from ....engine.task import Task
from ..cloud import GCECloud
from ..errors import DirectTargetMissing


@dataclass(eq=False)
class GoogleTask(Task[GCECloud]):
    """An object of Google Cloud: it is rendered as Terraform, and not yet found or written directly."""

    def prepare(self, cloud: GCECloud) -> None:
        """Refuse the direct target before anything is asked, once for all objects."""
        raise DirectTargetMissing

    def find(self, cloud: GCECloud) -> GoogleTask | None:
        raise DirectTargetMissing
