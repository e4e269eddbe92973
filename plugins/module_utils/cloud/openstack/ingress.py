# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of the Kubernetes API of a cluster, and the control planes behind them: what Octavia says of them."""

from __future__ import annotations

from collections.abc import Iterator

from ..endpoints import Endpoint
from ..instances import Target
from . import names
from .cloud import OpenStackCloud
from .kinds import BALANCER, FLOATING_IP, POOL
from .machines import fixed_addresses, floating_addresses, living
from .resources.owned import Owned, metadata_of
from .tasks._openstack import described, members, refers

# Octavia's words for a member that it sends to; without a monitor it does not know.
_SERVING = ("ONLINE", "NO_MONITOR")


def api_endpoints(cloud: OpenStackCloud) -> list[Endpoint]:
    """The floating address of the API's load balancer, then its own; without one, those of control planes."""
    found = []
    for balancer in Owned(cloud).api_balancers():
        floating = [each for each in cloud.once(described, FLOATING_IP) if each["port_id"] == balancer["vip_port_id"]]
        found += [Endpoint(str(each["floating_ip_address"])) for each in floating]
        found.append(Endpoint(str(balancer["vip_address"]), internal=True))
    return sorted(found or _of_control_planes(cloud), key=lambda each: (each.internal, each.host))


def _of_control_planes(cloud: OpenStackCloud) -> Iterator[Endpoint]:
    for server in living(cloud):
        if metadata_of(server).get(names.ROLE) == names.CONTROL_PLANE:
            for host in fixed_addresses(server):
                yield Endpoint(host, internal=True)
            for host in floating_addresses(cloud).get(str(server["id"]), ()):
                yield Endpoint(host)


def api_targets(cloud: OpenStackCloud) -> list[Target] | None:
    """The servers behind the API's load balancer as they are now; None without one."""
    for kind in (BALANCER, POOL):
        cloud.forget(described, kind)
    balancers = Owned(cloud).api_balancers()
    if not balancers:
        return None
    servers = {address: str(each["name"]) for each in living(cloud) for address in fixed_addresses(each)}
    found = {}
    for balancer in balancers:
        for pool in cloud.once(described, POOL):
            if not refers(pool, "loadbalancers", str(balancer["id"])):
                continue
            cloud.forget(members, str(pool["id"]))
            for member in cloud.once(members, str(pool["id"])):
                name, state = servers.get(member["address"], str(member["address"])), str(member["operating_status"])
                found[name] = Target(name, state in _SERVING, state.lower())
    return sorted(found.values(), key=lambda each: each.name)
