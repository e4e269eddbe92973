# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: nat gateway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task, computed

if TYPE_CHECKING:
    from .elastic_ip import ElasticIP
    from .route_table import RouteTable
    from .subnet import Subnet


@dataclass(eq=False)
class NatGateway(Task):
    """TODO."""

    elastic_ip: ElasticIP | None = None
    subnet: Subnet | None = None
    id: str | None = computed()
    egress_id: str | None = None
    shared: bool | None = None
    tags: dict[str, str] | None = None
    associated_route_table: RouteTable | None = None
