# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What clusters are made of, and is not there. Else OpenStack, or a control plane, would say so in the middle.

Nothing is asked for groups whose servers are there, made from just that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from ...api.instance_group import InstanceGroup
from ...base.errors import FieldError
from ...cloud.openstack.tasks.server_template import ServerTemplate
from ..context import ModelContext
from . import records, server_groups, store_key
from .spec import account_of


def missing(context: ModelContext) -> list[FieldError]:
    """Flavors, images and zones that groups name, the zone of the cluster's names, and a key for a store in S3.

    It is asked once all tasks are built.
    """
    groups = [group for group in context.updated_groups if not _is_made(context, group)]
    _read_at_once(context, groups)
    found = [problem for group in groups for problem in _of_group(context, group)]
    if context.publishes_dns_records and records.zone_of(context) is None:
        message = "Designate has no such zone in the project"
        found.append(FieldError("NotFound", "spec.dnsZone", message, context.cluster.spec.dns_zone))
    return [*found, *store_key.problems(context)]


def _is_made(context: ModelContext, group: InstanceGroup) -> bool:
    name, numbers = str(group.metadata.name), server_groups.numbers_of(context, group)
    template, marks = context.get(ServerTemplate, name), account_of(context).marks(name)
    return bool(numbers) and all(template.is_offered_to(each, marks.get(each, "")) for each in numbers)


def _read_at_once(context: ModelContext, groups: Sequence[InstanceGroup]) -> None:
    """What is asked of several services at the same time is remembered by the facts."""
    facts, questions = context.facts, list[Callable[[], Any]]()
    questions += [partial(facts.image, image) for image in {str(each.spec.image) for each in groups}]
    questions += [partial(facts.instance_type, str(each.spec.machine_type)) for each in groups[:1]]
    questions += [facts.zones for each in groups if each.spec.zones][:1]
    if len(questions) > 1:
        with ThreadPoolExecutor(len(questions)) as pool:
            list(pool.map(lambda ask: ask(), questions))


def _of_group(context: ModelContext, group: InstanceGroup) -> Iterator[FieldError]:
    facts, spec, own = context.facts, group.spec, str(group.metadata.name)
    if facts.instance_type(str(spec.machine_type)) is None:
        yield FieldError("NotFound", "spec.machineType", "the project has no such flavor", spec.machine_type, group=own)
    if facts.image(str(spec.image)) is None:
        yield FieldError("NotFound", "spec.image", "the project sees no such image", spec.image, group=own)
    known = facts.zones() if spec.zones else []
    for index, zone in enumerate(spec.zones):
        if zone not in known:
            message = f"Nova has no such zone, only {', '.join(known)}"
            yield FieldError("NotFound", f"spec.zones[{index}]", message, zone, group=own)
