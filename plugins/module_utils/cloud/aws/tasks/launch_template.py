# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: launch template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task, computed

if TYPE_CHECKING:
    from .block_device_mapping import BlockDeviceMapping
    from .iam_instance_profile import IAMInstanceProfile
    from .security_group import SecurityGroup
    from .ssh_key import SSHKey


@dataclass(eq=False)
class LaunchTemplate(Task):
    """TODO."""

    id: str | None = computed()
    associate_public_ip: bool | None = None
    block_device_mappings: list[BlockDeviceMapping] | None = None
    cpu_credits: str | None = None
    http_put_response_hop_limit: int | None = None
    http_tokens: str | None = None
    http_protocol_ipv6: str | None = None
    iam_instance_profile: IAMInstanceProfile | None = None
    image_id: str | None = None
    instance_interruption_behavior: str | None = None
    instance_monitoring: bool | None = None
    instance_type: str | None = None
    ipv6_address_count: int | None = None
    root_volume_iops: int | None = None
    root_volume_optimization: bool | None = None
    root_volume_size: int | None = None
    root_volume_throughput: int | None = None
    root_volume_type: str | None = None
    root_volume_encryption: bool | None = None
    root_volume_kms_key: str | None = None
    ssh_key: SSHKey | None = None
    security_groups: list[SecurityGroup] | None = None
    spot_price: str | None = None
    spot_duration_in_minutes: int | None = None
    tags: dict[str, str] | None = None
    tenancy: str | None = None
    user_data: str | None = None
