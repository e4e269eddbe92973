# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: dhcp options."""

from __future__ import annotations

from dataclasses import dataclass

from ....engine.task import Task, computed


@dataclass(eq=False)
class DHCPOptions(Task):
    """TODO."""

    id: str | None = computed()
    domain_name: str | None = None
    domain_name_servers: str | None = None
    shared: bool | None = None
    tags: dict[str, str] | None = None
