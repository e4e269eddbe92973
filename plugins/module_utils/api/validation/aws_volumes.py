# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which EBS volumes there are, as rows ("Amazon EBS volume types" of AWS' guide)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..cluster import Cluster
from ..instance_group import InstanceGroupSpec
from .problems import Problems, duplicate, invalid, one_of


@dataclass(frozen=True)
class VolumeType:
    """Least and most GiB, IOPS and MiB/s; None for what a type has no setting of, which is then left out."""

    size: tuple[int, int]
    iops: tuple[int, int] | None = None
    throughput: tuple[int, int] | None = None
    # Most IOPS for each GiB beyond the least that each volume has, and most MiB/s for each IOPS.
    iops_of_gib: int | None = None
    throughput_of_iops: float | None = None


TYPES: dict[str, VolumeType] = {
    "gp2": VolumeType((1, 16384)),
    "gp3": VolumeType((1, 65536), (3000, 80000), (125, 2000), 500, 0.25),
    "io1": VolumeType((4, 16384), (100, 64000), iops_of_gib=50),
    "io2": VolumeType((4, 65536), (100, 256000), iops_of_gib=1000),
    "st1": VolumeType((125, 16384)),
    "sc1": VolumeType((125, 16384)),
    "standard": VolumeType((1, 1024)),
}
_DEFAULT = "gp3"
_KMS_KEY = re.compile(r"arn:[^:]+:kms:\S+|alias/[A-Za-z0-9/_-]+|(?:mrk-)?[0-9A-Fa-f-]{32,36}")


def validate_etcd_volumes(cluster: Cluster, path: str = "spec.etcdClusters") -> Problems:
    """The volumes of members of etcd."""
    found: Problems = []
    for index, etcd in enumerate(cluster.spec.etcd_clusters):
        for position, member in enumerate(etcd.etcd_members):
            at = f"{path}[{index}].etcdMembers[{position}]"
            found += _validate(
                member.volume_type,
                {
                    f"{at}.volumeType": member.volume_type,
                    f"{at}.volumeSize": member.volume_size,
                    f"{at}.volumeIOPS": member.volume_iops,
                    f"{at}.volumeThroughput": member.volume_throughput,
                },
            )
    return found


def validate_volumes(spec: InstanceGroupSpec) -> Problems:
    """The root volume and further volumes of a group's instances. Which types boot is validated with the cluster."""
    found: Problems = []
    root = spec.root_volume
    if root is not None and (root.type is None or root.type in TYPES):
        at = "spec.rootVolume"
        places = {f"{at}.type": root.type, f"{at}.size": root.size, f"{at}.iops": root.iops}
        found += _validate(root.type, {**places, f"{at}.throughput": root.throughput})
    devices = [volume.device or "" for volume in spec.volumes]
    for index, volume in enumerate(spec.volumes):
        at = f"spec.volumes[{index}]"
        places = {f"{at}.type": volume.type or None, f"{at}.size": volume.size or None, f"{at}.iops": volume.iops}
        found += _validate(volume.type or None, {**places, f"{at}.throughput": volume.throughput}, least=True)
        if volume.device and volume.device in devices[:index]:
            found.append(duplicate(f"{at}.device", volume.device, "is the device of another volume"))
    return found


def _validate(kind: str | None, places: dict[str, object], *, least: bool = False) -> Problems:
    """places: path -> type, size, IOPS and throughput. least: whether IOPS and throughput are taken as they are given.

    Else, as in kops, what is less than the least is made so much.
    """
    (type_path, _kind), *numbers = places.items()
    if kind is not None and kind not in TYPES:
        return one_of(type_path, kind, tuple(TYPES))
    row, found = TYPES[kind or _DEFAULT], []
    for (path, value), limits, is_size in zip(numbers, (row.size, row.iops, row.throughput), (True, False, False)):
        if not isinstance(value, int) or limits is None or (not is_size and value <= 0):
            continue
        low = limits[0] if is_size or least else 0
        if not low <= value <= limits[1]:
            found.append(invalid(path, value, f"a volume of type {kind or _DEFAULT} has {limits[0]} to {limits[1]}"))
    return found or _validate_ratios(row, kind or _DEFAULT, numbers)


def _validate_ratios(row: VolumeType, kind: str, numbers: Sequence[tuple[str, object]]) -> Problems:
    (_path, size), (iops_path, iops), (throughput_path, throughput) = numbers
    if row.iops is None:
        return []
    found: Problems = []
    used = max(iops, row.iops[0]) if isinstance(iops, int) else row.iops[0]
    if row.iops_of_gib and isinstance(size, int) and size > 0 and used > max(row.iops[0], row.iops_of_gib * size):
        most = row.iops_of_gib * size
        message = f"a volume of type {kind} has at most {row.iops_of_gib} for each GiB, here {most}"
        found.append(invalid(iops_path, iops, message))
    if row.throughput_of_iops and isinstance(throughput, int) and throughput > row.throughput_of_iops * used:
        message = f"a volume of type {kind} has at most {row.throughput_of_iops} MiB/s for each of its {used} IOPS"
        found.append(invalid(throughput_path, throughput, message))
    return found


def validate_etcd_keys(cluster: Cluster, path: str = "spec.etcdClusters") -> Problems:
    """The keys by which the volumes of members of etcd are encrypted."""
    return [
        each
        for index, etcd in enumerate(cluster.spec.etcd_clusters)
        for position, member in enumerate(etcd.etcd_members)
        for each in _validate_key(member.kms_key_id, f"{path}[{index}].etcdMembers[{position}].kmsKeyID")
    ]


def validate_keys(spec: InstanceGroupSpec) -> Problems:
    """The keys by which the volumes of a group's instances are encrypted."""
    root = spec.root_volume
    found = _validate_key(root.encryption_key if root else None, "spec.rootVolume.encryptionKey")
    for index, volume in enumerate(spec.volumes):
        found += _validate_key(volume.key, f"spec.volumes[{index}].key")
    return found


def _validate_key(key: str | None, path: str) -> Problems:
    """What EC2 takes as a key of KMS. With another text, instances start, and end at once without a reason."""
    if not key or _KMS_KEY.fullmatch(key):
        return []
    return [invalid(path, key, "must be a key of KMS: its ARN, its id, or alias/name")]
