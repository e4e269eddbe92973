# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What in vCenter is the cluster's: the only place that says so.

A tag says it, on the folder, the resource pool and the machines; machines say it themselves, too, since they get
their tag after they are made. What has only the name of ours is nobody's as long as it is empty: then a run was broken
off before it gave the tag, or it makes no difference.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...base.errors import KopsError
from . import names
from .cloud import VSphereCloud
from .collecting import Described
from .inventory import inventory, machine_places, named
from .kinds import DETAILS, FOLDER, POOL


def category_of(cloud: VSphereCloud) -> dict[str, Any] | None:
    """The category of the cluster's tag; None if there is none. To be asked by `once`.

    Raises KopsError if one of that name is not ours.
    """
    name = names.category(cloud.cluster_name)
    found = cloud.tagging.category(names.category_id(cloud.cluster_name)) or cloud.tagging.category_called(name)
    if found is not None and names.said_by(str(found.get("description") or "")) is None:
        raise KopsError(f"vCenter has another category {name} of tags ({found['id']}): rename or delete it")
    return found


def tag_of(cloud: VSphereCloud) -> dict[str, Any] | None:
    """The tag of the cluster, with what it says ("said"); None if there is none. To be asked by `once`.

    Raises KopsError if it is that of another cluster of this name.
    """
    found = cloud.tagging.tag(names.tag_id(cloud.cluster_name))
    if found is None:
        # Its id may be another one than was asked for.
        category = cloud.once(category_of)
        found = cloud.tagging.tag_called(str(category["id"]), names.tag(cloud.cluster_name)) if category else None
    if found is None:
        return None
    said = names.said_by(str(found.get("description") or ""))
    if said is None:
        raise KopsError(f"vCenter has another tag {found['name']} ({found['id']}): rename or delete it")
    store = str(said.get("store") or "")
    if cloud.store and store and store != cloud.store:
        raise KopsError(
            f"vCenter has another cluster {cloud.cluster_name}, with the state store {store}:"
            " this one needs another name"
        )
    return {**found, "said": said}


def tagged(cloud: VSphereCloud) -> set[str]:
    """The ids of what has the tag of the cluster. To be asked by `once`."""
    found = cloud.once(tag_of)
    return cloud.tagging.tagged(str(found["id"])) if found else set()


def is_tagged(cloud: VSphereCloud, found: Described) -> bool:
    """Whether an object has the tag of the cluster."""
    return str(found["id"]) in cloud.once(tagged)


def says_so(cloud: VSphereCloud, machine: Described) -> bool:
    """Whether a machine says that it is the cluster's."""
    said = settings_of(machine)
    store = said.get(names.STORE, "")
    return said.get(names.CLUSTER) == cloud.cluster_name and (not cloud.store or store in ("", cloud.store))


def settings_of(machine: Described) -> Mapping[str, str]:
    """The further settings of a machine: key -> value. Its user data is among them."""
    return {str(each.key): str(each.value) for each in machine.get("config.extraConfig") or ()}


# -- what is there ----------------------------------------------------------------------------------------------------


def own_folder(cloud: VSphereCloud) -> Described | None:
    """The folder of the cluster's machines; None if there is none that has its tag."""
    return _own(cloud, FOLDER)


def own_pool(cloud: VSphereCloud) -> Described | None:
    """The resource pool of the cluster; None if there is none that has its tag."""
    return _own(cloud, POOL)


def _own(cloud: VSphereCloud, kind: str) -> Described | None:
    return next((each for each in cloud.once(inventory).of((kind,)) if is_tagged(cloud, each)), None)


def own_machines(cloud: VSphereCloud) -> list[dict[str, Any]]:
    """All machines in the cluster's folder, also those that others have put there. To be asked by `once`."""
    found = own_folder(cloud)
    if found is None:
        return []
    return cloud.below(FOLDER, str(found["id"]), DETAILS, "read the virtual machines of the cluster")


def machines(cloud: VSphereCloud) -> list[dict[str, Any]]:
    """The machines of the cluster: those in its folder that say so themselves."""
    return [each for each in cloud.once(own_machines) if says_so(cloud, each)]


def at_places(cloud: VSphereCloud, wanted: Collection[str]) -> list[str]:
    """The ids of the cluster's machines that have these stable names, as they are now."""
    forget_machines(cloud)
    return [str(each["id"]) for each in machines(cloud) if settings_of(each).get(names.NAME) in wanted]


def machine_now(cloud: VSphereCloud, identifier: str, since: float = 0.0) -> Described | None:
    """A machine of the cluster's folder as it was a moment ago; None if it was not there.

    Whoever waits shares a reading. since: a moment of time.monotonic(); what was there before says nothing.
    """

    def read(_kind: str) -> dict[str, Described]:
        forget_machines(cloud)
        return {str(each["id"]): each for each in cloud.once(own_machines)}

    return cloud.latest.of(own_machines.__name__, identifier, read, since)


def forget_machines(cloud: VSphereCloud) -> None:
    """Read the machines of the cluster anew the next time."""
    cloud.forget(own_machines)


def is_empty(cloud: VSphereCloud, found: Described) -> bool:
    """Whether nothing is in a folder or resource pool."""
    identifier = found["id"]
    if cloud.once(inventory).children(str(identifier)):
        return False
    return not any(identifier in (each.get("parent"), each.get("resourcePool")) for each in cloud.once(machine_places))


def stray(cloud: VSphereCloud, kind: str, name: str) -> list[Described]:
    """Objects of a kind that have a name of ours, and no tag, and nothing in them."""
    return [
        each
        for each in cloud.once(inventory).of((kind,))
        if named(each) == name and not is_tagged(cloud, each) and is_empty(cloud, each)
    ]
