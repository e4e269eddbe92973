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
from .dns import dns
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
    return by_key(resource for resources in found for resource in resources)
