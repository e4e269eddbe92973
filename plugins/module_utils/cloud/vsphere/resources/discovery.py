# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery of everything that a cluster owns in vCenter, for its deletion."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ....engine.resource import Resource, by_key
from ....engine.task import TryAgainLater
from ...errors import Missing
from ..cloud import VSphereCloud
from ..disks import delete_directory, delete_disk
from ..ending import end_machine
from ..inventory import inventory
from ..kinds import FOLDER, POOL
from ..ownership import forget_machines, is_empty
from ..ownership import tagged as tagged_objects
from ..rules import change_rules, rules
from .owned import CATEGORY, DIRECTORY, DISK, FOLDERS, MACHINES, POOLS, RULE, TAG, Found, Owned

# Kind -> kinds of which none goes before all of these have gone. By the tag all the others are found.
_BEFORE: dict[str, tuple[str, ...]] = {
    RULE: (MACHINES,),
    MACHINES: (DISK, FOLDERS, POOLS),
    DISK: (DIRECTORY,),
    DIRECTORY: (TAG,),
    FOLDERS: (TAG,),
    POOLS: (TAG,),
    TAG: (CATEGORY,),
}


def discover(cloud: VSphereCloud) -> dict[str, Resource]:
    """Every object that the cluster owns, by key and in no order."""
    owned = Owned(cloud)
    found = list(owned.all())
    resources = []
    for each in found:
        blocks = frozenset(key_of(other) for other in found if other.kind in _BEFORE.get(each.kind, ()))
        resources.append(Resource(each.kind, each.id, _removal(cloud, owned, each), each.name, blocks))
    return by_key(resources)


def key_of(found: Found) -> str:
    """As resources have it."""
    return f"{found.kind}:{found.id}"


def _removal(cloud: VSphereCloud, owned: Owned, found: Found) -> Callable[[], None]:
    if found.kind == RULE:
        compute = owned.compute()
        return partial(_delete_rule, cloud, compute, found)
    if found.kind in (FOLDERS, POOLS):
        return partial(_delete_place, cloud, FOLDER if found.kind == FOLDERS else POOL, found)
    ways: dict[str, Callable[[VSphereCloud, str], None]] = {
        MACHINES: end_machine,
        DISK: delete_disk,
        DIRECTORY: delete_directory,
        TAG: _delete_tag,
        CATEGORY: _delete_category,
    }
    return partial(ways[found.kind], cloud, found.id)


def _delete_rule(cloud: VSphereCloud, compute: str, found: Found) -> None:
    cloud.forget(rules, compute)
    if any(str(each.key) == found.id for each in cloud.once(rules, compute)):
        change_rules(cloud, compute, f"remove rule {found.name}", "remove", found.handle)


def _delete_place(cloud: VSphereCloud, kind: str, found: Found) -> None:
    """Destroying a folder destroys what is in it: so it must be empty."""
    forget_machines(cloud)
    cloud.forget_all()
    if cloud.once(inventory).get(found.id) is None:
        return
    if not is_empty(cloud, found.handle):
        raise TryAgainLater(f"{found.kind} {found.name} is not empty")
    place = cloud.object(kind, found.id)
    try:
        cloud.run(f"delete {found.kind} {found.name}", place.Destroy_Task)
    except Missing:
        return


def _delete_tag(cloud: VSphereCloud, identifier: str) -> None:
    cloud.tagging.delete_tag(identifier)
    cloud.forget(tagged_objects)


def _delete_category(cloud: VSphereCloud, identifier: str) -> None:
    cloud.tagging.delete_category(identifier)
