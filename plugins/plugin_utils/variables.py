# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the playbooks: which there are, and which are misspelled.

The playbooks themselves are the table: a name that one of them, a role or its documentation mentions is known.
"""

from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Collection, Iterable

from ansible_collections.kubeops.kops.plugins.module_utils.api.suggest import nearest

_COLLECTION = pathlib.Path(__file__).resolve().parents[2]
_PLAYBOOKS = _COLLECTION / "playbooks"
_VARIABLE = re.compile(r"\bkops_\w+")
_PREFIX = "kops_"
# How alike two names are, one of which is the other with letters left out, added or exchanged; or may be.
_MISSPELLED = 0.85
_MAYBE = 0.66


@functools.cache
def known_variables() -> frozenset[str]:
    """All variables of the collection's playbooks and roles, those that they set themselves among them."""
    files = [*_PLAYBOOKS.rglob("*.yml"), *_COLLECTION.glob("roles/*/*/*.yml")]
    return frozenset(name for file in files for name in _VARIABLE.findall(file.read_text(encoding="utf-8")))


@functools.cache
def inventory_variables() -> frozenset[str]:
    """Variables that the inventory plugins of the collection set, by their documentation. No playbook reads them."""
    files = (_COLLECTION / "plugins" / "inventory").glob("*.py")
    return frozenset(name for file in files for name in _VARIABLE.findall(file.read_text(encoding="utf-8")))


def is_own_playbook(path: str) -> bool:
    """Whether a task is of a playbook of the collection; path: its ``file:line``, "" if it has none."""
    return bool(path) and _PLAYBOOKS in pathlib.Path(path.rpartition(":")[0]).resolve().parents


def unknown_variables(names: Iterable[str], given: Collection[str]) -> list[str]:
    """What to say of each variable that no playbook of the collection knows.

    names: variables of the play. given: those of the command line, which are meant for this playbook. Others may belong
    to the inventory itself, such as ``kops_bucket``; they are named only if they look like a known name.
    """
    known = known_variables() | (inventory_variables() - set(given))
    found = []
    for name in sorted({name for name in [*names, *given] if _VARIABLE.fullmatch(name)} - known):
        meant = _nearest(name, cutoff=_MAYBE if name in given else _MISSPELLED)
        if meant or name in given:
            found.append(f"{name}: no playbook has this variable" + (f"; did you mean {meant}?" if meant else ""))
    return found


def _nearest(name: str, cutoff: float) -> str:
    """The known name, which is compared without the common prefix."""
    found = nearest(
        name.removeprefix(_PREFIX), [each.removeprefix(_PREFIX) for each in known_variables()], cutoff=cutoff
    )
    return f"{_PREFIX}{found}" if found else ""
