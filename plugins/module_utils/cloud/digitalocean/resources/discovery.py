# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything of a cluster that exists in an account, and in which order it can go."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ....engine.resource import Resource, by_key
from ....engine.task import TryAgainLater
from .. import names
from ..cloud import DigitalOceanCloud
from ..domains import TEXT
from ..kinds import BALANCER, DROPLET, FIREWALL, RECORD, TAG, VOLUME, VPC
from .owned import Found, owned

_BEFORE = {
    # Those of Services are known by their droplets.
    BALANCER.word: (DROPLET.word, VPC.word, TAG.word),
    # By its tags it is known whose it is.
    DROPLET.word: (VOLUME.word, FIREWALL.word, VPC.word, TAG.word),
    FIREWALL.word: (TAG.word,),
    VOLUME.word: (TAG.word,),
}


def discover(cloud: DigitalOceanCloud) -> dict[str, Resource]:
    """Every object that the cluster owns, by key and in no order."""
    found = {f"{each.kind.word}:{each.id}": each for each in owned(cloud)}
    kinds: dict[str, set[str]] = {}
    for key, each in found.items():
        kinds.setdefault(each.kind.word, set()).add(key)
    resources = []
    for each in found.values():
        blocks = {key for other in _BEFORE.get(each.kind.word, ()) for key in kinds.get(other, ())}
        blocks |= {key for key, other in found.items() if _is_mark_of(other, each)}
        resources.append(Resource(each.kind.word, each.id, _removal(cloud, each), each.name, frozenset(blocks)))
    return by_key(resources)


def _is_mark_of(mark: Found, found: Found) -> bool:
    """Whether a record of text says whose another record is: then it goes last."""
    are_records = mark.kind.word == found.kind.word == RECORD
    if not are_records or mark.described["type"] != TEXT or found.described["type"] == TEXT:
        return False
    return (mark.domain, mark.described["name"]) == (found.domain, found.described["name"])


def _removal(cloud: DigitalOceanCloud, found: Found) -> Callable[[], None]:
    if found.kind in (DROPLET, BALANCER):
        return partial(_delete_and_see, cloud, found)
    return partial(cloud.delete, found.kind, found.id)


def _delete_and_see(cloud: DigitalOceanCloud, found: Found) -> None:
    """What may be deleted later than it is asked for."""
    for given in names.values_in(names.tags_of(found.described), names.GIVEN):
        # A tag that is left over would be nobody's.
        cloud.delete_tag(names.tag(names.GIVEN, given))
    cloud.delete(found.kind, found.id)
    if cloud.get(found.kind, found.id) is not None:
        raise TryAgainLater(f"{found.kind.word} {found.name} is being deleted")
