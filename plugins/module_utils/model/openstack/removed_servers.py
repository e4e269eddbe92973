# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is left of instance groups that have been removed, nor of servers beyond the greatest size of theirs."""

from __future__ import annotations

from ...cloud.openstack import names
from ...cloud.openstack.tasks.removed_servers import RemovedServers
from .. import pools
from ..context import ModelContext
from .spec import account_of


def build(context: ModelContext) -> None:
    """One task that knows which servers there may be; nothing when only some groups are updated."""
    if context.chosen is not None:
        return

    def name_of(group: str, number: int) -> str:
        return names.server(group, number, context.name)

    kept = pools.may_be(context, account_of(context).numbers, name_of)
    lifecycle = pools.lifecycle_of_absence(context, "Server")
    context.add(RemovedServers(context.name, lifecycle, servers=kept, most=pools.greatest_sizes(context)))
