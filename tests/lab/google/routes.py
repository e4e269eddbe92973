# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The routes of a project's network, which this machine has: it is the router of its instances."""

from __future__ import annotations

from ansible_collections.kubeops.kops.tests.lab.cloud import network
from ansible_collections.kubeops.kops.tests.lab.commands import run
from ansible_collections.kubeops.kops.tests.lab.google.metadata import address_of
from ansible_collections.kubeops.kops.tests.support.google.objects import LINK, Objects


class Routes:
    """Those that were made, so that they are made once: range -> address."""

    def __init__(self) -> None:
        self._made: dict[str, str] = {}

    def show(self, objects: Objects) -> None:
        """Have the routes by instances, and to the ranges that instances have as aliases."""
        wanted = dict(_wanted(objects))
        for destination in self._made.keys() - wanted.keys():
            run("ip", "route", "delete", destination, "dev", network.BRIDGE.interface, check=False)
            del self._made[destination]
        for destination, address in wanted.items():
            if self._made.get(destination) != address:
                run("ip", "route", "replace", destination, "via", address, "dev", network.BRIDGE.interface)
                self._made[destination] = address


def _wanted(objects: Objects) -> list[tuple[str, str]]:
    found = []
    for path, each in objects.found.items():
        if "/instances/" in path:
            aliases = each["networkInterfaces"][0].get("aliasIpRanges", ())
            found += [(alias["ipCidrRange"], address_of(each)) for alias in aliases]
        if "/routes/" in path and each.get("nextHopInstance"):
            instance = objects.found.get(each["nextHopInstance"][len(LINK) :])
            if instance is not None:
                found.append((each["destRange"], address_of(instance)))
    return found
