# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: network load balancer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....engine.task import Task

if TYPE_CHECKING:
    from .security_group import SecurityGroup
    from .subnet import Subnet
    from .vpc import VPC


@dataclass(eq=False)
class NetworkLoadBalancer(Task):
    """TODO."""

    load_balancer_base_name: str | None = None
    dns_name: str | None = None
    hosted_zone_id: str | None = None
    subnet_mappings: list[SubnetMapping] | None = None
    security_groups: list[SecurityGroup] | None = None
    scheme: str | None = None
    cross_zone_load_balancing: bool | None = None
    ip_address_type: str | None = None
    tags: dict[str, str] | None = None
    type: str | None = None
    vpc: VPC | None = None
    access_log: NetworkLoadBalancerAccessLog | None = None
    well_known_services: list[Any] | None = None


@dataclass
class NetworkLoadBalancerAccessLog:
    """TODO."""

    enabled: bool | None = None
    s3_bucket_name: str | None = None
    s3_bucket_prefix: str | None = None


@dataclass
class SubnetMapping:
    """TODO."""

    subnet: Subnet | None = None
    private_ipv4_address: str | None = None
    allocation_id: str | None = None
