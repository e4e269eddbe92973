# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of the Kubernetes API of a cluster, and the control planes behind them: what load balancers say of them."""

from __future__ import annotations

from collections.abc import Iterator

from ..endpoints import Endpoint
from ..instances import Target
from . import names
from .cloud import Described, HetznerCloud, described
from .kinds import BALANCER
from .resources.owned import Owned
from .states import lives

_HEALTHY, _UNKNOWN = "healthy", "unknown"


def api_endpoints(cloud: HetznerCloud) -> list[Endpoint]:
    """The public address of the API's load balancer, then those in its network; without one, of control planes."""
    found = [each for balancer in Owned(cloud).api_balancers() for each in _of(balancer)]
    if not found:
        control_planes = [each for each in Owned(cloud).servers() if _serves(each)]
        found = [each for server in control_planes for each in _of(server)]
    return sorted(found, key=lambda each: (each.internal, each.host))


def _serves(server: Described) -> bool:
    return lives(server) and server["labels"].get(names.ROLE) == names.CONTROL_PLANE


def _of(found: Described) -> Iterator[Endpoint]:
    public = found["public_net"].get("ipv4")
    # A load balancer keeps the address of a public side that is switched off.
    if public and public.get("ip") and found["public_net"].get("enabled", True):
        yield Endpoint(str(public["ip"]))
    for each in found["private_net"]:
        if each["ip"]:
            yield Endpoint(str(each["ip"]), internal=True)


def api_targets(cloud: HetznerCloud) -> list[Target] | None:
    """The servers behind the API's load balancer as they are now; None without one."""
    cloud.forget(described, BALANCER)
    balancers = Owned(cloud).api_balancers()
    if not balancers:
        return None
    servers = {each["id"]: str(each["name"]) for each in Owned(cloud).servers()}
    found = {}
    for balancer in balancers:
        for target in _servers_of(balancer):
            number = target["server"]["id"]
            states = [str(each["status"]) for each in target.get("health_status") or ()]
            # One that has several services must answer on all of them.
            worst = next((each for each in states if each != _HEALTHY), _HEALTHY if states else _UNKNOWN)
            name = servers.get(number, str(number))
            found[name] = Target(name, worst == _HEALTHY, worst)
    return sorted(found.values(), key=lambda each: each.name)


def _servers_of(balancer: Described) -> Iterator[Described]:
    """Its targets that are servers, those of label selectors one by one."""
    for target in balancer["targets"]:
        if target["type"] == "server":
            yield target
        for each in target.get("targets") or ():
            if each["type"] == "server":
                yield each
