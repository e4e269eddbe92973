# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything of a cluster that exists in a project, and in which order it can go."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from functools import partial

from ....engine.resource import Resource, by_key
from ....engine.task import TryAgainLater
from ...errors import Missing
from ..cloud import Described, OpenStackCloud
from ..kinds import (
    APPLICATION_CREDENTIAL,
    BALANCER,
    FLOATING_IP,
    KEYPAIR,
    NETWORK,
    PORT,
    ROUTER,
    SECURITY_GROUP,
    SERVER,
    SERVER_GROUP,
    SUBNET,
    VOLUME,
    Kind,
)
from ..states import lives
from ..tasks._openstack import described
from ..tasks.application_credential import own_credentials, remove_credential
from ..tasks.router_interface import INTERFACE_OWNERS
from .owned import Found, Owned

INTERFACE = "router interface"
# What Neutron and Nova delete at once.
_LASTING = (KEYPAIR, SERVER_GROUP, ROUTER, SUBNET, NETWORK)
# What says of itself for how long it is still there.
_SEEN_GOING = (SERVER, BALANCER)
# Octavia's word for a load balancer that goes.
_GOING = "PENDING_DELETE"
# Kind -> kinds of which none goes before all of these have gone.
_BEFORE = {
    SERVER.word: (PORT.word, SERVER_GROUP.word, VOLUME.word),
    FLOATING_IP.word: (PORT.word, INTERFACE, BALANCER.word),
    # By the addresses of ports it is known whose it is.
    BALANCER.word: (PORT.word, SUBNET.word, SECURITY_GROUP.word, INTERFACE),
    PORT.word: (SUBNET.word, SECURITY_GROUP.word),
    INTERFACE: (ROUTER.word, SUBNET.word),
    SUBNET.word: (NETWORK.word,),
}


def discover(cloud: OpenStackCloud) -> dict[str, Resource]:
    """Every object that the cluster owns, by key and in no order; of what it only uses, the tag."""
    found = {_key(each): each for each in Owned(cloud).all()}
    kinds: dict[str, set[str]] = {}
    for key, each in found.items():
        kinds.setdefault(_word(each), set()).add(key)
    resources = []
    for each in found.values():
        word = _word(each)
        blocks = frozenset(key for other in _BEFORE.get(word, ()) for key in kinds.get(other, ()))
        resources.append(Resource(word, each.id, _removal(cloud, each), each.name, blocks))
    return by_key(resources)


def forget_all_but_lasting(cloud: OpenStackCloud, deleted: Mapping[str, Resource]) -> None:
    """Read anew the next time what may have appeared since the deletion of objects, or is deleted later.

    What only an update makes, which cannot run beside a deletion, is what was there before without what was deleted.
    """
    words = {kind: (kind.word, f"tag of {kind.word}") for kind in _LASTING}
    left = {
        kind: [
            each
            for each in cloud.once(described, kind)
            if not any(f"{word}:{Found(kind, each).id}" in deleted for word in words[kind])
        ]
        for kind in _LASTING
    }
    word = APPLICATION_CREDENTIAL
    credentials = [each for each in cloud.once(own_credentials) if f"{word}:{each['id']}" not in deleted]
    cloud.forget_all()
    for kind, found in left.items():
        cloud.know(found, described, kind)
    cloud.know(credentials, own_credentials)


def _word(found: Found) -> str:
    if found.only_tag:
        return f"tag of {found.kind.word}"
    is_interface = found.kind is PORT and found.described.get("device_owner") in INTERFACE_OWNERS
    return INTERFACE if is_interface else found.kind.word


def _key(found: Found) -> str:
    return f"{_word(found)}:{found.id}"


def _removal(cloud: OpenStackCloud, found: Found) -> Callable[[], None]:
    if found.only_tag:
        return partial(cloud.delete, found.kind, f"{found.id}/tags/{cloud.cluster_name}")
    if _word(found) == INTERFACE:
        return partial(_take_out, cloud, str(found.described["device_id"]), found.id)
    if found.kind.word == APPLICATION_CREDENTIAL:
        return partial(remove_credential, cloud, found.id)
    if found.kind in _SEEN_GOING:
        return _SeenGoing(cloud, found)
    return partial(cloud.delete, found.kind, found.id)


def _take_out(cloud: OpenStackCloud, router: str, port: str) -> None:
    doing = f"take the router's port {port} out of its subnet"
    with contextlib.suppress(Missing):
        cloud.ask("PUT", ROUTER, f"/{router}/remove_router_interface", {"port_id": port}, doing)


class _SeenGoing:
    """Deletion of what is deleted later than it is asked for: all that go share the reading of their kind."""

    def __init__(self, cloud: OpenStackCloud, found: Found) -> None:
        self._cloud, self._found = cloud, found
        self._asked: float | None = None

    def __call__(self) -> None:
        """Raises TryAgainLater until it is gone."""
        if self._asked is not None:
            now = self._cloud.latest(self._found.kind, self._found.id, self._asked)
            if now is None:
                return
            if _is_going(self._found.kind, now):
                raise TryAgainLater(self._waiting)
        # For the first time, or the service has given up.
        query = "?cascade=true" if self._found.kind is BALANCER else ""
        self._cloud.delete(self._found.kind, self._found.id, query)
        self._asked = time.monotonic()
        raise TryAgainLater(self._waiting)

    @property
    def _waiting(self) -> str:
        return f"{self._found.kind.word} {self._found.name} is being deleted"


def _is_going(kind: Kind, found: Described) -> bool:
    """Whether its service is deleting an object."""
    return found["provisioning_status"] == _GOING if kind is BALANCER else not lives(found)
