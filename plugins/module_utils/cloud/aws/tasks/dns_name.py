# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: dns name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....engine.task import Task, computed

if TYPE_CHECKING:
    from .dns_zone import DNSZone


@dataclass(eq=False)
class DNSName(Task):
    """TODO."""

    id: str | None = computed()
    zone: DNSZone | None = None
    resource_name: str | None = None
    resource_type: str | None = None
    target_load_balancer: Any | None = None
