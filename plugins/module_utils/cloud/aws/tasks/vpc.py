# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: vpc."""

from __future__ import annotations

from dataclasses import dataclass

from ....engine.task import Task, computed


@dataclass(eq=False)
class VPC(Task):
    """TODO."""

    id: str | None = computed()
    cidr: str | None = None
    amazon_ipv6: bool | None = None
    ipv6_cidr: str | None = None
    enable_dns_hostnames: bool | None = None
    enable_dns_support: bool | None = None
    shared: bool | None = None
    tags: dict[str, str] | None = None
    associate_extra_cidr_blocks: list[str] | None = None
