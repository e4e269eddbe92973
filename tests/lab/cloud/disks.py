# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The disks of a cloud: sparse files, which the kernel shows to machines as loop devices.

No machine of a container runs udev, so what udev would write is written here: the link by the disk's name, and the
entry by which systemd knows that the disk is there.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ansible_collections.kubeops.kops.tests.lab import cache
from ansible_collections.kubeops.kops.tests.lab.cloud import machines
from ansible_collections.kubeops.kops.tests.lab.commands import run

_ATTACH = """set -e
device=$1 link=$2 major=$3 minor=$4 name=$5
rm -f "$device"
mknod -m 0660 "$device" b "$major" "$minor"
mkdir -p /dev/disk/by-id /run/udev/data /run/udev/tags/systemd
ln -sfn "../../${device#/dev/}" "/dev/disk/by-id/$link"
# Another name: with AWS, as Amazon Linux does, that of whoever attached it.
ln -sfn "${device#/dev/}" "$name"
known='S:disk/by-id/%s\\nS:%s\\nI:1\\nG:systemd\\nQ:systemd\\nV:1\\n'
printf "$known" "$link" "${name#/dev/}" >"/run/udev/data/b$major:$minor"
touch "/run/udev/tags/systemd/b$major:$minor"
systemctl daemon-reload || true
"""
_DETACH = 'rm -f "$1" "/dev/disk/by-id/$2"'


@dataclass(frozen=True)
class Attachment:
    """A disk of a machine. size: in GiB. link: udev's name for it in /dev/disk/by-id. alias: another name, a path."""

    instance: str
    size: int
    link: str
    alias: str


class Disks:
    """Which machine has been shown which disk. It is known by its first process: another boot needs it again."""

    def __init__(self) -> None:
        self._shown: dict[str, tuple[Attachment, int, str]] = {}

    def show(self, present: Collection[str], attached: Mapping[str, Attachment]) -> list[str]:
        """Make the disks of machines that run what the cloud says; returns what was done.

        present: the cloud's disks. attached: those that a machine is to have.
        """
        done = []
        for name, (shown, _process, device) in list(self._shown.items()):
            if name not in attached or attached[name].instance != shown.instance:
                self._take_away(name, shown, device)
                done.append(f"{shown.instance} no longer has {name}")
        for name, wanted in sorted(attached.items()):
            process = machines.process(wanted.instance)
            before = self._shown.get(name)
            if process and (before is None or (before[0].instance, before[1]) != (wanted.instance, process)):
                self._give(name, wanted, process)
                done.append(f"{wanted.instance} has {name} as {self._shown[name][2]}")
        for file in _directory().glob("*.img"):
            if file.stem not in present:
                release(file)
                file.unlink()
        return done

    def _give(self, name: str, wanted: Attachment, process: int) -> None:
        used = {device for shown, _process, device in self._shown.values() if shown.instance == wanted.instance}
        before = self._shown.get(name)
        numbers = (f"/dev/nvme{number}n1" for number in range(1, 30))
        kept = before[2] if before is not None and before[0].instance == wanted.instance else ""
        device = kept or next(each for each in numbers if each not in used)
        attach(name, wanted.size, process, device, wanted.link, wanted.alias)
        self._shown[name] = (wanted, process, device)

    def _take_away(self, name: str, shown: Attachment, device: str) -> None:
        process = machines.process(shown.instance)
        if process:
            _in_machine(process, _DETACH, device, shown.link)
        release(_directory() / f"{name}.img")
        del self._shown[name]


def attach(name: str, size: int, process: int, device: str, link: str, attached_as: str) -> None:
    """Show a disk to a machine.

    size: in GiB, of a new disk. process: the machine's first one. link: udev's name for it.
    """
    file = _directory() / f"{name}.img"
    if not file.exists():
        with file.open("wb") as stream:
            stream.truncate(size << 30)
    node = os.stat(_loop_device(file)).st_rdev
    _in_machine(process, _ATTACH, device, link, str(os.major(node)), str(os.minor(node)), attached_as)


def clear() -> None:
    """Remove all disks."""
    for file in _directory().glob("*.img"):
        release(file)
        file.unlink()


def release(file: pathlib.Path) -> None:
    """Give the loop devices of a file back."""
    for device in _loop_devices(file):
        run("losetup", "--detach", device, check=False)


def _directory() -> pathlib.Path:
    found = cache.directory() / "cloud-volumes"
    found.mkdir(exist_ok=True)
    return found


def _loop_device(file: pathlib.Path) -> str:
    """The loop device of a file; a machine has eight, and the kernel makes more if they have a node."""
    present = _loop_devices(file)
    if present:
        return present[0]
    free = run("losetup", "--find").strip()
    if not os.path.exists(free):
        os.mknod(free, stat.S_IFBLK | 0o660, os.makedev(7, int(re.sub(r"\D", "", free))))
    run("losetup", free, str(file))
    return free


def _loop_devices(file: pathlib.Path) -> list[str]:
    text = run("losetup", "--list", "--json", "--output", "NAME,BACK-FILE") or '{"loopdevices": []}'
    return [each["name"] for each in json.loads(text)["loopdevices"] if each["back-file"] == str(file)]


def _in_machine(process: int, script: str, *arguments: str) -> None:
    """Run a script in the file systems of a machine, whose container's own programs it calls."""
    space = ("nsenter", "--target", str(process), "--mount", "--pid", "--ipc", "--net", "--uts", "--cgroup")
    run(*space, "sh", "-c", script, "sh", *arguments)
