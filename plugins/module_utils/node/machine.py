# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which machine is converged: its files below a root, its commands, its distribution."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .distributions import Distribution
from .host import Host


@dataclass(frozen=True)
class Machine:
    """root: "/", but for tests. host: everything that is no file. distribution: the row of its os-release."""

    root: str
    host: Host
    distribution: Distribution

    def path(self, path: str) -> str:
        """Where a path of the machine is for this process."""
        return os.path.join(self.root, path.lstrip("/"))

    def read_text(self, path: str) -> str:
        """A text file of the machine, "" if it cannot be read."""
        try:
            with open(self.path(path), encoding="utf-8", errors="replace") as stream:
                return stream.read()
        except OSError:
            return ""
