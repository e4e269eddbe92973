# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of groups where nothing in the cloud stays when a server is gone: a file of the state store for each.

So a server that somebody deleted is missed, and one that was ended by a run that broke off is made again. A place is
kept before its server is made, and given up before the server leaves its group.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ...exchange.store_places import GROUPS
from ...statestore.vfs.open import open_path
from ..reads import StoredReads
from .numbers import Numbers

_DIRECTORY = "places"


def place_name(group: str, number: int) -> str:
    """The name of a place in a group, whatever the server that has it at the moment is called."""
    return f"{group}-{number}"


def places_of_groups(cloud: StoredReads) -> dict[str, frozenset[int]]:
    """Instance group -> the numbers that it has, with a server or without. To be asked by `once`."""
    return places_in(cloud.store)


def numbers_with(servers: Iterable[tuple[int, int | None]], places: frozenset[int]) -> Numbers:
    """The numbers of a group. servers: number, and the size that the group had when it left; None while it serves."""
    said = [*servers]
    served = frozenset(number for number, size in said if size is None)
    leaving = {number: size for number, size in said if size is not None and number not in served}
    return Numbers(served, places - served - leaving.keys(), leaving)


def places_in(store: str) -> dict[str, frozenset[int]]:
    """Instance group -> the numbers that it has. store: URL of the cluster's directory; "" if nobody knows."""
    found: dict[str, set[int]] = {}
    for name in _files(store):
        group, number = _read(name)
        found.setdefault(group, set()).add(number)
    return {group: frozenset(numbers) for group, numbers in found.items()}


def keep_place(store: str, template: str, number: int) -> None:
    """A group has a number. template: where the template of its servers is, below the cluster's directory."""
    open_path(store).join(template.rpartition("/")[0], _DIRECTORY, str(number)).write(b"\n")


def give_up_places(store: str, group: str, numbers: Collection[int]) -> None:
    """A group does not have these numbers any more."""
    for name in _files(store):
        if _read(name)[0] == group and _read(name)[1] in numbers:
            open_path(store).join(GROUPS, name).remove()


def _files(store: str) -> list[str]:
    """ROLE/GROUP/places/NUMBER of each place."""
    if not store:
        return []
    names = (each.name for each in open_path(store).join(GROUPS).list_tree())
    return [each for each in names if each.rpartition("/")[0].endswith(f"/{_DIRECTORY}") and _number(each).isdecimal()]


def _number(name: str) -> str:
    return name.rpartition("/")[2]


def _read(name: str) -> tuple[str, int]:
    return name.split("/")[-3], int(_number(name))
