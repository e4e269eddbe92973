# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: topology as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from ..fields import api_type, field
from ..topology import BastionLoadBalancerSpec


@api_type
class BastionSpec:
    """``Cluster.spec.topology.bastion``."""

    public_name: str | None = field(key="bastionPublicName", plain=True)
    idle_timeout_seconds: int | None = None
    load_balancer: BastionLoadBalancerSpec | None = None


@api_type
class DNSSpec:
    """``Cluster.spec.topology.dns``."""

    type: str | None = field(plain=True)


@api_type
class TopologySpec:
    """``Cluster.spec.topology``."""

    masters: str | None = field(plain=True)
    nodes: str | None = field(plain=True)
    bastion: BastionSpec | None = None
    dns: DNSSpec | None = None
