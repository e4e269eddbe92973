# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: elastic ip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task, computed

if TYPE_CHECKING:
    from .route_table import RouteTable
    from .subnet import Subnet


@dataclass(eq=False)
class ElasticIP(Task):
    """TODO."""

    id: str | None = computed()
    public_ip: str | None = None
    shared: bool | None = None
    tag_on_subnet: Subnet | None = None
    tags: dict[str, str] | None = None
    associated_nat_gateway_route_table: RouteTable | None = None
