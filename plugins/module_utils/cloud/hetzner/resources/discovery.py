# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything of a cluster that exists in a project, and in which order it can go."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial

from ....engine.resource import Resource, by_key
from ...errors import Missing
from ..cloud import HetznerCloud
from ..kinds import BALANCER, FIREWALL, NETWORK, PLACEMENT_GROUP, SERVER, VOLUME, Kind
from .owned import Found, Owned

# Kind -> kinds of which none goes before all of these have gone.
_BEFORE: dict[Kind, tuple[Kind, ...]] = {
    # As long as there are servers, the cloud controller may make load balancers.
    SERVER: (VOLUME, FIREWALL, PLACEMENT_GROUP, BALANCER, NETWORK),
    # By the network it is known whose those of Services are.
    BALANCER: (NETWORK,),
}


def discover(cloud: HetznerCloud) -> dict[str, Resource]:
    """Every object that the cluster owns, by key and in no order."""
    found = list(Owned(cloud).all())
    resources = []
    for each in found:
        blocks = frozenset(key_of(other) for other in found if other.kind in _BEFORE.get(each.kind, ()))
        resources.append(Resource(each.kind.word, str(each.id), _removal(cloud, each), each.name, blocks))
    return by_key(resources)


def key_of(found: Found) -> str:
    """As resources have it."""
    return f"{found.kind.word}:{found.id}"


def _removal(cloud: HetznerCloud, found: Found) -> Callable[[], None]:
    if found.kind is FIREWALL:
        return partial(_delete_firewall, cloud, found)
    if found.kind is VOLUME:
        return partial(_delete_volume, cloud, found)
    return partial(cloud.delete, found.kind, found.id)


def _delete_firewall(cloud: HetznerCloud, found: Found) -> None:
    """It must not be applied to anything, be it by labels that nothing has."""
    now = cloud.get(FIREWALL, found.id)
    applied = now["applied_to"] if now else []
    if applied:
        keys = ("type", "server", "label_selector")
        resources = [{key: each[key] for key in keys if each.get(key)} for each in applied]
        with contextlib.suppress(Missing):
            cloud.act(FIREWALL, found.id, "remove_from_resources", {"remove_from": resources}, f"free {found.name}")
    cloud.delete(FIREWALL, found.id)


def _delete_volume(cloud: HetznerCloud, found: Found) -> None:
    """It must not be attached."""
    now = cloud.get(VOLUME, found.id)
    if now and now["server"]:
        with contextlib.suppress(Missing):
            cloud.act(VOLUME, found.id, "detach", {}, f"detach volume {found.name}")
    cloud.delete(VOLUME, found.id)
