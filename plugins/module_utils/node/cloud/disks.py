# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The disks of etcd's members in a cloud."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class MemberDisk:
    """The disk of a member of etcd.

    id: its name in the cloud. etcd: the etcd cluster. members: the names of all members of that. device: the name that
    it is attached by, which need not be that of the kernel.
    holder: the instance that it is attached to, or being attached to or detached from; "" for none.
    """

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


@dataclass(frozen=True)
class Holder:
    """An instance that has a disk. state: in the cloud's words. lets_go: whether it ends, or is gone, so that its disks
    become free by themselves. address: where others reach it, "" if that is not known.
    """

    state: str
    lets_go: bool = False
    address: str = ""


class ClusterDisks(Protocol):
    """The disks of a cluster's members of etcd, as one instance sees them.

    The cloud attaches a disk to one instance only: that is the lock by which members are told apart.
    All methods raise KopsError or OSError, which are worth another try.
    """

    @property
    def instance(self) -> str:
        """The id of the instance that the process runs on."""

    @property
    def zone(self) -> str:
        """Its zone: it can attach the disks there."""

    def all(self) -> list[MemberDisk]:
        """Those of all members, in all zones, by their id."""

    def attach(self, disk: MemberDisk) -> bool:
        """Begin to attach a disk. False if another instance was faster, or the cloud is not done with the disk."""

    def holders(self, instances: Collection[str]) -> Mapping[str, Holder]:
        """Each of these instances, those that are gone as well."""

    def paths(self, disk: MemberDisk) -> Sequence[str]:
        """The paths that an attached disk may have on this machine, the best first."""


class Disks(Protocol):
    """The disks of members of etcd."""

    def cluster_disks(self, cluster: str) -> ClusterDisks:
        """Those of a cluster. Raises KopsError, OSError."""
