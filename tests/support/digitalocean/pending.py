# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What DigitalOcean does later: actions, and what they change when they are done."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ..rest_server import Call
from .answers import missing, page, unprocessable

PENDING = "Droplet already has a pending event."


class Pending:
    """looks: after so many reads, what was begun is done. actions: id -> action.

    fails: whether an action of a type fails.
    """

    def __init__(self, looks: int) -> None:
        self.looks = looks
        self.actions: dict[int, dict[str, Any]] = {}
        self.fails: Callable[[str], bool] = lambda kind: False
        self._numbers = itertools.count(9001)
        self._waiting: list[tuple[int, Callable[[], None]]] = []
        self._reads = 0

    def routes(self) -> dict[str, Callable[..., Any]]:
        """Actions of all kinds."""
        return {"GET actions": self._list, "GET actions/{identifier}": self._get}

    def tick(self) -> None:
        """A read: what is due is done."""
        self._reads += 1
        due = [each for each in self._waiting if each[0] <= self._reads]
        self._waiting = [each for each in self._waiting if each[0] > self._reads]
        for _at, finish in due:
            finish()

    def later(self, finish: Callable[[], None]) -> None:
        """Do it when it is due; at once if nothing takes time."""
        if self.looks == 0:
            finish()
        else:
            self._waiting.append((self._reads + self.looks, finish))

    def begin(self, kind: str, resource: Any, region: Any, finish: Callable[[], None]) -> dict[str, Any]:
        """An action, which ends later."""
        action = {
            "id": next(self._numbers),
            "status": "in-progress",
            "type": kind,
            "started_at": "2026-01-01T00:00:00Z",
            "completed_at": None,
            "resource_id": resource,
            "resource_type": "droplet",
            "region": region,
            "region_slug": region["slug"],
        }
        self.actions[action["id"]] = action

        def end() -> None:
            if self.fails(kind):
                action["status"] = "errored"
                return
            finish()
            action["status"] = "completed"

        self.later(end)
        return action

    def refuse_second(self, droplet: int) -> None:
        """A droplet does one thing at a time."""
        for each in self.actions.values():
            if each["resource_id"] == droplet and each["status"] == "in-progress":
                raise unprocessable(PENDING)

    def _list(self, call: Call) -> Any:
        return page(call, "actions", list(self.actions.values()))

    def _get(self, call: Call, identifier: str) -> Any:
        action = self.actions.get(int(identifier)) if identifier.isdecimal() else None
        if action is None:
            raise missing()
        return {"action": action}
