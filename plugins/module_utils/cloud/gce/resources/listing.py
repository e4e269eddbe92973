# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of Compute Engine's objects that a cluster can have, how all of them are read, and which refer to which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from ..cloud import GCECloud
from ..identifiers import path_of

GLOBAL, REGIONAL, ZONAL = "global", "regions", "zones"


@dataclass(frozen=True)
class Kind:
    """A kind of objects. name: in plans and results. collection: of the API. scope: one of those above.

    apart: fields that are no reasons to wait: what uses the object, which is read from the other side, and its own
    parts.
    """

    name: str
    collection: str
    scope: str
    apart: tuple[str, ...] = ()


NETWORK, SUBNET, ROUTER = "network", "subnet", "router"
FIREWALL, ROUTE, ADDRESS = "firewall-rule", "route", "address"
TEMPLATE, MANAGER, GROUP = "instance-template", "instance-group-manager", "instance-group"
INSTANCE, DISK = "instance", "disk"
RULE, POOL, BACKEND = "forwarding-rule", "target-pool", "backend-service"
CHECK, GLOBAL_CHECK, HTTP_CHECK = "health-check", "global-health-check", "http-health-check"

KINDS = (
    Kind(NETWORK, "networks", GLOBAL, apart=("subnetworks", "peerings", "firewallPolicy")),
    Kind(SUBNET, "subnetworks", REGIONAL),
    Kind(ROUTER, "routers", REGIONAL),
    Kind(FIREWALL, "firewalls", GLOBAL),
    # Control planes write routes to instances again, as long as they run.
    Kind(ROUTE, "routes", GLOBAL, apart=("nextHopInstance", "nextHopNetwork", "warnings")),
    Kind(ADDRESS, "addresses", REGIONAL, apart=("users",)),
    Kind(TEMPLATE, "instanceTemplates", GLOBAL),
    Kind(MANAGER, "instanceGroupManagers", ZONAL, apart=("status",)),
    # Of those that are managed, the manager is the one that goes.
    Kind(GROUP, "instanceGroups", ZONAL),
    Kind(INSTANCE, "instances", ZONAL, apart=("metadata", "resourcePolicies")),
    Kind(DISK, "disks", ZONAL, apart=("users",)),
    Kind(RULE, "forwardingRules", REGIONAL),
    Kind(POOL, "targetPools", REGIONAL, apart=("instances",)),
    Kind(BACKEND, "backendServices", REGIONAL),
    Kind(CHECK, "healthChecks", REGIONAL),
    Kind(GLOBAL_CHECK, "healthChecks", GLOBAL),
    Kind(HTTP_CHECK, "httpHealthChecks", GLOBAL),
)
BY_NAME = {kind.name: kind for kind in KINDS}


@dataclass(frozen=True)
class Found:
    """An object as the API describes it. path: with the project, "my-project/regions/us-east1/subnetworks/a"."""

    kind: Kind
    path: str
    described: Mapping[str, Any] = field(repr=False)

    @property
    def name(self) -> str:
        """Its name, which is unique within its scope."""
        return str(self.described["name"])

    @property
    def id(self) -> str:
        """Its name, with the zone where it is in one."""
        return "/".join(self.path.split("/")[2::2]) if self.kind.scope == ZONAL else self.name

    @property
    def key(self) -> str:
        """Unique among all kinds, as that of a Resource."""
        return f"{self.kind.name}:{self.id}"

    def references(self) -> set[str]:
        """Paths of the objects that it refers to, which cannot go before it."""
        parts = {name: part for name, part in self.described.items() if name not in (*self.kind.apart, "selfLink")}
        return set(_paths_in(parts))

    def users(self) -> set[str]:
        """Paths of the objects that use it, if it says so."""
        return set(_paths_in(self.described.get("users", ())))


def everything(cloud: GCECloud) -> dict[str, Found]:
    """Path -> each object of all kinds, of whomever: those of the region and its zones, and the global ones.

    One call for each kind, side by side, and their further pages.
    """
    with ThreadPoolExecutor(len(KINDS)) as pool:
        found = [each for kind in pool.map(lambda kind: list(of_kind(cloud, kind)), KINDS) for each in kind]
    return {each.path: each for each in found}


def of_kind(cloud: GCECloud, kind: Kind) -> Iterator[Found]:
    """All objects of a kind, of whomever: those of the region, of its zones, or the global ones."""
    if kind.scope == ZONAL:
        for scope, item in cloud.aggregated(f"{cloud.project}/aggregated/{kind.collection}", kind.collection):
            if scope.startswith(f"zones/{cloud.region}-"):
                yield Found(kind, f"{cloud.project}/{scope}/{kind.collection}/{item['name']}", item)
        return
    scope = GLOBAL if kind.scope == GLOBAL else f"{REGIONAL}/{cloud.region}"
    for page in cloud.pages("compute", f"{cloud.project}/{scope}/{kind.collection}"):
        for item in page.get("items", ()):
            yield Found(kind, f"{cloud.project}/{scope}/{kind.collection}/{item['name']}", item)


def _paths_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        path = path_of(value)
        if path:
            yield path
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _paths_in(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _paths_in(each)
