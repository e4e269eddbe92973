# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: block device mapping."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class BlockDeviceMapping:
    """TODO."""

    device_name: str | None = None
    ebs_delete_on_termination: bool | None = None
    ebs_encrypted: bool | None = None
    ebs_kms_key: str | None = None
    ebs_volume_iops: int | None = None
    ebs_volume_throughput: int | None = None
    ebs_volume_size: int | None = None
    ebs_volume_type: str | None = None
    virtual_name: str | None = None
