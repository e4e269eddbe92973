# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is left of instance groups that have been removed, nor of servers beyond the greatest size of theirs."""

from __future__ import annotations

from ...cloud.openstack import names
from ...cloud.openstack.tasks.removed_servers import RemovedServers
from ...engine.task import Lifecycle
from ..context import ModelContext
from . import server_groups
from .spec import account_of


def build(context: ModelContext) -> None:
    """One task that knows which servers there may be; nothing when only some groups are updated."""
    if context.chosen is not None:
        return
    kept, most = {}, {}
    for group in context.groups:
        name = str(group.metadata.name)
        leaving = account_of(context).numbers(name).leaving
        numbers = {*server_groups.numbers_of(context, group), *leaving}
        most[name] = max(group.spec.min_size or 0, group.spec.max_size or 0)
        kept[name] = [names.server(name, number, context.name) for number in sorted(numbers)]
    overridden = context.lifecycle_overrides.get("Server", Lifecycle.SYNC)
    lifecycle = context.layers.cluster if overridden is Lifecycle.SYNC else overridden
    context.add(RemovedServers(context.name, lifecycle, servers=kept, most=most))
