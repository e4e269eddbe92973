# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The EBS volumes of etcd's members. Tags and device names are kops' (etcd-manager, pkg/volumes/aws)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from xml.etree.ElementTree import Element

from ...base.errors import KopsError
from ..cloud.disks import Holder, MemberDisk
from ..stores.xml_service import ServiceError
from .api import AWS

_CLUSTER_TAG, _ETCD_TAG = "KubernetesCluster", "k8s.io/etcd/"
_DEVICES = tuple(f"/dev/xvd{letter}" for letter in "uvwxyz")
_BY_ID = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_"
# Another instance was faster, or the volume is still being made or detached.
_TAKEN = ("VolumeInUse", "IncorrectState")
_DEVICE_IN_USE = "InvalidParameterValue"
_GONE = "gone"
# A stopped instance keeps its volumes.
_LETTING_GO = ("shutting-down", "terminated", "stopping", _GONE)


class MemberVolumes:
    """Those of a cluster, as one instance sees them."""

    def __init__(self, aws: AWS, cluster: str) -> None:
        self.aws, self.cluster = aws, cluster
        self.instance = aws.told("meta-data/instance-id")
        self.zone = aws.told("meta-data/placement/availability-zone")

    def all(self) -> list[MemberDisk]:
        """See ClusterDisks."""
        request = {"Filter.1.Name": f"tag:{_CLUSTER_TAG}", "Filter.1.Value.1": self.cluster}
        answers = self.aws.pages("ec2", "DescribeVolumes", request)
        items = [item for answer in answers for item in answer.findall("volumeSet/item")]
        # By their own tags: an instance attaches what it finds here.
        ours = [item for item in items if _tags(item).get(_CLUSTER_TAG) == self.cluster]
        return sorted((volume for item in ours for volume in _read(item)), key=lambda volume: volume.id)

    def attach(self, disk: MemberDisk) -> bool:
        """See ClusterDisks. Raises KopsError if the instance has no name left for it."""
        for device in self._free_devices():
            request = {"VolumeId": disk.id, "InstanceId": self.instance, "Device": device}
            try:
                self.aws.call("ec2", "AttachVolume", request)
            except ServiceError as error:
                if error.code in _TAKEN:
                    return False
                if error.code != _DEVICE_IN_USE or device not in str(error):
                    raise
            else:
                return True
        raise KopsError(f"{disk} cannot be attached: {_DEVICES[0]} to {_DEVICES[-1]} of {self.instance} are in use")

    def holders(self, instances: Collection[str]) -> dict[str, Holder]:
        """See ClusterDisks."""
        states = {**dict.fromkeys(instances, (_GONE, "")), **dict(self._instances(instances))}
        return {name: Holder(state, state in _LETTING_GO, address) for name, (state, address) in states.items()}

    def paths(self, disk: MemberDisk) -> tuple[str, ...]:
        """See ClusterDisks: on machine types of today, and on old ones."""
        return (_BY_ID + disk.id.replace("-", ""), disk.device)

    def _free_devices(self) -> list[str]:
        answers = self.aws.pages("ec2", "DescribeInstances", {"InstanceId.1": self.instance})
        used = {each.text for answer in answers for each in answer.findall(".//blockDeviceMapping/item/deviceName")}
        return [device for device in _DEVICES if device not in used]

    def _instances(self, wanted: Collection[str]) -> Iterator[tuple[str, tuple[str, str]]]:
        """State and address of those that there are. By a filter, since an unknown id would be an error."""
        names = sorted(set(wanted))
        request = {"Filter.1.Name": "instance-id"}
        request.update({f"Filter.1.Value.{number}": name for number, name in enumerate(names, start=1)})
        for answer in self.aws.pages("ec2", "DescribeInstances", request) if names else ():
            for item in answer.findall("reservationSet/item/instancesSet/item"):
                address = item.findtext("privateIpAddress") or item.findtext("ipv6Address") or ""
                yield item.findtext("instanceId") or "", (item.findtext("instanceState/name") or "", address)


def _read(item: Element) -> Iterator[MemberDisk]:
    """The volume of a member; nothing for other volumes of the cluster."""
    if item.findtext("status") in ("deleting", "deleted", "error"):
        return
    attachment = item.find("attachmentSet/item")
    if attachment is not None and attachment.findtext("status") == "detached":
        attachment = None
    for key, value in _tags(item).items():
        member, _slash, members = value.partition("/")
        if not key.startswith(_ETCD_TAG) or not member:
            continue
        yield MemberDisk(
            id=item.findtext("volumeId") or "",
            zone=item.findtext("availabilityZone") or "",
            etcd=key[len(_ETCD_TAG) :],
            member=member,
            members=tuple(sorted({member, *filter(None, members.split(","))})),
            holder="" if attachment is None else attachment.findtext("instanceId") or "",
            device="" if attachment is None else attachment.findtext("device") or "",
            is_attached=attachment is not None and attachment.findtext("status") == "attached",
        )


def _tags(item: Element) -> dict[str, str]:
    return {tag.findtext("key") or "": tag.findtext("value") or "" for tag in item.findall("tagSet/item")}
