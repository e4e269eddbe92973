# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes of etcd's members in Cinder. Metadata and paths are kops' (etcd-manager, pkg/volumes/openstack)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..cloud.disks import Holder, MemberDisk
from ..stores.xml_service import ServiceError
from .api import BAD_REQUEST, CINDER, CONFLICT, NOVA, OpenStack
from .marks import CLUSTER_TAG, ETCD, addresses_of, metadata_of

# What the kernel shows of a volume's id: of a serial number, virtio has 20 characters.
_PATHS = ("/dev/disk/by-id/virtio-{:.20}", "/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_{:.20}")
_BY_ID = "/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_{}"
_IN_USE, _GONE = "in-use", "gone"
_GOING = ("deleting", "error")
# A server that was stopped keeps its volumes.
_LETTING_GO = ("DELETED", "SOFT_DELETED")


class MemberVolumes:
    """Those of a cluster, as one server sees them. instance: its uuid. zone: of Nova."""

    def __init__(self, openstack: OpenStack, cluster: str, instance: str, zone: str) -> None:
        self.openstack, self.cluster, self.instance, self._zone = openstack, cluster, instance, zone

    @property
    def zone(self) -> str:
        """See ClusterDisks: volumes say the zones of Nova that can attach them, if they have any of that name."""
        return self._zone

    def all(self) -> list[MemberDisk]:
        """See ClusterDisks."""
        found = self.openstack.listed(CINDER, "/volumes/detail", "volumes")
        # By their own metadata: an instance attaches what it finds here.
        ours = [each for each in found if metadata_of(each).get(CLUSTER_TAG) == self.cluster]
        return sorted((disk for each in ours for disk in self._read(each)), key=lambda disk: disk.id)

    def attach(self, disk: MemberDisk) -> bool:
        """See ClusterDisks."""
        body = {"volumeAttachment": {"volumeId": disk.id}}
        try:
            self.openstack.post(NOVA, f"/servers/{self.instance}/os-volume_attachments", body)
        except ServiceError as error:
            # Nova says so of volumes that are in use, or not available yet.
            if error.status == CONFLICT or (error.status == BAD_REQUEST and "status must be" in str(error).lower()):
                return False
            raise
        return True

    def holders(self, instances: Collection[str]) -> dict[str, Holder]:
        """See ClusterDisks."""
        found = {name: Holder(_GONE, lets_go=True) for name in instances}
        for name in found:
            answer = self.openstack.find(NOVA, f"/servers/{name}")
            if answer is not None:
                server = answer["server"]
                state, task = str(server["status"]), server.get("OS-EXT-STS:task_state")
                address = next(iter(addresses_of(server, "fixed")), "")
                found[name] = Holder(state.lower(), state in _LETTING_GO or task == "deleting", address)
        return found

    def paths(self, disk: MemberDisk) -> tuple[str, ...]:
        """See ClusterDisks. What Nova says of the device is a guess, and comes last."""
        by_id = (*(path.format(disk.id) for path in _PATHS), _BY_ID.format(disk.id))
        return (*by_id, *((disk.device,) if disk.device else ()))

    def _read(self, volume: Mapping[str, Any]) -> Iterator[MemberDisk]:
        if volume["status"].startswith(_GOING):
            return
        attached: Mapping[str, Any] = next(iter(volume.get("attachments") or ()), {})
        holder = str(attached.get("server_id") or "")
        is_own = holder == self.instance
        for key, value in metadata_of(volume).items():
            member, _slash, members = str(value).partition("/")
            if key.startswith(ETCD) and members:
                yield MemberDisk(
                    id=str(volume["id"]),
                    # A volume of another zone than Nova's is for all of them (override-volume-az).
                    zone=self._zone,
                    etcd=key[len(ETCD) :],
                    member=member,
                    members=tuple(members.split(",")),
                    holder=holder,
                    device=str(attached.get("device") or "") if is_own else "",
                    is_attached=is_own and volume["status"] == _IN_USE,
                )
