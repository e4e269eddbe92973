# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts by which the controller decides whether a machine can become a node."""

from __future__ import annotations

import os
import re
import sys
import time
from typing import Any

from .apply.kernel import NETWORK_FILESYSTEMS, NETWORK_MODULES, missing_filesystems, missing_modules
from .system.foreign import find_foreign, find_settings
from .system.machine import Machine

_LISTENING = "0A"
_KIB = 1024
# Where its processes are, with version 2 of control groups and with version 1.
_FIREWALLD = tuple(
    f"/sys/fs/cgroup/{place}system.slice/firewalld.service/cgroup.procs" for place in ("", "unified/", "systemd/")
)
_ACCEPTING_ZONE = re.compile(r"^\s*DefaultZone\s*=\s*trusted\s*$", re.MULTILINE)


def observe(machine: Machine) -> dict[str, Any]:
    """Plain data, read from files only.

    memoryMiB: total memory. swap: active swap devices. ports: TCP ports with a listener, sorted.
    time: seconds since the epoch. python: its version. cgroups: 1 or 2. leftovers, unitSettings: see foreign.py.
    missingModules: of the kernel modules that some network of pods needs, those that the kernel does not have.
    missingFilesystems: the same of filesystems. firewalld: whether it runs, and drops what nobody has allowed.
    """
    return {
        "memoryMiB": _memory(machine.read_text("/proc/meminfo")),
        "swap": [line.split()[0] for line in machine.read_text("/proc/swaps").splitlines()[1:] if line.strip()],
        "ports": _ports(machine),
        "time": time.time(),
        "python": ".".join(map(str, sys.version_info[:3])),
        "cgroups": 2 if os.path.exists(machine.path("/sys/fs/cgroup/cgroup.controllers")) else 1,
        "leftovers": find_foreign(machine),
        "unitSettings": find_settings(machine),
        "missingModules": missing_modules(machine, NETWORK_MODULES),
        "missingFilesystems": missing_filesystems(machine, NETWORK_FILESYSTEMS),
        "firewalld": _drops(machine),
    }


def _drops(machine: Machine) -> bool:
    runs = any(machine.read_text(path).strip() for path in _FIREWALLD)
    return runs and not _ACCEPTING_ZONE.search(machine.read_text("/etc/firewalld/firewalld.conf"))


def _memory(meminfo: str) -> int:
    found = re.search(r"^MemTotal:\s+(\d+) kB", meminfo, re.MULTILINE)
    return int(found.group(1)) // _KIB if found else 0


def _ports(machine: Machine) -> list[int]:
    """Ports in state LISTEN in the kernel's table: the second column is the local address, the fourth the state."""
    ports = set()
    for family in ("tcp", "tcp6"):
        for line in machine.read_text(f"/proc/net/{family}").splitlines()[1:]:
            columns = line.split()
            if len(columns) > 3 and columns[3] == _LISTENING:
                ports.add(int(columns[1].rpartition(":")[2], 16))
    return sorted(ports)
