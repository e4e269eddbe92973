# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers that removed groups and smaller ones have left."""

from __future__ import annotations

from ...cloud.hetzner.tasks.removed_servers import RemovedServers
from ...cloud.pools.places import place_name
from .. import pools
from ..context import ModelContext
from .spec import account_of


def build(context: ModelContext) -> None:
    """One task that knows which there may be; nothing when only some groups are updated."""
    if context.chosen is not None:
        return
    kept = pools.may_be(context, account_of(context).numbers, place_name)
    lifecycle = pools.lifecycle_of_absence(context, "Server")
    context.add(RemovedServers(context.name, lifecycle, servers=kept, most=pools.greatest_sizes(context)))
