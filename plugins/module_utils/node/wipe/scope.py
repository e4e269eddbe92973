# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a wipe may remove from which machine."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..system.host import Host
from ..system.machine import Machine


@dataclass(frozen=True)
class Scope:
    """kubelet, containerd: whether they are ours. If not, their data is not touched.

    found: kind -> what existed before us; it stays. directories: that we created.
    """

    machine: Machine
    cluster: str
    kubelet: bool = True
    containerd: bool = True
    found: Mapping[str, frozenset[str]] = field(default_factory=dict)
    directories: Sequence[str] = ()

    @property
    def host(self) -> Host:
        """The machine's commands, kernel, addresses."""
        return self.machine.host

    def path(self, path: str) -> str:
        """The path in this process' view (tests have another root)."""
        return self.machine.path(path)

    def ours(self, kind: str, names: Iterable[str]) -> list[str]:
        """The names that did not exist before us."""
        return [name for name in names if name not in self.found.get(kind, frozenset())]

    def find(self, pattern: str) -> list[str]:
        """Paths of the machine that match a pattern."""
        root = self.path("/")
        found = glob.glob(glob.escape(root) + pattern.lstrip("/"))
        return sorted("/" + os.path.relpath(path, root) for path in found)

    def read(self, path: str) -> str:
        """Content of a text file, "" if it cannot be read."""
        return self.machine.read_text(path)
