# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything of a cluster that exists in a project, found by what objects say of themselves and never by memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from ....engine.resource import Resource, by_key
from ....engine.task import TryAgainLater
from ...claims import claim_of
from ..cloud import GCECloud
from ..instances import LIVING, owned_instances
from .dns import RECORD, dns
from .identity import ACCOUNT, identity
from .listing import ADDRESS, DISK, INSTANCE, MANAGER, ROUTE, RULE, Found, everything
from .of_services import of_services
from .owned import owned


def discover(cloud: GCECloud) -> dict[str, Resource]:
    """Every object that the cluster owns, by key and in no order; shared ones are not among them."""
    listed = cloud.once(everything)
    ours = owned(cloud, listed)
    ours |= of_services(cloud, listed, ours)
    resources = [*_compute(cloud, ours), *identity(cloud), *dns(cloud)]
    _instances_first(resources)
    return by_key(resources)


def _compute(cloud: GCECloud, ours: Mapping[str, Found]) -> Iterator[Resource]:
    blocks = _blocks(ours)
    for path, found in ours.items():
        many = _instances_removal(cloud) if found.kind.name == INSTANCE else None
        delete = partial(many, [found.id]) if many else partial(cloud.delete, path)
        resource = Resource(found.kind.name, found.id, delete, found.name, frozenset(blocks[path]), delete_many=many)
        resource.claim = _claim(found)
        yield resource


def _claim(found: Found) -> str:
    """The driver of persistent disks writes JSON into their descriptions."""
    if found.kind.name != DISK:
        return ""
    try:
        said = json.loads(found.described.get("description") or "{}")
    except ValueError:
        return ""
    return claim_of(said) if isinstance(said, dict) else ""


def _blocks(ours: Mapping[str, Found]) -> dict[str, set[str]]:
    """Path -> keys of what cannot go before it: what it refers to, and what says that it is used by it."""
    managers = {str(each.described.get("instanceGroup")): each.key for each in ours.values()}
    addresses = {str(each.described.get("address")): each.key for each in ours.values() if each.kind.name == ADDRESS}
    found = {}
    for path, each in ours.items():
        found[path] = {ours[reference].key for reference in each.references() & ours.keys()} - {each.key}
        # Backends name the groups of managed groups.
        backends = {str(backend.get("group")) for backend in each.described.get("backends") or ()}
        found[path] |= {managers[url] for url in backends & managers.keys()}
        if each.kind.name == RULE and each.described.get("IPAddress") in addresses:
            found[path].add(addresses[each.described["IPAddress"]])
    for each in ours.values():
        for user in each.users() & ours.keys():
            found[user].add(each.key)
    return found


def _instances_first(resources: list[Resource]) -> None:
    """Control planes that still run would write routes and records again; groups would start other instances."""
    last = {each.key for each in resources if each.kind == ROUTE or each.kind.startswith(RECORD)}
    instances = {each.key for each in resources if each.kind == INSTANCE}
    accounts = {each.key for each in resources if each.kind == ACCOUNT}
    for each in resources:
        if each.kind == MANAGER:
            each.blocks |= last | instances | accounts
        elif each.kind == INSTANCE:
            each.blocks |= last


def _instances_removal(cloud: GCECloud) -> Callable[[Sequence[str]], None]:
    """Of those that are left: the ones of managed groups have gone with them."""

    def delete(identifiers: Sequence[str]) -> None:
        cloud.forget(owned_instances)
        left = 0
        for each in cloud.once(owned_instances):
            zone = each["zone"].rpartition("/")[2]
            if f"{zone}/{each['name']}" not in identifiers:
                continue
            left += 1
            if each.get("status") in LIVING:
                cloud.delete(f"{cloud.project}/zones/{zone}/instances/{each['name']}")
        if left:
            raise TryAgainLater(f"{left} instances are being deleted")

    return delete
