# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where servers are."""

from __future__ import annotations

from ...api.instance_group import InstanceGroup
from ..context import ModelContext


def location_of(context: ModelContext, group: InstanceGroup) -> str:
    """Where the servers of a group are: the zone of its first subnet."""
    subnet = context.subnets_of(group)[0]
    return str(subnet.zone or subnet.name)
