# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The disks of an instance by the names that its launch template gives to them (/dev/sdf, /dev/xvdf).

The kernel uses these names on old machine types only. On all others every disk is an NVMe device, in any order: an EBS
volume says its name itself (in the part of NVMe's Identify that is Amazon's), disks of the machine do not.
"""

from __future__ import annotations

import ctypes
import fcntl
import glob
import os
import re
import struct
from collections.abc import Callable, Iterator

from ...base.errors import KopsError

_EBS, _OF_MACHINE = "Amazon Elastic Block Store", "Amazon EC2 NVMe Instance Storage"
_NAME = re.compile(r"(?:/dev/)?(?:sd|xvd)([a-z]{1,2}\d*)")
# kops' launch templates give this letter to the first disk of a machine, and the next ones to the others.
FIRST_OF_MACHINE = "c"
# linux/nvme_ioctl.h: _IOWR('N', 0x41, struct nvme_admin_cmd); Identify of the controller; where vendors' data begins.
_ADMIN_COMMAND, _IDENTIFY, _OF_CONTROLLER = 0xC0484E41, 0x06, 1
_PAGE, _VENDOR, _NAME_LENGTH = 4096, 3072, 32


def name_on_volume(device: str) -> str:
    """The name that an EBS volume has in its launch template. Raises OSError if it cannot be asked."""
    page = ctypes.create_string_buffer(_PAGE)
    # Operation, flags, id, namespace, 8 bytes; addresses of metadata and data, their lengths; words 10 to 15; 8 bytes.
    command = struct.pack(
        "=BBHIQQQII6III",
        _IDENTIFY,
        0,
        0,
        0,
        0,
        0,
        ctypes.addressof(page),
        0,
        _PAGE,
        _OF_CONTROLLER,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    )
    descriptor = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.ioctl(descriptor, _ADMIN_COMMAND, command)
    finally:
        os.close(descriptor)
    return page.raw[_VENDOR : _VENDOR + _NAME_LENGTH].decode("ascii", "replace").strip(" \0")


def disk_named(name: str, root: str = "/", ask: Callable[[str], str] = name_on_volume) -> str:
    """The path of the disk of this name. The path is the same at every boot, whatever the kernel calls the disk.

    root: of the machine's files. ask: gives the name of an EBS volume. Raises KopsError, which says what there is.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return name
    end = match.group(1)
    for path in (name, f"/dev/xvd{end}", f"/dev/sd{end}"):
        if os.path.exists(_below(root, path)):
            return path
    seen = []
    for device, link in _devices(root, _EBS):
        said = ask(device)
        found = _NAME.fullmatch(said)
        if found and found.group(1) == end:
            return link
        seen.append(f"{link} ({said or 'without a name'})")
    own = [link for _device, link in _devices(root, _OF_MACHINE)]
    index = ord(end) - ord(FIRST_OF_MACHINE) if len(end) == 1 else -1
    if 0 <= index < len(own):
        return own[index]
    raise KopsError(f"this instance has no disk {name}; it has {', '.join([*seen, *own]) or 'no other disk'}")


def _devices(root: str, model: str) -> Iterator[tuple[str, str]]:
    """The NVMe devices of a model by their numbers: their paths here, and the paths by which they are known."""
    found = glob.glob(_below(root, "/sys/block/nvme*n*"))
    for block in sorted(found, key=lambda path: [int(number) for number in re.findall(r"\d+", os.path.basename(path))]):
        if _read(f"{block}/device/model") != model:
            continue
        device = f"/dev/{os.path.basename(block)}"
        link = f"/dev/disk/by-id/nvme-{model.replace(' ', '_')}_{_read(f'{block}/device/serial')}"
        yield _below(root, device), link if os.path.exists(_below(root, link)) else device


def _below(root: str, path: str) -> str:
    return os.path.join(root, path.lstrip("/"))


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as stream:
            return stream.read().strip()
    except OSError:
        return ""
