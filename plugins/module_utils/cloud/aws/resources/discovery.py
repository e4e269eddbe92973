# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything of a cluster that exists in an account, found by its tags and never by memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from ....engine.resource import Resource, by_key
from ..cloud import AWSCloud
from .compute import compute
from .dns import RECORD, dns
from .events import events
from .identity import identity
from .load_balancing import load_balancing
from .network import network

KINDS: tuple[Callable[[AWSCloud], Iterator[Resource]], ...] = (
    compute,
    load_balancing,
    network,
    identity,
    dns,
    events,
)


def discover(cloud: AWSCloud) -> dict[str, Resource]:
    """Every object that the cluster owns, by key and in no order; shared ones (tagged so) are not among them."""
    with ThreadPoolExecutor(max_workers=len(KINDS)) as pool:
        found = list(pool.map(lambda kind: list(kind(cloud)), KINDS))
    resources = [resource for each in found for resource in each]
    _records_last(resources)
    return by_key(resources)


def _records_last(resources: list[Resource]) -> None:
    """Control planes that still run would write their records again: they go first."""
    records = frozenset(resource.key for resource in resources if resource.kind.startswith(RECORD))
    for resource in resources:
        if resource.kind in ("autoscaling-group", "instance"):
            resource.blocks |= records
