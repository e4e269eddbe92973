# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of servers in clouds that keep no numbers of them: which there are, and which there may be."""

from __future__ import annotations

from collections.abc import Callable

from ..api.instance_group import InstanceGroup
from ..cloud.pools.numbers import Numbers
from ..engine.task import Lifecycle
from .context import ModelContext

# Instance group -> the numbers of its servers now.
NumbersOf = Callable[[str], Numbers]
# Instance group and number -> the stable name of the server.
NameOf = Callable[[str, int], str]


def numbers_wanted(group: InstanceGroup, numbers: NumbersOf) -> list[int]:
    """The numbers of a group's servers: those that are there, and free ones up to its smallest size."""
    return numbers(str(group.metadata.name)).kept(group.spec.min_size or 0, group.spec.max_size or 0)


def may_be(context: ModelContext, numbers: NumbersOf, name_of: NameOf) -> dict[str, list[str]]:
    """Instance group -> the stable names that its servers may have, those that leave it included."""
    found = {}
    for group in context.groups:
        name = str(group.metadata.name)
        kept = {*numbers_wanted(group, numbers), *numbers(name).leaving}
        found[name] = [name_of(name, number) for number in sorted(kept)]
    return found


def greatest_sizes(context: ModelContext) -> dict[str, int]:
    """Instance group -> its greatest size."""
    return {
        str(group.metadata.name): max(group.spec.min_size or 0, group.spec.max_size or 0) for group in context.groups
    }


def lifecycle_of_absence(context: ModelContext, kind: str) -> Lifecycle:
    """The lifecycle of what removes servers: that of servers, if the user has given one. kind: their task's."""
    overridden = context.lifecycle_overrides.get(kind, Lifecycle.SYNC)
    return context.layers.cluster if overridden is Lifecycle.SYNC else overridden
