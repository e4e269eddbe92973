# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drop-ins of systemd units: what others have put beside our units, and what they set there (systemd.unit(5)).

Reads files only. Values are never shown: an environment may hold a password.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from .machine import Machine

# Where systemd finds units; of drop-ins with the same name, the first one counts.
_VENDOR = "/usr/lib/systemd/system"
_DIRECTORIES = (
    *("/etc/systemd/system.control", "/run/systemd/system.control", "/run/systemd/transient"),
    *("/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", _VENDOR, "/lib/systemd/system"),
)
_SETTING = re.compile(r"^\s*([A-Z][A-Za-z0-9]+)\s*=", re.MULTILINE)
# What decides what a unit runs, and whether.
_RUNS = re.compile(
    r"Exec\w+|Condition\w+|Assert\w+|Type|User|Group|DynamicUser|Root(Directory|Image)|Requires|Requisite|BindsTo"
)
# Limits and the like are the owner's to set.
_HARMLESS = re.compile(
    r"Limit\w+|CPU\w*|Memory\w+|IO\w+|Tasks\w+|Nice|OOM\w+|Restart\w*|StartLimit\w+|Timeout\w+|Log\w+|Standard\w+"
    r"|Syslog\w+|Description|Documentation|After|Wants|WantedBy|\w+Accounting|Slice"
)
_PROXY = re.compile(r"https?_proxy", re.IGNORECASE)


@dataclass(frozen=True)
class DropIn:
    """A drop-in. settings: their names, in order. has_proxy: whether one of them names an HTTP proxy."""

    path: str
    unit: str
    settings: tuple[str, ...]
    has_proxy: bool = False

    @property
    def commands(self) -> list[str]:
        """Settings that decide what the unit runs, and whether it starts."""
        return [name for name in self.settings if _RUNS.fullmatch(name)]

    @property
    def unusual(self) -> list[str]:
        """Settings that may change how the unit works."""
        return [name for name in self.settings if not _HARMLESS.fullmatch(name)]

    @property
    def is_of_distribution(self) -> bool:
        """Whether it came with the operating system."""
        return self.path.startswith(_VENDOR)


def find_drop_ins(machine: Machine, unit: str, ours: Collection[str] = ()) -> list[DropIn]:
    """Drop-ins of a unit that are in effect, but ours, in the order in which systemd reads them."""
    kind = unit.rpartition(".")[2]
    found: dict[str, str] = {}
    for directory in _DIRECTORIES:
        for folder in (f"{directory}/{unit}.d", f"{directory}/{kind}.d"):
            for path in _files(machine, folder):
                found.setdefault(os.path.basename(path), path)
    return [_read(machine, path, unit) for _name, path in sorted(found.items()) if path not in ours]


def explained(machine: Machine, unit: str, ours: Collection[str]) -> str:
    """A sentence about the drop-ins of others that may be why a unit does not work; "" for none."""
    named = [f"{each.path} ({', '.join(each.unusual)})" for each in find_drop_ins(machine, unit, ours) if each.unusual]
    return f"these files of others change {unit}: {', '.join(named)}" if named else ""


def _files(machine: Machine, folder: str) -> Iterator[str]:
    real = machine.path(folder)
    for path in sorted(glob.glob(f"{glob.escape(real)}/*.conf")):
        yield f"{folder}/{os.path.basename(path)}"


def _read(machine: Machine, path: str, unit: str) -> DropIn:
    # A setting may go on in further lines, each after a backslash.
    text = machine.read_text(path).replace("\\\n", " ")
    return DropIn(path, unit, tuple(dict.fromkeys(_SETTING.findall(text))), bool(_PROXY.search(text)))
