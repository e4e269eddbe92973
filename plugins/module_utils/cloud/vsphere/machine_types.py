# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machine types on vSphere, which has none: how many processors, and how much memory, as 4cpu-8gb."""

from __future__ import annotations

import re
from dataclasses import dataclass

FORM = re.compile(r"([1-9][0-9]{0,2})cpu-([1-9][0-9]{0,4})gb")
EXAMPLE = "4cpu-8gb"
_MIB = 1024


@dataclass(frozen=True)
class MachineType:
    """The size of virtual machines. memory: in MiB."""

    cpus: int
    memory: int


def read_type(text: str) -> MachineType | None:
    """The size that a machine type names; None if it is none."""
    found = FORM.fullmatch(text)
    return MachineType(int(found[1]), int(found[2]) * _MIB) if found else None


def type_of(cpus: int, memory: int) -> str:
    """The machine type of a size. memory: in MiB."""
    return f"{cpus}cpu-{memory / _MIB:g}gb"
