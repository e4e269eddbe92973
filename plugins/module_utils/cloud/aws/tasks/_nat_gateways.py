# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NAT gateways as EC2 lists them, for the gateways themselves and for the addresses that they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....base.errors import KopsError
from ..ownership import is_owned
from ._ec2 import NAT_GATEWAYS
from .route_table import read_route_table

if TYPE_CHECKING:
    from ..cloud import AWSCloud
    from .route_table import RouteTable

USABLE = ("pending", "available")


def routed_nat_gateway(cloud: AWSCloud, route_table: RouteTable | None) -> dict[str, Any] | None:
    """The NAT gateway that an existing route table leads to; of several, the cluster's own."""
    table = read_route_table(cloud, route_table)
    if table is None:
        return None
    used = {
        route["NatGatewayId"]
        for route in table.get("Routes", ())
        if route.get("NatGatewayId") and route.get("State") != "blackhole"
    }
    if not used:
        return None
    gateways = [
        gateway
        for gateway in usable(NAT_GATEWAYS.where(cloud, "vpc-id", table["VpcId"]))
        if gateway["NatGatewayId"] in used
    ]
    if len(used) > 1:
        gateways = [gateway for gateway in gateways if is_owned(cloud, gateway.get("Tags"))]
    if len(gateways) > 1:
        raise KopsError(f"{route_table!r} leads to several NAT gateways of the cluster: {', '.join(sorted(used))}")
    return gateways[0] if gateways else None


def usable(gateways: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """NAT gateways that are not deleted: deleted ones stay in the listing for about an hour."""
    return [gateway for gateway in gateways if gateway["State"] in USABLE]
