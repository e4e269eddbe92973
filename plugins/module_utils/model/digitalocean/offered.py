# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a specification names and DigitalOcean does not offer, or that nodes would lack: it is said before all else."""

from __future__ import annotations

from collections.abc import Iterator

from ...api.instance_group import InstanceGroup
from ...api.questions import uses_none_dns
from ...base.errors import FieldError
from ..context import ModelContext


def missing(context: ModelContext) -> list[FieldError]:
    """The region, or else sizes and images that groups name. Which regions there are is asked only if something is."""
    found = [problem for group in context.updated_groups for problem in _of_group(context, group)]
    if context.cluster.spec.api.load_balancer is None and uses_none_dns(context.cluster):
        message = "without names (spec.networking.topology.dns), nodes find the control planes by a load balancer only"
        return [*found, FieldError("Required", "spec.api.loadBalancer", message)]
    known = context.facts.zones() if found else [context.region]
    if context.region not in known:
        message = f"DigitalOcean makes no droplets in this region, only in {', '.join(known)}"
        return [FieldError("NotFound", "spec.networking.subnets[0].region", message, context.region)]
    return found


def _of_group(context: ModelContext, group: InstanceGroup) -> Iterator[FieldError]:
    facts, spec, own = context.facts, group.spec, str(group.metadata.name)
    if facts.instance_type(str(spec.machine_type)) is None:
        message = f"DigitalOcean has no droplets of this size in {context.region}"
        yield FieldError("NotFound", "spec.machineType", message, spec.machine_type, group=own)
    if facts.image(str(spec.image)) is None:
        message = f"the account sees no such image in {context.region}"
        yield FieldError("NotFound", "spec.image", message, spec.image, group=own)
