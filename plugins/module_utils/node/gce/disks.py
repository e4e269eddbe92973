# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The persistent disks of etcd's members. Labels and paths are kops' (etcd-manager, pkg/volumes/gce)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..cloud.disks import Holder, MemberDisk
from ..stores.xml_service import ServiceError
from .api import COMPUTE, Google, last_part
from .marks import CLUSTER_LABEL, ETCD_LABEL, decoded, label_of, search_of

_BY_ID = "/dev/disk/by-id/google-"
# Another instance was faster, or the disk is still being made or detached: as requests say it, and as operations do.
_TAKEN = (
    "resourceInUseByAnotherResource",
    "resourceNotReady",
    "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE",
    "RESOURCE_NOT_READY",
)
_GONE = "gone"
# An instance that was stopped (TERMINATED) keeps its disks.
_LETTING_GO = ("STOPPING", _GONE)
_READY = "READY"


class LabelledDisks:
    """Those of a cluster, as one instance sees them.

    The label of a cluster has no dots, so clusters whose names differ in these only must not share a project.
    """

    def __init__(self, google: Google, cluster: str) -> None:
        self.google, self.cluster = google, cluster
        self.instance, self.zone = google.instance, google.zone
        # Names of instances are unique in a zone: a disk is in the zone of its holder.
        self._zones: dict[str, str] = {}

    def all(self) -> list[MemberDisk]:
        """See ClusterDisks. The members of an etcd cluster are those that have disks."""
        found = [each for each in self.google.in_region("disks", search_of(self.cluster)) if self._is_ours(each)]
        members: dict[str, set[str]] = {}
        for described in found:
            for etcd, member in _members(described):
                members.setdefault(etcd, set()).add(member)
        own = self._attached() if any(self.instance in _users(each) for each in found) else {}
        read = [
            self._read(described, etcd, member, tuple(sorted(members[etcd])), own)
            for described in found
            for etcd, member in _members(described)
        ]
        self._zones.update({disk.holder: disk.zone for disk in read if disk.holder})
        return sorted(read, key=lambda disk: disk.id)

    def attach(self, disk: MemberDisk) -> bool:
        """See ClusterDisks. It waits until the disk is attached."""
        place = f"zones/{self.zone}/disks/{disk.id}"
        wanted = {
            "source": f"projects/{self.google.project}/{place}",
            # The kernel's name of the disk is made of it.
            "deviceName": disk.id,
            "type": "PERSISTENT",
            "mode": "READ_WRITE",
            "autoDelete": False,
        }
        try:
            self.google.operate(f"zones/{self.zone}/instances/{self.instance}/attachDisk", wanted)
        except ServiceError as error:
            if error.code in _TAKEN:
                return False
            raise
        return True

    def holders(self, instances: Collection[str]) -> dict[str, Holder]:
        """See ClusterDisks: in the zones of the disks that they hold."""
        found = {name: Holder(_GONE, lets_go=True) for name in instances}
        for name in sorted(found):
            zone = self._zones.get(name, self.zone)
            described = self.google.find_object(COMPUTE, f"zones/{zone}/instances/{name}")
            if described is not None:
                state = str(described.get("status") or "")
                found[name] = Holder(state.lower(), state in _LETTING_GO, address_of(described))
        return found

    def paths(self, disk: MemberDisk) -> tuple[str, ...]:
        """See ClusterDisks."""
        return (_BY_ID + (disk.device or disk.id),)

    def _is_ours(self, described: Mapping[str, Any]) -> bool:
        """By its own labels: an instance attaches what it finds here."""
        labels = described.get("labels") or {}
        return labels.get(CLUSTER_LABEL) == label_of(self.cluster)

    def _attached(self) -> dict[str, str]:
        """Disk of this zone -> the name that it is attached by, of those that this instance has."""
        described = self.google.get(COMPUTE, f"zones/{self.zone}/instances/{self.instance}")
        disks = [each for each in described.get("disks") or () if each.get("source")]
        return {last_part(each["source"]): str(each.get("deviceName") or "") for each in disks}

    def _read(
        self, described: Mapping[str, Any], etcd: str, member: str, members: tuple[str, ...], own: Mapping[str, str]
    ) -> MemberDisk:
        name, users = str(described["name"]), _users(described)
        zone = last_part(str(described.get("zone") or ""))
        is_own = zone == self.zone and name in own
        # A disk that is being made cannot be attached: the cloud says so to whoever tries.
        return MemberDisk(
            id=name,
            zone=zone,
            etcd=etcd,
            member=member,
            members=members,
            holder=self.instance if is_own else next(iter(users), ""),
            device=own[name] if is_own else "",
            is_attached=is_own and described.get("status", _READY) == _READY,
        )


def address_of(described: Mapping[str, Any]) -> str:
    """The address of an instance's first interface, by which others reach it; "" for none yet."""
    interface: Mapping[str, Any] = next(iter(described.get("networkInterfaces") or ()), {})
    return str(interface.get("networkIP") or interface.get("ipv6Address") or "")


def _users(described: Mapping[str, Any]) -> list[str]:
    """The instances that a disk is attached to: one, unless it is only read."""
    return [last_part(user) for user in described.get("users") or ()]


def _members(described: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Etcd cluster and member that a disk is of; nothing for other disks of the cluster."""
    if described.get("status") in ("DELETING", "FAILED"):
        return
    for key, value in (described.get("labels") or {}).items():
        # The value is "<member>/<members>", of which kops' clusters have the first member only.
        member = decoded(str(value)).partition("/")[0]
        if key.startswith(ETCD_LABEL) and member:
            yield key[len(ETCD_LABEL) :], member
