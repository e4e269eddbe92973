# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The droplets that removed groups and smaller ones have left."""

from __future__ import annotations

from ...cloud.digitalocean import marks
from ...cloud.digitalocean.tasks.removed_droplets import RemovedDroplets
from ...engine.task import Lifecycle
from ..context import ModelContext
from . import servers
from .spec import account_of


def build(context: ModelContext) -> None:
    """One task that knows which droplets there may be; nothing when only some groups are updated."""
    if context.chosen is not None:
        return
    kept, most = {}, {}
    for group in context.groups:
        name = str(group.metadata.name)
        numbers = {*servers.numbers_of(context, group), *account_of(context).numbers(name).leaving}
        most[name] = max(group.spec.min_size or 0, group.spec.max_size or 0)
        kept[name] = [marks.stable_name(name, number) for number in sorted(numbers)]
    overridden = context.lifecycle_overrides.get("Droplet", Lifecycle.SYNC)
    lifecycle = context.layers.cluster if overridden is Lifecycle.SYNC else overridden
    context.add(RemovedDroplets(context.name, lifecycle, droplets=kept, most=most))
