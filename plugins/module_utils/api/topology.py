# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: topology (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .fields import api_type, field


@api_type
class BastionLoadBalancerSpec:
    """``Cluster.spec.networking.topology.bastion.loadBalancer``."""

    additional_security_groups: list[str] = field(default_factory=list)
    type: str | None = field(plain=True)


@api_type
class BastionSpec:
    """``Cluster.spec.networking.topology.bastion``."""

    public_name: str | None = field(plain=True)
    load_balancer: BastionLoadBalancerSpec | None = None


@api_type
class TopologySpec:
    """``Cluster.spec.networking.topology``."""

    bastion: BastionSpec | None = None
    dns: str | None = field(plain=True)
