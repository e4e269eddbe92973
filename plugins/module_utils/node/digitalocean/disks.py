# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes on which members of etcd keep their data, as one droplet sees them.

Their tags are those of kops (etcd-manager, pkg/volumes/do), which say cluster, etcd cluster and member; the members of
an etcd cluster are those that have a volume. Volumes are made before the first control plane.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..cloud.disks import Holder, MemberDisk
from ..stores.xml_service import ServiceError
from .api import CONFLICT, UNPROCESSABLE, DigitalOcean
from .marks import ENDED, ETCD, addresses_of, is_of, tags_of

_BY_ID = "/dev/disk/by-id/scsi-0DO_Volume_{}"
_GONE = "gone"
# What the API says of a volume, or a droplet, that is busy, or that another one has.
_NOT_NOW = ("already attached", "already has", "attached to", "pending", "in progress")


class MemberVolumes:
    """Those of a cluster, as one droplet sees them. instance: its id. zone: its region."""

    def __init__(self, api: DigitalOcean, cluster: str, instance: str, zone: str) -> None:
        self.api, self.cluster, self.instance, self._zone = api, cluster, instance, zone

    @property
    def zone(self) -> str:
        """See ClusterDisks: volumes are attached in their own region."""
        return self._zone

    def all(self) -> list[MemberDisk]:
        """See ClusterDisks."""
        volumes: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
        # By its own tags: an instance attaches what it finds here.
        for each in self.api.listed("volumes", region=self._zone):
            if is_of(each, self.cluster):
                for key, member in tags_of(each).items():
                    if key.startswith(ETCD) and member:
                        volumes.setdefault(key[len(ETCD) :], []).append((member, each))
        found = []
        for etcd, of_members in volumes.items():
            members = tuple(sorted({member for member, _volume in of_members}))
            found += [self._read(etcd, member, members, volume) for member, volume in of_members]
        return sorted(found, key=lambda disk: disk.id)

    def attach(self, disk: MemberDisk) -> bool:
        """See ClusterDisks."""
        body = {"type": "attach", "droplet_id": int(self.instance), "region": self._zone}
        try:
            self.api.post(f"/volumes/{disk.id}/actions", body)
        except ServiceError as error:
            said = str(error).lower()
            if error.status == CONFLICT or (error.status == UNPROCESSABLE and any(each in said for each in _NOT_NOW)):
                return False
            raise
        return True

    def holders(self, instances: Collection[str]) -> dict[str, Holder]:
        """See ClusterDisks. A droplet that is off keeps its volumes."""
        found = {}
        for name in instances:
            answer = self.api.find(f"/droplets/{name}") if name.isdecimal() else None
            if answer is None:
                found[name] = Holder(_GONE, lets_go=True)
            else:
                droplet = answer["droplet"]
                address = next(iter(addresses_of(droplet, "private")), "")
                found[name] = Holder(str(droplet["status"]), droplet["status"] in ENDED, address)
        return found

    def paths(self, disk: MemberDisk) -> tuple[str, ...]:
        """See ClusterDisks."""
        return (disk.device,)

    def _read(self, etcd: str, member: str, members: tuple[str, ...], volume: Mapping[str, Any]) -> MemberDisk:
        holder = "".join(str(each) for each in (volume.get("droplet_ids") or ())[:1])
        return MemberDisk(
            id=str(volume["id"]),
            zone=str(volume["region"]["slug"]),
            etcd=etcd,
            member=member,
            members=members,
            holder=holder,
            # The kernel shows the name, and never the id.
            device=_BY_ID.format(volume["name"]),
            is_attached=holder == self.instance,
        )
