# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The members of etcd that an instance is: it takes the disks of one member in its zone, for all etcd clusters.

Attaching is the lock: a cloud attaches a disk to one instance only. Unlike in kops (etcd-manager), an instance is one
member of all its etcd clusters, and disks are taken in the same order by all instances. So of several that begin at
once, one gets all disks of a member, and the others none of them.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...base.errors import KopsError
from ..cloud.disks import ClusterDisks, Disks, MemberDisk
from ..system.waiting import say

# Seconds: for a holder that is being terminated, for the cloud to attach, and for the kernel to see the disk.
_HOLDER_SECONDS, _ATTACH_SECONDS, _DEVICE_SECONDS, _POLL = 300.0, 120.0, 60.0, 1.0


@dataclass(frozen=True)
class EtcdDisk:
    """The disk of a member that this instance is. volume: its name in the cloud. device: its path on this machine.

    members: the names of all members of its etcd cluster.
    """

    volume: str
    device: str
    member: str
    members: tuple[str, ...]


class EtcdDisks(Protocol):
    """Which members an instance is, and where the others are.

    All methods raise KopsError or OSError, which are worth another try.
    """

    def etcd_disks(self, cluster: str, group: str, etcds: Sequence[str], *, check: bool) -> dict[str, EtcdDisk]:
        """Attach the disks of one member of these etcd clusters, which no other instance has. check: only look."""

    def etcd_addresses(self, cluster: str) -> dict[tuple[str, str], str]:
        """Etcd cluster and member -> the address of the instance that has its disk now."""


class MemberDisks:
    """EtcdDisks in a cloud that has disks. root: of the machine's files."""

    def __init__(self, cloud: Disks, root: str = "/") -> None:
        self._cloud, self._root = cloud, root

    def etcd_disks(self, cluster: str, group: str, etcds: Sequence[str], *, check: bool) -> dict[str, EtcdDisk]:
        """See EtcdDisks."""
        return _Claim(self._cloud.cluster_disks(cluster), cluster, self._root).run(group, etcds, check=check)

    def etcd_addresses(self, cluster: str) -> dict[tuple[str, str], str]:
        """See EtcdDisks: by the holders of all disks, in all zones."""
        disks = self._cloud.cluster_disks(cluster)
        held = [disk for disk in disks.all() if disk.holder]
        holders = disks.holders({disk.holder for disk in held})
        places = {(disk.etcd, disk.member): holders[disk.holder].address for disk in held if disk.holder in holders}
        return {member: address for member, address in places.items() if address}


