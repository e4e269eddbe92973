# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The disk of a member: formatted once, and marked with the member that it belongs to before etcd writes to it.

A marker is a file at the disk's root. What the member was born with is in it, too: etcd looks at that only once, and
a manifest must not change later.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from ...base.errors import KopsError
from ...exchange.items import Volume
from ..system import atomic
from ..system.filesystems import filesystem_of, make_filesystem
from ..system.machine import Machine
from . import takeover
from .manifest import has_data
from .takeover import Start

MARKER = "kubeops-member.json"
# Where a disk is looked at before the node mounts it at its place.
_LOOKED_AT = "/run/kubeops/etcd-disks"
# What is on a fresh filesystem.
_FRESH = {"lost+found"}
# The state of a member whose etcd must never form an etcd cluster by itself.
EXISTING = "existing"


@dataclass(frozen=True)
class Owner:
    """Whose disk it is. volume: its name in the cloud."""

    cluster: str
    etcd: str
    member: str
    volume: str

    def __str__(self) -> str:
        return f"volume {self.volume} (member {self.member} of etcd cluster {self.etcd} of {self.cluster})"


@dataclass(frozen=True)
class Birth:
    """What a member is started with for the first time: the values of etcd's options of these names."""

    initial_cluster: str
    initial_state: str


def prepare(
    machine: Machine, disk: Volume, owner: Owner, start: Start, decide: Callable[[], Birth], *, check: bool = False
) -> Birth:
    """Make it the owner's disk. Returns how the member is started for the first time, or was.

    disk: what the NodeConfig says, with its device. decide: the birth of a member without data. check: only look.
    Data of etcd-manager is taken over. Raises KopsError, without any change, for a disk with anything else on it, and
    what decide raises.
    """
    if filesystem_of(machine.host, disk) == "":
        birth = decide()
        if check:
            return birth
        make_filesystem(machine.host, disk)
    with _mounted(machine, disk, check=check) as directory:
        known = _marker(directory, owner)
        managed = takeover.of_manager(directory, owner, start)
        if managed is not None:
            birth = known or Birth(managed.initial_cluster(), EXISTING)
            if not check:
                if known is None:
                    _mark(directory, owner, birth)
                takeover.link(directory, managed)
            return birth
        if known is None:
            _check_fresh(directory, owner)
        if known is not None and has_data(directory, "data"):
            return known
        # Also for a member that is marked: its data may have been lost since.
        birth = decide()
        if birth != known and not check:
            _mark(directory, owner, birth)
        return birth


def _marker(directory: str, owner: Owner) -> Birth | None:
    """What the marker says; None without one. Raises KopsError for that of another member."""
    try:
        with open(os.path.join(directory, MARKER), encoding="utf-8") as stream:
            said = json.load(stream)
        found = {name: str(said[name]) for name in ("cluster", "etcd", "member")}
        birth = Birth(str(said["initial_cluster"]), str(said["initial_state"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise KopsError(f"{owner}: its file {MARKER} cannot be read ({error}); nothing is written to it") from error
    wanted = asdict(owner)
    if any(found[name] != wanted[name] for name in found):
        raise KopsError(
            f"{owner} holds member {found['member']} of etcd cluster {found['etcd']} of {found['cluster']}; nothing is "
            "written to it. Correct the volume's tags, or detach it and give it another volume"
        )
    return birth


def _check_fresh(directory: str, owner: Owner) -> None:
    entries = set(os.listdir(directory)) - _FRESH
    if entries:
        raise KopsError(
            f"{owner} holds files, and none of them says whose they are ({', '.join(sorted(entries)[:5])}); nothing is "
            "written to it. Detach it and give the member an empty volume, or remove the files"
        )


def _mark(directory: str, owner: Owner, birth: Birth) -> None:
    content = json.dumps({**asdict(owner), **asdict(birth)}, sort_keys=True).encode()
    path = os.path.join(directory, MARKER)
    atomic.write(path, [content], mode=0o600, uid=os.getuid(), gid=os.getgid())


@contextlib.contextmanager
def _mounted(machine: Machine, disk: Volume, *, check: bool) -> Iterator[str]:
    """Where it is mounted: at its place, or for the moment elsewhere."""
    host = machine.host
    found = host.run("findmnt", "--noheadings", "--output", "TARGET", "--source", os.path.realpath(disk.device))
    if found.code == 0 and found.output.strip():
        yield machine.path(found.output.splitlines()[0].strip())
        return
    if check:
        raise KopsError(f"{disk.label}: {disk.device} would be mounted to see whose it is; check mode ends here")
    place = f"{_LOOKED_AT}/{disk.name}"
    os.makedirs(machine.path(place), mode=0o700, exist_ok=True)
    host.check_output("mount", "-t", disk.filesystem, "-o", "noatime", disk.device, place)
    try:
        yield machine.path(place)
    finally:
        host.check_output("umount", place)
