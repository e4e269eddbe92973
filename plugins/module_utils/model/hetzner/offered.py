# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a specification names and Hetzner does not offer: it is said before anything is made."""

from __future__ import annotations

from collections.abc import Iterator

from ...api.instance_group import InstanceGroup
from ...base.errors import FieldError
from ..context import ModelContext
from .locations import location_of
from .spec import account_of


def missing(context: ModelContext) -> list[FieldError]:
    """Server types, images and locations that groups name."""
    return [problem for group in context.updated_groups for problem in _of_group(context, group)]


def _of_group(context: ModelContext, group: InstanceGroup) -> Iterator[FieldError]:
    facts, spec, own = context.facts, group.spec, str(group.metadata.name)
    if facts.instance_type(str(spec.machine_type)) is None:
        yield FieldError(
            "NotFound", "spec.machineType", "Hetzner has no such server type", spec.machine_type, group=own
        )
    if facts.image(str(spec.image)) is None:
        yield FieldError("NotFound", "spec.image", "the project sees no such image", spec.image, group=own)
    known, place = facts.zones(), location_of(context, group)
    if place not in known:
        message = f"Hetzner has no such location in the same network zone, only {', '.join(known)}"
        yield FieldError("NotFound", "spec.subnets", message, place, group=own)
    elif facts.instance_type(str(spec.machine_type)) and not account_of(context).offers(str(spec.machine_type), place):
        message = f"Hetzner has no servers of this type in {place}"
        yield FieldError("NotFound", "spec.machineType", message, spec.machine_type, group=own)
