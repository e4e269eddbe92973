# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: vpc dhcp options association."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.task import Task

if TYPE_CHECKING:
    from .dhcp_options import DHCPOptions
    from .vpc import VPC


@dataclass(eq=False)
class VPCDHCPOptionsAssociation(Task):
    """TODO."""

    vpc: VPC | None = None
    dhcp_options: DHCPOptions | None = None
