# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a project of Hetzner Cloud, and the actions that change them: one at a time for each object."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..rest_server import Refusal, Reply
from . import offers
from .selectors import selected, wrong

Object = dict[str, Any]
CREATED = "2026-01-02T03:04:05+00:00"
SINGULAR = {
    "servers": "server",
    "networks": "network",
    "firewalls": "firewall",
    "load_balancers": "load_balancer",
    "volumes": "volume",
    "ssh_keys": "ssh_key",
    "placement_groups": "placement_group",
    "primary_ips": "primary_ip",
    "images": "image",
    "server_types": "server_type",
    "locations": "location",
    "load_balancer_types": "load_balancer_type",
    "datacenters": "datacenter",
    "actions": "action",
}


def refusal(status: int, code: str, message: str, field: str = "") -> Refusal:
    """An error of the API. field: the one that is wrong."""
    details = {"fields": [{"name": field, "messages": [message]}]} if field else None
    return Refusal(Reply(status, {"error": {"code": code, "message": message, "details": details}}))


def invalid(field: str, message: str) -> Refusal:
    """A property that is wrong."""
    return refusal(422, "invalid_input", message, field)


@dataclass
class _Pending:
    due: float
    action: Object
    then: Callable[[], None]


class Objects:
    """Collection -> id -> object. delay: seconds that an action takes. failing: command -> code of its error.

    now: when objects are made, as they say it.
    """

    def __init__(self) -> None:
        self.now: Callable[[], str] = lambda: CREATED
        self.kinds: dict[str, dict[int, Object]] = {name: {} for name in SINGULAR}
        self.delay = 0.0
        self.failing: dict[str, str] = {}
        self._numbers, self._pending = itertools.count(4711), list[_Pending]()
        for name in ("locations", "server_types", "images", "load_balancer_types", "datacenters"):
            self.kinds[name] = {each["id"]: each for each in getattr(offers, name)()}

    # -- objects ------------------------------------------------------------------------------------------------

    def number(self) -> int:
        """An id that nothing has."""
        return next(self._numbers)

    def all(self, collection: str) -> list[Object]:
        """The objects of a collection."""
        return list(self.kinds[collection].values())

    def one(self, collection: str, identifier: int | str) -> Object:
        """An object by its id. Raises Refusal."""
        found = self.kinds[collection].get(int(identifier)) if str(identifier).isdecimal() else None
        if found is None:
            raise refusal(404, "not_found", f"{SINGULAR[collection]} with ID '{identifier}' not found")
        return found

    def named(self, collection: str, reference: Any, field: str) -> Object:
        """An object by its id or its name, as requests refer to it. Raises Refusal."""
        for each in self.all(collection):
            if reference in (each["id"], str(each["id"]), each["name"]):
                return each
        raise invalid(field, f"{SINGULAR[collection]} {reference} not found")

    def add(self, collection: str, asked: Object, properties: Object) -> Object:
        """Make an object. asked: the request. Raises Refusal."""
        self.check(collection, asked)
        made = {
            "id": self.number(),
            "name": asked["name"],
            "labels": dict(asked.get("labels") or {}),
            "created": self.now(),
            **properties,
        }
        self.kinds[collection][made["id"]] = made
        return made

    def check(self, collection: str, asked: Object, besides: int | None = None) -> None:
        """Refuse a name that is missing or another's, and labels that are none. besides: the id of its object."""
        if besides is None and not asked.get("name"):
            raise invalid("name", "missing data for required field")
        taken = [each["id"] for each in self.all(collection) if each["name"] == asked.get("name")]
        if any(each != besides for each in taken):
            raise refusal(409, "uniqueness_error", f"{SINGULAR[collection]} name is already used", "name")
        problem = wrong(asked.get("labels") or {})
        if problem:
            raise invalid("labels", problem)

    def change(self, collection: str, found: Object, asked: Object, names: Sequence[str]) -> None:
        """Change what a PUT may change. Raises Refusal."""
        self.check(collection, asked, found["id"])
        found.update({key: asked[key] for key in names if asked.get(key) is not None})

    def chosen(self, collection: str, selector: str) -> list[Object]:
        """The objects of a collection that a label selector chooses. Raises Refusal."""
        try:
            chooses = selected(selector)
        except ValueError as error:
            raise refusal(400, "invalid_input", str(error), "label_selector") from error
        return [each for each in self.all(collection) if chooses(each.get("labels") or {})]

    # -- actions ------------------------------------------------------------------------------------------------

    def act(
        self, command: str, *resources: tuple[str, int], then: Callable[[], None] = lambda: None, after: float = 0.0
    ) -> Object:
        """Begin an action. resources: what it locks: collections and ids. then: its effect, when it ends.

        after: seconds that others take before it.
        """
        action = {
            "id": self.number(),
            "command": command,
            "status": "running",
            "progress": 0,
            "started": CREATED,
            "finished": None,
            "resources": [{"id": number, "type": SINGULAR[kind]} for kind, number in resources],
            "error": None,
        }
        self.kinds["actions"][action["id"]] = action
        self._pending.append(_Pending(time.monotonic() + self.delay + after, action, then))
        return dict(action)

    def tick(self) -> None:
        """End the actions that are due."""
        now = time.monotonic()
        for each in [each for each in self._pending if each.due <= now]:
            self._pending.remove(each)
            code = self.failing.get(each.action["command"])
            each.action.update(status="error" if code else "success", progress=100, finished=CREATED)
            if code:
                each.action["error"] = {"code": code, "message": f"{each.action['command']} has failed"}
            else:
                each.then()

    def refuse_locked(self, collection: str, identifier: int) -> None:
        """Raise Refusal while an action changes an object."""
        resource = {"id": identifier, "type": SINGULAR[collection]}
        if any(resource in each.action["resources"] for each in self._pending):
            raise refusal(423, "locked", f"{SINGULAR[collection]} is locked")