class _Claim:
    def __init__(self, disks: ClusterDisks, cluster: str, root: str) -> None:
        self._disks, self._cluster, self._root = disks, cluster, root
        self._instance, self._zone = disks.instance, disks.zone

    def run(self, group: str, etcds: Sequence[str], *, check: bool) -> dict[str, EtcdDisk]:
        """Become a member of these etcd clusters, in their order. Returns the disk of each.

        Of the free members it takes the one whose name the group's ends with ("control-plane-us-east-1a" and "a"), else
        the first one. What it holds already it keeps. Raises KopsError, which names disk, holder, and what to do.
        """
        deadline, told = time.monotonic() + _HOLDER_SECONDS, ""
        while True:
            known = [disk for disk in self._disks.all() if disk.etcd in etcds]
            found = self._by_member(known, etcds)
            name, reason = self._choose(found, group)
            if name:
                self._check_alone(found[name].values(), known)
                if check and not all(disk.holder for disk in found[name].values()):
                    raise KopsError(f"this instance would attach {_listed(found[name].values())}; check mode ends here")
                if all(self._attach(disk) for disk in found[name].values()):
                    return {etcd: self._ready(disk) for etcd, disk in found[name].items()}
                reason = (
                    f"{_listed(found[name].values())}: another instance was faster, or the cloud is not done with them"
                )
            if reason != told and not check:
                say(f"waiting for volumes of etcd: {reason}")
                told = reason
            if check or time.monotonic() >= deadline:
                raise KopsError(f"no member of etcd has become free: {reason}")
            time.sleep(_POLL * random.uniform(0.5, 1))  # noqa: S311

    def _by_member(self, known: Sequence[MemberDisk], etcds: Sequence[str]) -> dict[str, dict[str, MemberDisk]]:
        """Member -> etcd cluster -> its disk in this zone; only members with a disk of each."""
        found: dict[str, dict[str, MemberDisk]] = {}
        here = [disk for disk in known if disk.zone == self._zone]
        for disk in here:
            other = found.setdefault(disk.member, {}).setdefault(disk.etcd, disk)
            if other is not disk:
                raise KopsError(f"{other} and volume {disk.id} are the same member in {self._zone}; delete one of them")
        whole = {
            name: {etcd: disks[etcd] for etcd in etcds}
            for name, disks in sorted(found.items())
            if set(disks) == set(etcds)
        }
        if not whole:
            raise KopsError(
                f"zone {self._zone} has no member with a volume of each etcd cluster ({', '.join(etcds)}) of "
                f"{self._cluster}; it has {_listed(here) or 'none'}. Run update_cluster, which makes those that are "
                "missing, or start this instance in a zone of its members"
            )
        return whole

    def _check_alone(self, mine: Iterable[MemberDisk], known: Sequence[MemberDisk]) -> None:
        """Nothing else may be the member: whoever has it would be taken out. Raises KopsError."""
        for disk in mine:
            others = [each for each in known if (each.etcd, each.member) == (disk.etcd, disk.member)]
            if disk.holder != self._instance and len(others) > 1:
                twice = ", ".join(f"{each.id} in {each.zone}" for each in others)
                raise KopsError(f"{disk} is not the only one of this member: {twice}. Delete those that are not used")

    def _choose(self, found: Mapping[str, Mapping[str, MemberDisk]], group: str) -> tuple[str, str]:
        """The member to become, or why there is none yet. Raises KopsError if waiting does not help."""
        mine = [name for name, each in found.items() if any(disk.holder == self._instance for disk in each.values())]
        if len(mine) > 1:
            own = [disk for name in mine for disk in found[name].values() if disk.holder == self._instance]
            raise KopsError(f"this instance holds volumes of different members: {_listed(own)}; detach those of one")
        held = {
            name: [disk for disk in found[name].values() if disk.holder not in ("", self._instance)]
            for name in mine or found
        }
        free = sorted((name for name in held if not held[name]), key=lambda name: (not group.endswith(name), name))
        if free:
            return free[0], ""
        holders = self._disks.holders({disk.holder for disks in held.values() for disk in disks})
        said = "; ".join(
            f"{disk} is attached to {disk.holder}, which is {holders[disk.holder].state}"
            for disks in held.values()
            for disk in disks
        )
        if any(all(holders[disk.holder].lets_go for disk in disks) for disks in held.values()):
            return "", said
        raise KopsError(
            f"no member of etcd is free in {self._zone}: {said}. Terminate the instance that this one replaces "
            "(a stopped one keeps its volumes), or detach its volumes"
        )

    def _attach(self, disk: MemberDisk) -> bool:
        """Whether this instance has it. False if another one was faster."""
        return disk.holder == self._instance or self._disks.attach(disk)

    def _ready(self, disk: MemberDisk) -> EtcdDisk:
        """Wait until the cloud has attached it, and the kernel has it."""
        end, is_told = time.monotonic() + _ATTACH_SECONDS, False
        while True:
            disk = next((each for each in self._disks.all() if each.id == disk.id), disk)
            if disk.holder == self._instance and disk.is_attached:
                break
            if disk.holder not in ("", self._instance):
                raise KopsError(f"{disk} was attached to {disk.holder} instead of this instance")
            if time.monotonic() >= end:
                raise KopsError(f"{disk} is not attached after {_ATTACH_SECONDS:g} s; the cloud has not said why")
            if not is_told:
                say(f"waiting for the cloud to attach {disk}")
                is_told = True
            time.sleep(_POLL)
        return EtcdDisk(disk.id, self._device(disk), disk.member, disk.members)

    def _device(self, disk: MemberDisk) -> str:
        """The path of an attached disk, when the kernel has it."""
        paths = self._disks.paths(disk)
        end, is_told = time.monotonic() + _DEVICE_SECONDS, False
        while True:
            for path in paths:
                if os.path.exists(os.path.join(self._root, path.lstrip("/"))):
                    return path
            if time.monotonic() >= end:
                raise KopsError(
                    f"{disk} is attached, but after {_DEVICE_SECONDS:g} s there is neither {' nor '.join(paths)}; "
                    "detach and attach it, or terminate this instance"
                )
            if not is_told:
                say(f"waiting for the disk of {disk}")
                is_told = True
            time.sleep(_POLL)


def _listed(disks: Iterable[MemberDisk]) -> str:
    return ", ".join(map(str, disks))
