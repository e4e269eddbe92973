# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: ebs volume."""

from __future__ import annotations

from dataclasses import dataclass

from ....engine.task import Task, computed


@dataclass(eq=False)
class EBSVolume(Task):
    """TODO."""

    availability_zone: str | None = None
    encrypted: bool | None = None
    id: str | None = computed()
    kms_key_id: str | None = None
    size_gb: int | None = None
    tags: dict[str, str] | None = None
    volume_iops: int | None = None
    volume_throughput: int | None = None
    volume_type: str | None = None
