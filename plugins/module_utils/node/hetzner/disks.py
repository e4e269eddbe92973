# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes on which members of etcd keep their data, as one server sees them.

Their labels are those of kops, which say cluster and instance group; a member is in the volume's name
(etcd-1.etcd-main.example.com), and the members of an etcd cluster are those that have a volume.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from ..cloud.disks import Holder, MemberDisk
from ..stores.xml_service import ServiceError
from .api import Hetzner
from .marks import CLUSTER, ENDING, VOLUME_ROLE, labels_of, private_addresses

_BY_ID = "/dev/disk/by-id/scsi-0HC_Volume_{}"
_NAME = re.compile(r"([^.]+)\.etcd-([^.]+)\.(.+)")
_READY, _GONE = "available", "gone"
# The volume, or the server, is at work; or the volume is another's by now.
_NOT_NOW = ("locked", "conflict", "volume_already_attached", "resource_unavailable")


class MemberVolumes:
    """Those of a cluster, as one server sees them. instance: its number. zone: its location."""

    def __init__(self, hetzner: Hetzner, cluster: str, instance: str, zone: str) -> None:
        self.hetzner, self.cluster, self.instance, self._zone = hetzner, cluster, instance, zone

    @property
    def zone(self) -> str:
        """See ClusterDisks: volumes are attached in their own location."""
        return self._zone

    def all(self) -> list[MemberDisk]:
        """See ClusterDisks."""
        volumes: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
        for each in self.hetzner.listed("volumes", {CLUSTER: self.cluster}):
            named = _NAME.fullmatch(str(each["name"]))
            # By its own labels: an instance attaches what it finds here.
            is_own = labels_of(each).get(CLUSTER) == self.cluster
            if named and is_own and (labels_of(each).get(VOLUME_ROLE), self.cluster) == (named[2], named[3]):
                volumes.setdefault(named[2], []).append((named[1], each))
        found = []
        for etcd, of_members in volumes.items():
            members = tuple(sorted({member for member, _volume in of_members}))
            found += [self._read(etcd, member, members, volume) for member, volume in of_members]
        return sorted(found, key=lambda disk: disk.id)

    def attach(self, disk: MemberDisk) -> bool:
        """See ClusterDisks."""
        body = {"server": int(self.instance), "automount": False}
        try:
            self.hetzner.post(f"/volumes/{disk.id}/actions/attach", body)
        except ServiceError as error:
            if error.code in _NOT_NOW:
                return False
            raise
        return True

    def holders(self, instances: Collection[str]) -> dict[str, Holder]:
        """See ClusterDisks."""
        found = {}
        for name in instances:
            answer = self.hetzner.find(f"/servers/{name}") if name.isdecimal() else None
            if answer is None:
                found[name] = Holder(_GONE, lets_go=True)
            else:
                server = answer["server"]
                address = next(iter(private_addresses(server)), "")
                found[name] = Holder(str(server["status"]), server["status"] in ENDING, address)
        return found

    def paths(self, disk: MemberDisk) -> tuple[str, ...]:
        """See ClusterDisks."""
        return tuple(dict.fromkeys((_BY_ID.format(disk.id), *((disk.device,) if disk.device else ()))))

    def _read(self, etcd: str, member: str, members: tuple[str, ...], volume: Mapping[str, Any]) -> MemberDisk:
        holder = str(volume.get("server") or "")
        is_own = holder == self.instance
        return MemberDisk(
            id=str(volume["id"]),
            zone=str(volume["location"]["name"]),
            etcd=etcd,
            member=member,
            members=members,
            holder=holder,
            device=str(volume.get("linux_device") or "") if is_own else "",
            is_attached=is_own and volume["status"] == _READY,
        )
