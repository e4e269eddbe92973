# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is alike in clouds where nodes have the names of their instances, and nobody waits for a word of an instance."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...base.errors import KopsError
from ..system.machine import Machine


class PlainInstance:
    """Parts of Instance. See there."""

    def name_by_address(self, facts: Mapping[str, str]) -> str:
        """Raises KopsError: there are no such names."""
        raise KopsError(f"{facts['NODE_NAME']}: nodes of this cloud are named by their instances only")

    def facts_named(self, names: Collection[str], machine: Machine, *, check: bool) -> dict[str, str]:
        """None: disks have the names of the kernel, and pods get their addresses from their Nodes."""
        del names, machine, check
        return {}

    def is_prepared(self) -> bool:
        """There are no warm pools."""
        return False

    def tell_group(self, group: str, hook: str) -> bool:
        """Nobody waits."""
        del group, hook
        return False
