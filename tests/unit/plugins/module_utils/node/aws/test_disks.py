# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines in a directory: what their kernel says of NVMe devices, and what their volumes say."""

from __future__ import annotations

import ctypes
import fcntl
import pathlib
import struct

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import disks
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.disks import disk_named

EBS, OF_MACHINE = "Amazon Elastic Block Store", "Amazon EC2 NVMe Instance Storage"


class Machine:
    """names: what the volumes say when they are asked, by the device's path."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.names: dict[str, str] = {}
        (root / "dev/disk/by-id").mkdir(parents=True)

    def add(self, number: int, model: str, serial: str, name: str = "", *, linked: bool = True) -> str:
        """A disk. Returns the path by which it is known."""
        about = self.root / f"sys/block/nvme{number}n1/device"
        about.mkdir(parents=True)
        (about / "model").write_text(f"{model:<40}\n")
        (about / "serial").write_text(f"{serial}\n")
        device = self.root / f"dev/nvme{number}n1"
        device.touch()
        self.names[str(device)] = name
        link = f"/dev/disk/by-id/nvme-{model.replace(' ', '_')}_{serial}"
        if linked:
            (self.root / link[1:]).symlink_to(device)
        return link

    def find(self, name: str) -> str:
        return disk_named(name, str(self.root), self.names.__getitem__)


@pytest.fixture()
def machine(tmp_path: pathlib.Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("said", ["/dev/sdf", "sdf", "xvdf"])
@pytest.mark.parametrize("name", ["/dev/sdf", "/dev/xvdf"])
def test_a_volume_says_its_name(machine, name, said):
    machine.add(0, EBS, "vol0", "/dev/xvda")
    machine.add(1, EBS, "vol1", "/dev/sdg")
    wanted = machine.add(2, EBS, "vol2", said)
    assert machine.find(name) == wanted


def test_without_a_link_it_is_the_device(machine):
    machine.add(1, EBS, "vol1", "sdf", linked=False)
    assert machine.find("/dev/sdf") == "/dev/nvme1n1"


def test_a_kernel_that_uses_the_names_is_not_asked(machine):
    (machine.root / "dev/xvdf").touch()
    assert machine.find("/dev/sdf") == "/dev/xvdf"
    (machine.root / "dev/sdf").touch()
    assert machine.find("/dev/sdf") == "/dev/sdf"
    assert machine.find("/dev/md0") == "/dev/md0"


def test_disks_of_the_machine_have_the_letters_of_the_launch_template(machine):
    """In the order of the kernel's numbers, of which 10 is after 9; volumes of these names come first."""
    machine.add(0, EBS, "vol0", "xvda")
    tenth = machine.add(10, OF_MACHINE, "AWS10")
    ninth = machine.add(9, OF_MACHINE, "AWS9")
    assert (machine.find("/dev/sdc"), machine.find("/dev/sdd")) == (ninth, tenth)
    volume = machine.add(3, EBS, "vol3", "sdc")
    assert machine.find("/dev/sdc") == volume


def test_what_there_is_instead_is_said(machine):
    with pytest.raises(KopsError, match="no disk /dev/sdf; it has no other disk"):
        machine.find("/dev/sdf")
    machine.add(0, EBS, "vol0", "xvda")
    machine.add(1, OF_MACHINE, "AWS1")
    with pytest.raises(KopsError, match=r"no disk /dev/sdf; it has /dev/.*vol0 \(xvda\), /dev/.*AWS1$"):
        machine.find("/dev/sdf")


def test_the_letters_are_those_of_launch_templates():
    """model/aws/launch_template.py counts from the same letter."""
    source = pathlib.Path(__file__).parents[6] / "plugins/module_utils/model/aws/launch_template.py"
    assert f"chr(ord('{disks.FIRST_OF_MACHINE}') + index)" in source.read_text()


def test_a_volume_is_asked_as_the_kernel_wants_it(tmp_path, monkeypatch):
    """The structure of linux/nvme_ioctl.h; the answer is written where the command says."""
    device = tmp_path / "nvme1n1"
    device.touch()
    asked = []

    def ioctl(_descriptor: int, request: int, command: bytes) -> bytes:
        asked.append(request)
        operation, *_rest = struct.unpack_from("=BBHI", command)
        address, _metadata, length = struct.unpack_from("=QII", command, 24)
        (word,) = struct.unpack_from("=I", command, 40)
        assert (operation, length, word, len(command)) == (6, 4096, 1, 72)
        ctypes.memmove(address + 3072, b"/dev/sdf" + b" " * 24, 32)
        return command

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    assert disks.name_on_volume(str(device)) == "/dev/sdf"
    # _IOWR('N', 0x41, 72 bytes)
    assert asked == [3 << 30 | 72 << 16 | ord("N") << 8 | 0x41]
