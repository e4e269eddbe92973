# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: security group rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task, computed

if TYPE_CHECKING:
    from .security_group import SecurityGroup


@dataclass(eq=False)
class SecurityGroupRule(Task):
    """TODO."""

    id: str | None = computed()
    security_group: SecurityGroup | None = None
    cidr: str | None = None
    ipv6_cidr: str | None = None
    prefix_list: str | None = None
    protocol: str | None = None
    from_port: int | None = None
    to_port: int | None = None
    source_group: SecurityGroup | None = None
    egress: bool | None = None
    tags: dict[str, str] | None = None
