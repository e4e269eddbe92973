# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of others that block the deletion of a cluster, because they lie in its network or use its objects.

Hetzner would take them out of the network that is deleted, and so cut them off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....engine.resource import Resource
from ..cloud import Described, HetznerCloud, described
from ..kinds import BALANCER, FIREWALL, NETWORK, PLACEMENT_GROUP, SERVER, VOLUME, Kind
from .owned import networks_of


def in_the_way(cloud: HetznerCloud, found: Mapping[str, Resource]) -> list[str]:
    """A line for each object that keeps one of found from being deleted: its kind and name, and what it uses."""
    return sorted({*_servers(cloud, found), *_balancers(cloud, found)})


def _servers(cloud: HetznerCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    for kind, uses in ((NETWORK, _in_network), (PLACEMENT_GROUP, _in_group), (FIREWALL, _guarded), (VOLUME, _attached)):
        for each in cloud.once(described, kind):
            used = _of(found, kind, each)
            if used is not None:
                for server in uses(each):
                    if f"{SERVER.word}:{server}" not in found:
                        other = cloud.once(HetznerCloud.get, SERVER, server)
                        if other is not None:
                            yield _line(SERVER, other, used)


def _balancers(cloud: HetznerCloud, found: Mapping[str, Resource]) -> Iterator[str]:
    for balancer in cloud.once(described, BALANCER):
        if _of(found, BALANCER, balancer) is None:
            for network in networks_of(balancer):
                used = found.get(f"{NETWORK.word}:{network}")
                if used is not None:
                    yield _line(BALANCER, balancer, used)


def _of(found: Mapping[str, Resource], kind: Kind, other: Described) -> Resource | None:
    return found.get(f"{kind.word}:{other['id']}")


def _in_network(network: Described) -> list[int]:
    return list(network["servers"])


def _in_group(group: Described) -> list[int]:
    return list(group["servers"])


def _guarded(firewall: Described) -> list[int]:
    """Those that a firewall is applied to one by one: by labels, it may have been applied to any that get these."""
    return [int(each["server"]["id"]) for each in firewall["applied_to"] if each["type"] == "server"]


def _attached(volume: Described) -> list[int]:
    return [volume["server"]] if volume["server"] else []


def _line(kind: Kind, other: Described, used: Resource) -> str:
    return f"{kind.word} {other['name']}: it uses {used.label}"
