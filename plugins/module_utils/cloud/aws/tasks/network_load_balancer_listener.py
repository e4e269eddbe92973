# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: network load balancer listener."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task

if TYPE_CHECKING:
    from .network_load_balancer import NetworkLoadBalancer
    from .target_group import TargetGroup


@dataclass(eq=False)
class NetworkLoadBalancerListener(Task):
    """TODO."""

    network_load_balancer: NetworkLoadBalancer | None = None
    port: int | None = None
    target_group: TargetGroup | None = None
    ssl_certificate_id: str | None = None
    ssl_policy: str | None = None
