# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Address at which users reach the API of a bare-metal cluster.

An address that none of the hosts has is a virtual one: the control planes hold it by turns (keepalived).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...api.addresses import parse_address
from ...api.cluster import Cluster
from ...model.context import runs_api_server
from .hosts import Assigned, Host, in_url

_HTTPS = 443


def virtual_address(cluster: Cluster, hosts: Iterable[Host]) -> str:
    """spec.api.publicName where that is an address, and none of these hosts'; else "".

    hosts: all of the inventory, those that cannot be reached as well: what is theirs must not be taken from them.
    """
    wanted = parse_address(cluster.spec.api.public_name or "")
    if wanted is None or any(parse_address(host.address) == wanted for host in hosts):
        return ""
    return str(wanted)


def unclear(address: str, hosts: Iterable[Host]) -> Iterator[str]:
    """Sentences about unreachable hosts, of which it is not known whether they have the address."""
    for host in hosts if address else ():
        if not host.address:
            yield f"{host.name}: set its variable kops_address: {address} (spec.api.publicName) may be its address"


def without_api(cluster: Cluster, assigned: Assigned) -> Iterator[str]:
    """Sentences about hosts that have spec.api.publicName as their address, and do not serve the API."""
    wanted = parse_address(cluster.spec.api.public_name or "")
    for name, (group, hosts) in assigned.items():
        if wanted is None or runs_api_server(group):
            continue
        for host in hosts:
            if parse_address(host.address) == wanted:
                yield (
                    f"{host.name}: has the address {wanted}, at which users are to reach the API (spec.api.publicName),"
                    f" and instance group {name} has no API servers; take the address of a control plane, or a free one"
                )


def api_server(cluster: Cluster, addresses: Sequence[str] = ()) -> str:
    """The URL of the API: by spec.api.publicName, else by the first of these addresses; "" without any."""
    host = cluster.spec.api.public_name or next(iter(addresses), "")
    if not host:
        return ""
    server = cluster.spec.kube_api_server
    port = (server.secure_port if server else None) or _HTTPS
    return f"https://{in_url(host)}" + (f":{port}" if port != _HTTPS else "")
