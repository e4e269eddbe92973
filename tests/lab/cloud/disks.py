# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes of the account as disks: sparse files, which the kernel shows to machines as loop devices.

No machine of a container runs udev, so what udev would write is written here: the link by the disk's name, and the
entry by which systemd knows that the disk is there.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import stat

from ansible_collections.kubeops.kops.tests.lab import cache
from ansible_collections.kubeops.kops.tests.lab.cloud import account, machines
from ansible_collections.kubeops.kops.tests.lab.cloud.instances import Instance
from ansible_collections.kubeops.kops.tests.lab.commands import run

_ATTACH = """set -e
device=$1 link=$2 major=$3 minor=$4 name=$5
rm -f "$device"
mknod -m 0660 "$device" b "$major" "$minor"
mkdir -p /dev/disk/by-id /run/udev/data /run/udev/tags/systemd
ln -sfn "../../${device#/dev/}" "/dev/disk/by-id/$link"
# As Amazon Linux does: the name in the launch template, or that of whoever attached it.
ln -sfn "${device#/dev/}" "$name"
known='S:disk/by-id/%s\\nS:%s\\nI:1\\nG:systemd\\nQ:systemd\\nV:1\\n'
printf "$known" "$link" "${name#/dev/}" >"/run/udev/data/b$major:$minor"
touch "/run/udev/tags/systemd/b$major:$minor"
systemctl daemon-reload || true
"""
_DETACH = 'rm -f "$1" "/dev/disk/by-id/$2"'


class Disks:
    """Which machine has been shown which disk. It is known by its first process: another boot needs it again."""

    def __init__(self) -> None:
        self._shown: dict[str, tuple[str, int, str]] = {}

    def show(self, instances: dict[str, Instance]) -> list[str]:
        """Make the disks of machines that run what the account says of its volumes; returns what was done."""
        wanted: dict[str, str] = {}
        names: dict[str, str] = {}
        volumes = {each["VolumeId"]: each for each in account.pages("ec2", "describe_volumes", "Volumes")}
        for name, volume in volumes.items():
            for attachment in volume["Attachments"]:
                instance = instances.get(attachment["InstanceId"])
                if instance and instance.runs and attachment["Device"] != instance.data.get("RootDeviceName"):
                    wanted[name] = instance.id
                    names[name] = attachment["Device"]
        done = []
        for name, (instance_id, _process, device) in list(self._shown.items()):
            if wanted.get(name) != instance_id:
                self._take_away(name, instance_id, device)
                done.append(f"{instance_id} no longer has {name}")
        for name, instance_id in sorted(wanted.items()):
            process = machines.process(instance_id)
            if process and self._shown.get(name, ("", 0, ""))[:2] != (instance_id, process):
                self._give(name, names[name], volumes[name]["Size"], instance_id, process)
                done.append(f"{instance_id} has {name} as {self._shown[name][2]}")
        for file in _directory().glob("vol-*.img"):
            if file.stem not in volumes:
                release(file)
                file.unlink()
        return done

    def _give(self, name: str, attached_as: str, size: int, instance_id: str, process: int) -> None:
        used = {device for other, _process, device in self._shown.values() if other == instance_id}
        kept = self._shown.get(name, ("", 0, ""))
        numbers = (f"/dev/nvme{number}n1" for number in range(1, 30))
        device = kept[2] if kept[0] == instance_id else next(each for each in numbers if each not in used)
        attach(name, size, process, device, _link(name), attached_as)
        self._shown[name] = (instance_id, process, device)

    def _take_away(self, name: str, instance_id: str, device: str) -> None:
        process = machines.process(instance_id)
        if process:
            _in_machine(process, _DETACH, device, _link(name))
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


def _link(volume: str) -> str:
    """What udev calls a volume of AWS, whose name it has without the dash."""
    return f"nvme-Amazon_Elastic_Block_Store_{volume.replace('-', '')}"


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
