# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What targets share that render tasks: who renders a kind, and values that are known when other objects are there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ...base.errors import KopsError
from ..task import Task


class LateValues(Protocol):
    """How a target gives values that are known only when other objects are there."""

    def late(self, name: str, find: Callable[[], Sequence[str]]) -> Callable[[], Sequence[str]]:
        """What gives a list of texts once the objects that it is of are done, or rendered.

        name: of the value, in what is rendered. find: gives it when the objects are there.
        """

    def marks_in(self, text: str) -> dict[str, str]:
        """The values that stand in a text and that it does not have yet: name -> what stands there for it."""


class Found:
    """The objects are made before that in which their values are put."""

    def late(self, name: str, find: Callable[[], Sequence[str]]) -> Callable[[], Sequence[str]]:
        """What finds them."""
        return find

    def marks_in(self, text: str) -> dict[str, str]:
        """None."""
        return {}


@dataclass(frozen=True)
class Marked:
    """Nothing is there yet: a mark stands in the text, which another program replaces by the values.

    They are separated by commas: nothing that a JSON text or a script would have to escape. target: its name.
    """

    target: str

    def mark(self, name: str) -> str:
        """What stands in a text for a value."""
        return f"@@{self.target}:{name}@@"

    def late(self, name: str, find: Callable[[], Sequence[str]]) -> Callable[[], Sequence[str]]:
        """The mark."""
        return lambda: [self.mark(name)]

    def marks_in(self, text: str) -> dict[str, str]:
        """All that mark() has put there, by their names."""
        found = re.findall(rf"@@{re.escape(self.target)}:(\w+)@@", text)
        return {name: self.mark(name) for name in sorted({*found})}


FOUND = Found()


def renderers(tasks: Iterable[Task[Any]], method: str) -> list[Callable[[Any], None]]:
    """What adds each task to a target, in the order of the tasks; those that are never written are left out.

    method: of kinds of tasks; it takes the target, to which it adds what the task is there. It has the target's name.
    Raises KopsError with all kinds that have none.
    """
    written = [task for task in tasks if not task.is_ignored]
    missing = sorted({task.kind for task in written if not callable(getattr(task, method, None))})
    if missing:
        raise KopsError(
            f"target {method} cannot be used for this cluster: it asks for objects of kinds that cannot be rendered"
            f" for it: {', '.join(missing)}"
        )
    return [getattr(task, method) for task in written]
