# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What clusters are made of, and is not there. Else OpenStack, or a control plane, would say so in the middle."""

from __future__ import annotations

from collections.abc import Iterator

from ...api.instance_group import InstanceGroup
from ...base.errors import FieldError
from ..context import ModelContext
from . import records, store_key


def missing(context: ModelContext) -> list[FieldError]:
    """Flavors, images and zones that groups name, the zone of the cluster's names, and a key for a store in S3."""
    found = [problem for group in context.updated_groups for problem in _of_group(context, group)]
    if context.publishes_dns_records and records.zone_of(context) is None:
        message = "Designate has no such zone in the project"
        found.append(FieldError("NotFound", "spec.dnsZone", message, context.cluster.spec.dns_zone))
    return [*found, *store_key.problems(context)]


def _of_group(context: ModelContext, group: InstanceGroup) -> Iterator[FieldError]:
    facts, spec, own = context.facts, group.spec, str(group.metadata.name)
    if facts.instance_type(str(spec.machine_type)) is None:
        yield FieldError("NotFound", "spec.machineType", "the project has no such flavor", spec.machine_type, group=own)
    if facts.image(str(spec.image)) is None:
        yield FieldError("NotFound", "spec.image", "the project sees no such image", spec.image, group=own)
    known = facts.zones()
    for index, zone in enumerate(spec.zones):
        if zone not in known:
            message = f"Nova has no such zone, only {', '.join(known)}"
            yield FieldError("NotFound", f"spec.zones[{index}]", message, zone, group=own)
