# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A volume that an instance gets, as a launch template says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....engine.targets.hcl import Block
from ._ec2 import given

# Volume types whose speed can be chosen.
WITH_IOPS = frozenset({"gp3", "io1", "io2"})
WITH_THROUGHPUT = frozenset({"gp3"})


@dataclass
class BlockDeviceMapping:
    """An EBS volume (sizes in GiB, throughput in MiB/s), or an instance's own disk (virtual_name)."""

    device_name: str | None = None
    ebs_delete_on_termination: bool | None = None
    ebs_encrypted: bool | None = None
    ebs_kms_key: str | None = None
    ebs_volume_iops: int | None = None
    ebs_volume_throughput: int | None = None
    ebs_volume_size: int | None = None
    ebs_volume_type: str | None = None
    virtual_name: str | None = None

    def request(self) -> dict[str, Any]:
        """The mapping as the EC2 API takes it."""
        if self.virtual_name:
            return {"DeviceName": self.device_name, "VirtualName": self.virtual_name}
        volume = given(
            DeleteOnTermination=self.ebs_delete_on_termination,
            Encrypted=self.ebs_encrypted,
            VolumeSize=self.ebs_volume_size,
            VolumeType=self.ebs_volume_type,
            Iops=self.ebs_volume_iops if self.ebs_volume_type in WITH_IOPS else None,
            Throughput=self.ebs_volume_throughput if self.ebs_volume_type in WITH_THROUGHPUT else None,
            KmsKeyId=(self.ebs_kms_key or None) if self.ebs_encrypted else None,
        )
        return {"DeviceName": self.device_name, "Ebs": volume}

    @classmethod
    def found(cls, mapping: dict[str, Any]) -> BlockDeviceMapping:
        """The mapping that the EC2 API describes."""
        volume = mapping.get("Ebs") or {}
        return cls(
            device_name=mapping.get("DeviceName"),
            virtual_name=mapping.get("VirtualName"),
            ebs_delete_on_termination=volume.get("DeleteOnTermination"),
            ebs_encrypted=volume.get("Encrypted"),
            ebs_kms_key=volume.get("KmsKeyId"),
            ebs_volume_iops=volume.get("Iops"),
            ebs_volume_throughput=volume.get("Throughput"),
            ebs_volume_size=volume.get("VolumeSize"),
            ebs_volume_type=volume.get("VolumeType"),
        )

    def block(self) -> Block:
        """The mapping as a Terraform block."""
        if self.virtual_name:
            return Block(device_name=self.device_name, virtual_name=self.virtual_name)
        volume = Block(
            # kops' Terraform never keeps a volume, whatever the mapping says.
            delete_on_termination=True,
            encrypted=self.ebs_encrypted,
            iops=self.ebs_volume_iops,
            kms_key_id=self.ebs_kms_key,
            throughput=self.ebs_volume_throughput,
            volume_size=self.ebs_volume_size,
            volume_type=self.ebs_volume_type,
        )
        return Block(device_name=self.device_name, ebs=volume)
