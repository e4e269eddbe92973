# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: route."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....engine.task import Task

if TYPE_CHECKING:
    from .egress_only_internet_gateway import EgressOnlyInternetGateway
    from .internet_gateway import InternetGateway
    from .nat_gateway import NatGateway
    from .route_table import RouteTable


@dataclass(eq=False)
class Route(Task):
    """TODO."""

    route_table: RouteTable | None = None
    instance: Any | None = None
    cidr: str | None = None
    ipv6_cidr: str | None = None
    egress_only_internet_gateway: EgressOnlyInternetGateway | None = None
    internet_gateway: InternetGateway | None = None
    nat_gateway: NatGateway | None = None
    transit_gateway_id: str | None = None
    vpc_peering_connection_id: str | None = None
