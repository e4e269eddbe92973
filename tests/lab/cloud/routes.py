# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes of this machine into the cloud's network: it is the router of its instances."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.kubeops.kops.tests.lab.cloud import network
from ansible_collections.kubeops.kops.tests.lab.commands import run


class Routes:
    """Those that were made, so that they are made once: range -> address."""

    def __init__(self) -> None:
        self._made: dict[str, str] = {}

    def show(self, wanted: Mapping[str, str]) -> None:
        """Have these routes, and no others of ours. wanted: range -> the address of an instance."""
        for destination in self._made.keys() - wanted.keys():
            run("ip", "route", "delete", destination, "dev", network.BRIDGE.interface, check=False)
            del self._made[destination]
        for destination, address in wanted.items():
            if self._made.get(destination) != address:
                run("ip", "route", "replace", destination, "via", address, "dev", network.BRIDGE.interface)
                self._made[destination] = address
