# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual machines that removed groups and smaller ones have left."""

from __future__ import annotations

from ...cloud.vsphere import marks
from ...cloud.vsphere.tasks.removed_vms import RemovedVMs
from ...engine.task import Lifecycle
from ..context import ModelContext
from . import vms
from .spec import account_of


def build(context: ModelContext) -> None:
    """One task that knows which machines there may be; nothing when only some groups are updated."""
    if context.chosen is not None:
        return
    kept, most = {}, {}
    for group in context.groups:
        name = str(group.metadata.name)
        numbers = {*vms.numbers_of(context, group), *account_of(context).numbers(name).leaving}
        most[name] = max(group.spec.min_size or 0, group.spec.max_size or 0)
        kept[name] = [marks.stable_name(name, number) for number in sorted(numbers)]
    overridden = context.lifecycle_overrides.get("VM", Lifecycle.SYNC)
    lifecycle = context.layers.cluster if overridden is Lifecycle.SYNC else overridden
    context.add(RemovedVMs(context.name, lifecycle, servers=kept, most=most))
