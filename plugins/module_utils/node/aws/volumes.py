# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes of etcd's members: an instance takes those of one member in its zone, for all etcd clusters.

Attaching is the lock: EC2 attaches a volume to one instance only. Tags and device names are kops' (etcd-manager,
pkg/volumes/aws). Unlike there, an instance is one member of all its etcd clusters, and volumes are taken in the same
order by all, so that none is left with half of a member.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from ...base.errors import KopsError
from ..cloud.disks import EtcdDisk
from ..stores.xml_service import ServiceError
from ..waiting import say
from .api import AWS

_CLUSTER_TAG, _ETCD_TAG = "KubernetesCluster", "k8s.io/etcd/"
_DEVICES = tuple(f"/dev/xvd{letter}" for letter in "uvwxyz")
_BY_ID = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_"
# Another instance was faster, or the volume is still being made or detached.
_TAKEN = ("VolumeInUse", "IncorrectState")
_DEVICE_IN_USE = "InvalidParameterValue"
_LETTING_GO = ("shutting-down", "terminated", "stopping")
_GONE = "gone"
# Seconds: for a holder that is being terminated, for EC2 to attach, and for the kernel to see the disk.
_HOLDER_SECONDS, _ATTACH_SECONDS, _DEVICE_SECONDS, _POLL = 300.0, 120.0, 60.0, 1.0


@dataclass(frozen=True)
class Volume:
    """A volume of a member. holder: the instance that it is attached to, or being attached to or detached from."""

    id: str
    zone: str
    etcd: str
    member: str
    members: tuple[str, ...]
    holder: str = ""
    device: str = ""
    is_attached: bool = False

    def __str__(self) -> str:
        return f"volume {self.id} (member {self.member} of etcd cluster {self.etcd})"


