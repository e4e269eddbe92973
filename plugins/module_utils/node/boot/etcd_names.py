# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``etcd-names``: where members of etcd are, kept right in a file of hosts that etcd's pods have mounted.

A member has a name for ever, and an address for as long as an instance has its volume. The file is written in its
place: a pod that has it mounted sees a new content, but not a new file.
"""

from __future__ import annotations

import os
import time

from ...base.errors import KopsError
from ...exchange.settings import EtcdNamesSettings
from .. import boot_file
from ..clouds import this_instance
from ..etcd.places import MEMBER
from ..system.json_files import load
from ..system.waiting import say
from .member_disks import EtcdDisks, MemberDisks

_LOCAL = "127.0.0.1 localhost\n::1 localhost\n"
_PAUSE = 10.0


def update(settings: EtcdNamesSettings, disks: EtcdDisks) -> bool:
    """Write down where the members are now. Returns whether that has changed. Raises KopsError, OSError."""
    places = disks.etcd_addresses(settings.cluster)
    lines = [
        f"{address} {settings.names[etcd].replace(MEMBER, member)}\n"
        for (etcd, member), address in sorted(places.items())
        if etcd in settings.names
    ]
    return write_in_place(settings.file, _LOCAL + "".join(lines))


def write_in_place(path: str, text: str) -> bool:
    """Change the content of a file, not the file. Returns whether it was another one. Raises OSError."""
    content = text.encode()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    with open(descriptor, "r+b", buffering=0) as stream:
        if stream.read() == content:
            return False
        stream.seek(0)
        stream.write(content)
        stream.truncate()
        os.fsync(descriptor)
    return True


def keep_names(path: str = EtcdNamesSettings.FILE) -> None:
    """Keep the file right for ever. Raises ConfigError."""
    settings = load(EtcdNamesSettings, path)
    os.environ.update(boot_file.read(boot_file.PATH).environment)
    disks, told = MemberDisks(this_instance(settings.cloud)), ""
    while True:
        try:
            if update(settings, disks):
                say("members of etcd have other addresses")
            told = ""
        except (KopsError, OSError) as error:
            # What was known stays: members that have not moved find each other.
            if str(error) != told:
                say(f"it is not known where members of etcd are: {error}")
            told = str(error)
        time.sleep(_PAUSE)
