# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What modules about the state store do alike: their options, and the form of their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..base.errors import KopsError
from ..base.files import read_text
from ..base.outcome import Difference, Outcome
from ..operations.next_steps import STORED, next_steps
from ..operations.progress import Progress, silent
from ..operations.store.edit import Edit
from ..operations.store.write import StoreOptions, StoreResult

if TYPE_CHECKING:
    from ..operations.store.secrets import NamesResult
    from .module import Call

PRESENT_OR_ABSENT: dict[str, Any] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
}
# Single fields that are changed.
SETTINGS: dict[str, Any] = {
    "set": {"type": "list", "elements": "str"},
    "unset": {"type": "list", "elements": "str"},
}


def store_options(module: Call, progress: Progress = silent) -> StoreOptions:
    """Where to write, how to get the right to, and what is told of it."""
    return StoreOptions(
        progress=progress,
        state_store=module.state_store,
        lease_wait=module.parameters["lease_wait"],
        break_lease=bool(module.parameters["break_lease"]),
        adopt=[name for name in module.parameters.get("adopt") or () if name],
    )


def edit_of(module: Call) -> Edit:
    """The fields to set and to unset."""
    sets, unsets = ([text for text in module.parameters[option] or [] if text] for option in SETTINGS)
    if (sets or unsets) and module.text("state") == "absent":
        raise KopsError("set and unset are for state present")
    return Edit(sets, unsets)


def store_outcome(
    module: Call, result: StoreResult, *, ended: Mapping[str, Any] | None = None, **values: Any
) -> Outcome:
    """The outcome of a change of stored objects; in check mode with all that would be stored then.

    ended: how it has ended if something was stored, as next_steps() takes it; None if an update comes next.
    """
    from ..api.manifest import dump_all

    following = {STORED: True} if ended is None else ended
    would_be = {"manifest": dump_all(result.objects)} if module.check else {}
    return Outcome(
        changed=bool(result.changes),
        values={**result.as_values(), **would_be, **values},
        differences=[each.difference() for each in result.changes],
        warnings=result.warnings,
        next_steps=next_steps("", following if result.changes and not module.check else {}),
    )


def names_outcome(key: str, header: str, result: NamesResult) -> Outcome:
    """The outcome of a change of objects of which only the names are shown. key: the one that they are returned by."""
    return Outcome(result.changed, {key: result.after}, yaml_differences(header, result.before, result.after))


def yaml_differences(header: str, before: Any, after: Any) -> list[Difference]:
    """Plain data before and after, if it differs."""
    from ..api.manifest import dump_plain

    if before == after:
        return []
    return [Difference(header, *(dump_plain(data) if data else "" for data in (before, after)))]


def file_or_text(module: Call, text: str, path: str) -> str:
    """The text of one option, or of the file that another one names."""
    return read_text(module.text(path)) if module.text(path) else module.text(text)