class MemberVolumes:
    """Those of a cluster, as one instance sees them. root: of its devices; another one than "/" in tests."""

    def __init__(self, aws: AWS, cluster: str, root: str = "/") -> None:
        self.aws, self.cluster, self.root = aws, cluster, root
        self.instance = aws.told("meta-data/instance-id")
        self.zone = aws.told("meta-data/placement/availability-zone")

    def claim(self, group: str, etcds: Iterable[str], *, check: bool = False) -> dict[str, EtcdDisk]:
        """Become a member of these etcd clusters, in their order. Returns the disk of each.

        Of the free members it takes the one whose name the group's ends with ("control-plane-us-east-1a" and "a"), else
        the first one. What it holds already it keeps. Raises KopsError, which names volume, holder, and what to do.
        """
        deadline, told = time.monotonic() + _HOLDER_SECONDS, ""
        etcds = list(etcds)
        while True:
            known = [volume for volume in self.all() if volume.etcd in etcds]
            found = self._by_member(known, etcds)
            name, reason = self._choose(found, group)
            if name:
                self._check_alone(found[name].values(), known)
                if check and not all(volume.holder for volume in found[name].values()):
                    raise KopsError(f"this instance would attach {_listed(found[name].values())}; check mode ends here")
                if all(self._attach(volume) for volume in found[name].values()):
                    return {etcd: self._ready(volume) for etcd, volume in found[name].items()}
                reason = f"{_listed(found[name].values())}: another instance was faster, or EC2 is not done with them"
            if reason != told and not check:
                say(f"waiting for volumes of etcd: {reason}")
                told = reason
            if check or time.monotonic() >= deadline:
                raise KopsError(f"no member of etcd has become free: {reason}")
            time.sleep(_POLL * random.uniform(0.5, 1))  # noqa: S311

    def _by_member(self, known: list[Volume], etcds: list[str]) -> dict[str, dict[str, Volume]]:
        """Member -> etcd cluster -> its volume in this zone; only members with a volume of each."""
        found: dict[str, dict[str, Volume]] = {}
        here = [volume for volume in known if volume.zone == self.zone]
        for volume in here:
            other = found.setdefault(volume.member, {}).setdefault(volume.etcd, volume)
            if other is not volume:
                raise KopsError(
                    f"{other} and volume {volume.id} are the same member in {self.zone}; delete one of them"
                )
        whole = {
            name: {etcd: volumes[etcd] for etcd in etcds}
            for name, volumes in sorted(found.items())
            if set(volumes) == set(etcds)
        }
        if not whole:
            raise KopsError(
                f"zone {self.zone} has no member with a volume of each etcd cluster ({', '.join(etcds)}) of "
                f"{self.cluster}; it has {_listed(here) or 'none'}. Run update_cluster, which makes those that are "
                "missing, or start this instance in a zone of its members"
            )
        return whole

    def _check_alone(self, mine: Iterable[Volume], known: list[Volume]) -> None:
        """Nothing else may be the member: whoever has it would be taken out. Raises KopsError."""
        for volume in mine:
            others = [each for each in known if (each.etcd, each.member) == (volume.etcd, volume.member)]
            if volume.holder != self.instance and len(others) > 1:
                twice = ", ".join(f"{each.id} in {each.zone}" for each in others)
                raise KopsError(f"{volume} is not the only one of this member: {twice}. Delete those that are not used")

    def _choose(self, found: Mapping[str, Mapping[str, Volume]], group: str) -> tuple[str, str]:
        """The member to become, or why there is none yet. Raises KopsError if waiting does not help."""
        mine = [name for name, each in found.items() if any(volume.holder == self.instance for volume in each.values())]
        if len(mine) > 1:
            own = [volume for name in mine for volume in found[name].values() if volume.holder == self.instance]
            raise KopsError(f"this instance holds volumes of different members: {_listed(own)}; detach those of one")
        held = {
            name: [volume for volume in found[name].values() if volume.holder not in ("", self.instance)]
            for name in mine or found
        }
        free = sorted((name for name in held if not held[name]), key=lambda name: (not group.endswith(name), name))
        if free:
            return free[0], ""
        states = self._states({volume.holder for volumes in held.values() for volume in volumes})
        said = "; ".join(
            f"{volume} is attached to {volume.holder}, which is {states[volume.holder]}"
            for volumes in held.values()
            for volume in volumes
        )
        if any(all(states[volume.holder] in (*_LETTING_GO, _GONE) for volume in each) for each in held.values()):
            return "", said
        raise KopsError(
            f"no member of etcd is free in {self.zone}: {said}. Terminate the instance that this one replaces "
            "(a stopped one keeps its volumes), or detach its volumes"
        )

    def _attach(self, volume: Volume) -> bool:
        """Whether this instance has it. False if another one was faster."""
        if volume.holder == self.instance:
            return True
        for device in self._free_devices():
            request = {"VolumeId": volume.id, "InstanceId": self.instance, "Device": device}
            try:
                self.aws.call("ec2", "AttachVolume", request)
            except ServiceError as error:
                if error.code in _TAKEN:
                    return False
                if error.code != _DEVICE_IN_USE or device not in str(error):
                    raise
            else:
                return True
        raise KopsError(f"{volume} cannot be attached: {_DEVICES[0]} to {_DEVICES[-1]} of {self.instance} are in use")

    def _free_devices(self) -> list[str]:
        answers = self.aws.pages("ec2", "DescribeInstances", {"InstanceId.1": self.instance})
        used = {each.text for answer in answers for each in answer.findall(".//blockDeviceMapping/item/deviceName")}
        return [device for device in _DEVICES if device not in used]

    def _ready(self, volume: Volume) -> EtcdDisk:
        """Wait until EC2 has attached it, and the kernel has its disk."""
        end, is_told = time.monotonic() + _ATTACH_SECONDS, False
        while True:
            volume = next((each for each in self.all() if each.id == volume.id), volume)
            if volume.holder == self.instance and volume.is_attached:
                break
            if volume.holder not in ("", self.instance):
                raise KopsError(f"{volume} was attached to {volume.holder} instead of this instance")
            if time.monotonic() >= end:
                raise KopsError(f"{volume} is not attached after {_ATTACH_SECONDS:g} s; EC2 has not said why")
            if not is_told:
                say(f"waiting for EC2 to attach {volume}")
                is_told = True
            time.sleep(_POLL)
        return EtcdDisk(volume.id, self._device(volume), volume.member, volume.members)

    def _device(self, volume: Volume) -> str:
        """The path of its disk, when the kernel has it."""
        names = (_BY_ID + volume.id.replace("-", ""), volume.device)
        end, is_told = time.monotonic() + _DEVICE_SECONDS, False
        while True:
            for name in names:
                if os.path.exists(os.path.join(self.root, name.lstrip("/"))):
                    return name
            if time.monotonic() >= end:
                raise KopsError(
                    f"{volume} is attached, but after {_DEVICE_SECONDS:g} s there is neither {' nor '.join(names)}; "
                    "detach and attach it, or terminate this instance"
                )
            if not is_told:
                say(f"waiting for the disk of {volume}")
                is_told = True
            time.sleep(_POLL)

    def all(self) -> list[Volume]:
        """The volumes of all members, in all zones."""
        request = {"Filter.1.Name": f"tag:{_CLUSTER_TAG}", "Filter.1.Value.1": self.cluster}
        answers = self.aws.pages("ec2", "DescribeVolumes", request)
        items = [item for answer in answers for item in answer.findall("volumeSet/item")]
        # By their own tags: an instance attaches what it finds here.
        ours = [item for item in items if _tags(item).get(_CLUSTER_TAG) == self.cluster]
        return sorted((volume for item in ours for volume in _read(item)), key=lambda volume: volume.id)

    def addresses(self) -> dict[tuple[str, str], str]:
        """Etcd cluster and member -> the address of its holder, as the holder itself knows it."""
        held = [volume for volume in self.all() if volume.holder]
        found = dict(self._instances(volume.holder for volume in held))
        places = {name: _address(item) for name, item in found.items()}
        return {(volume.etcd, volume.member): places[volume.holder] for volume in held if places.get(volume.holder)}

    def _states(self, instances: Iterable[str]) -> dict[str, str]:
        names = set(instances)
        found = {name: item.findtext("instanceState/name") or "" for name, item in self._instances(names)}
        return {**dict.fromkeys(names, _GONE), **found}

    def _instances(self, wanted: Iterable[str]) -> Iterator[tuple[str, Element]]:
        """What EC2 says of those that there are. By a filter, since an unknown id would be an error."""
        names = sorted(set(wanted))
        request = {"Filter.1.Name": "instance-id"}
        request.update({f"Filter.1.Value.{number}": name for number, name in enumerate(names, start=1)})
        for answer in self.aws.pages("ec2", "DescribeInstances", request) if names else ():
            for item in answer.findall("reservationSet/item/instancesSet/item"):
                yield item.findtext("instanceId") or "", item


def _read(item: Element) -> Iterator[Volume]:
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
        yield Volume(
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


def _address(item: Element) -> str:
    return item.findtext("privateIpAddress") or item.findtext("ipv6Address") or ""


def _listed(volumes: Iterable[Volume]) -> str:
    return ", ".join(map(str, volumes))
