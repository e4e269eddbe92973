# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: subnet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task, computed

if TYPE_CHECKING:
    from .vpc import VPC
    from .vpc_amazon_ipv6_cidr_block import VPCAmazonIPv6CIDRBlock
    from .vpc_cidr_block import VPCCIDRBlock


@dataclass(eq=False)
class Subnet(Task):
    """TODO."""

    short_name: str | None = None
    id: str | None = computed()
    vpc: VPC | None = None
    vpccidr_block: VPCCIDRBlock | None = None
    amazon_ipv6_cidr: VPCAmazonIPv6CIDRBlock | None = None
    availability_zone: str | None = None
    cidr: str | None = None
    ipv6_cidr: str | None = None
    resource_based_naming: bool | None = None
    assign_ipv6_address_on_creation: bool | None = None
    shared: bool | None = None
    tags: dict[str, str] | None = None
