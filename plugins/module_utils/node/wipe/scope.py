# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of which machine a wipe takes what."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..host import Host
from ..machine import Machine


@dataclass(frozen=True)
class Scope:
    """kubelet, containerd: whether they are ours; what they left is touched only then.

    found: kind -> what was there before us, and stays.
    """

    machine: Machine
    cluster: str
    kubelet: bool = True
    containerd: bool = True
    found: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def host(self) -> Host:
        """The machine beyond its files."""
        return self.machine.host

    def path(self, path: str) -> str:
        """Where a path of the machine is for this process."""
        return self.machine.path(path)

    def ours(self, kind: str, names: Iterable[str]) -> list[str]:
        """Those that were not there before us."""
        return [name for name in names if name not in self.found.get(kind, frozenset())]

    def find(self, pattern: str) -> list[str]:
        """Paths of the machine that a pattern matches."""
        root = self.path("/")
        found = glob.glob(glob.escape(root) + pattern.lstrip("/"))
        return sorted("/" + os.path.relpath(path, root) for path in found)

    def read(self, path: str) -> str:
        """A text file, "" if it cannot be read."""
        return self.machine.read_text(path)
