# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A volume that outlives instances: the data of one etcd member."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import NEVER_DESTROYED, Literal, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, ImmutableField, computed
from ..cloud import intersect_tags, tag_specifications
from ._ec2 import VOLUMES, given, update_tags
from ._task import AWSTask

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud

ALIVE = ("creating", "available", "in-use")
MODIFIABLE = ("size_gb", "volume_type", "volume_iops", "volume_throughput")


@dataclass(eq=False, repr=False)
class EBSVolume(AWSTask):
    """An EBS volume. size_gb in GiB, volume_throughput in MiB/s; kms_key_id: key id, ARN or alias."""

    availability_zone: str | None = None
    encrypted: bool | None = None
    id: str | None = computed()
    kms_key_id: str | None = None
    size_gb: int | None = None
    tags: dict[str, str] | None = None
    volume_iops: int | None = None
    volume_throughput: int | None = None
    volume_type: str | None = None

    immutable: ClassVar[frozenset[str]] = frozenset({"availability_zone", "encrypted", "kms_key_id"})
    cloudformation_type = "AWS::EC2::Volume"

    def find(self, cloud: AWSCloud) -> EBSVolume | None:
        alive = [volume for volume in VOLUMES.tagged(cloud) if volume["State"] in ALIVE]
        volume = VOLUMES.owned(cloud, self, alive)
        if volume is None:
            return None
        return EBSVolume(
            name=self.name,
            id=volume["VolumeId"],
            availability_zone=volume["AvailabilityZone"],
            # Accounts can encrypt everything by default: more than what was asked for is no difference.
            encrypted=volume["Encrypted"] if self.encrypted else self.encrypted,
            kms_key_id=self._same_key(volume.get("KmsKeyId")),
            size_gb=volume["Size"],
            tags=intersect_tags(volume.get("Tags"), self.tags),
            volume_iops=volume.get("Iops"),
            volume_throughput=volume.get("Throughput"),
            volume_type=volume["VolumeType"],
        )

    def _same_key(self, arn: str | None) -> str | None:
        """AWS answers with the key's ARN; the id is its end, and an alias cannot be compared with it."""
        wanted = self.kms_key_id
        if wanted and arn and ("alias/" in wanted or arn.endswith(f"/{wanted}")):
            return wanted
        return arn

    def check(self, cloud: AWSCloud, actual: EBSVolume | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        if actual is not None and "size_gb" in changes and (self.size_gb or 0) < (actual.size_gb or 0):
            raise ImmutableField(
                f"{self.key} has {actual.size_gb} GiB and cannot shrink to {self.size_gb}: a volume can only grow"
            )

    def create(self, cloud: AWSCloud) -> None:
        if self.id is None:
            answer = cloud.client("ec2").create_volume(
                **given(
                    AvailabilityZone=self.availability_zone,
                    Encrypted=self.encrypted,
                    KmsKeyId=self.kms_key_id,
                    **self._shape(),
                ),
                TagSpecifications=tag_specifications("volume", self.tags),
            )
            self.id = answer["VolumeId"]

    def update(self, cloud: AWSCloud, actual: EBSVolume, changes: dict[str, Change]) -> None:
        update_tags(cloud, self, actual, changes)
        if changes.keys() & set(MODIFIABLE):
            cloud.client("ec2").modify_volume(VolumeId=actual.id, **given(**self._shape()))

    def _shape(self) -> dict[str, Any]:
        return {
            "Size": self.size_gb,
            "VolumeType": self.volume_type,
            "Iops": self.volume_iops,
            "Throughput": self.volume_throughput,
        }

    def cloudformation(self, target: CloudFormationTarget) -> None:
        target.resource(self, self.cloudformation_type, self.resource_properties(target), keep=True)

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "AvailabilityZone": self.availability_zone,
            "Encrypted": self.encrypted,
            "Iops": self.volume_iops,
            "KmsKeyId": self.kms_key_id or None,
            "Size": self.size_gb,
            "Tags": tags(self.tags),
            "Throughput": self.volume_throughput,
            "VolumeType": self.volume_type,
        }

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            "aws_ebs_volume",
            self._terraform_name(),
            {
                "availability_zone": self.availability_zone,
                "encrypted": self.encrypted,
                "iops": self.volume_iops,
                "kms_key_id": self.kms_key_id,
                "lifecycle": NEVER_DESTROYED,
                "size": self.size_gb,
                "tags": self.tags,
                "throughput": self.volume_throughput,
                "type": self.volume_type,
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        yield Import("aws_ebs_volume", self._terraform_name(), str(self.id))

    def terraform_link(self) -> Literal:
        """The volume's id as other resources write it."""
        return reference("aws_ebs_volume", self._terraform_name())

    def _terraform_name(self) -> str:
        return f"ebs-{self.name}" if self.name[:1].isdigit() else self.name
