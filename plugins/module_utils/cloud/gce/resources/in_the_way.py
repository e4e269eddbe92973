# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that block the deletion of a cluster: those of others that use its objects, and protected ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....engine.resource import Resource
from ..cloud import GCECloud
from .listing import GROUP, INSTANCE, MANAGER, ROUTE, Found, everything

# Routes that Google makes with a network and its subnetworks, and removes with them.
_OF_GOOGLE = ("default-route-", "peering-route-")


def in_the_way(cloud: GCECloud, found: Mapping[str, Resource]) -> list[str]:
    """A line for each object that keeps one of found from being deleted: its kind and name, and which one it uses."""
    listed = cloud.once(everything)
    going = {path: each for path, each in listed.items() if each.key in found}
    return sorted([*_users(listed, going, found), *_protected(going)])


def _users(listed: Mapping[str, Found], going: Mapping[str, Found], found: Mapping[str, Resource]) -> Iterator[str]:
    # The groups of instances that managed groups have go with these.
    managed = {
        str(each.described.get("instanceGroup", "")).partition("/projects/")[2]
        for each in going.values()
        if each.kind.name == MANAGER
    }
    for path, each in listed.items():
        if path in going or path in managed or (each.kind.name == ROUTE and each.name.startswith(_OF_GOOGLE)):
            continue
        used = sorted(going[reference].key for reference in each.references() & going.keys())
        # Of an instance group, its instances say it.
        if used and each.kind.name != GROUP:
            yield f"{each.kind.name} {each.id}: it uses {', '.join(used)}"


def _protected(going: Mapping[str, Found]) -> Iterator[str]:
    for each in going.values():
        if each.kind.name == INSTANCE and each.described.get("deletionProtection"):
            yield f"{each.kind.name} {each.id}: it is protected against deletion"
