# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags: they are made by whoever uses them first, who also decides on their capitals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..rest_server import Call
from .answers import checked_tags, missing, needed, page, unprocessable

if TYPE_CHECKING:
    from .firewalls import Firewalls


class Tags:
    """names: all tags of the account, which stay when nothing has them. kinds: word -> id -> object with tags."""

    firewalls: Firewalls

    def __init__(self) -> None:
        self.names: list[str] = []
        self.kinds: Mapping[str, dict[Any, dict[str, Any]]] = {}

    def routes(self) -> dict[str, Callable[..., Any]]:
        """Those of tags."""
        return {
            "GET tags": lambda call: page(call, "tags", [self._shown(each) for each in self.names]),
            "POST tags": self._create,
            "GET tags/{name}": self._get,
            "DELETE tags/{name}": self._delete,
            "POST tags/{name}/resources": self._add,
            "DELETE tags/{name}/resources": self._take,
        }

    def use(self, tags: Any) -> list[str]:
        """The tags of a request, as the account writes them."""
        used = []
        for each in checked_tags(tags):
            known = self.known(each)
            if known is None:
                self.names.append(each)
            used.append(known or each)
        return list(dict.fromkeys(used))

    def known(self, name: str) -> str | None:
        """The tag as the account writes it; None if it has none."""
        return next((each for each in self.names if each.lower() == name.lower()), None)

    def _needed(self, name: str) -> str:
        known = self.known(name)
        if known is None:
            raise missing()
        return known

    def _shown(self, name: str) -> dict[str, Any]:
        counts = {
            f"{word}s": {"count": sum(name in each["tags"] for each in found.values())}
            for word, found in self.kinds.items()
        }
        return {"name": name, "resources": {"count": sum(each["count"] for each in counts.values()), **counts}}

    def _create(self, call: Call) -> Any:
        needed(call.body, "name")
        (name,) = self.use([call.body["name"]])
        return 201, {"tag": self._shown(name)}

    def _get(self, call: Call, name: str) -> Any:
        return {"tag": self._shown(self._needed(name))}

    def _delete(self, call: Call, name: str) -> None:
        known = self._needed(name)
        self.names.remove(known)
        self.firewalls.forget_tag(known)
        for found in self.kinds.values():
            for each in found.values():
                each["tags"] = [tag for tag in each["tags"] if tag != known]

    def _add(self, call: Call, name: str) -> None:
        known = self._needed(name)
        for each in self._resources(call):
            if known not in each["tags"]:
                each["tags"].append(known)

    def _take(self, call: Call, name: str) -> None:
        known = self._needed(name)
        for each in self._resources(call):
            each["tags"] = [tag for tag in each["tags"] if tag != known]

    def _resources(self, call: Call) -> list[dict[str, Any]]:
        needed(call.body, "resources")
        found = []
        for each in call.body["resources"]:
            objects = self.kinds.get(each["resource_type"])
            if objects is None:
                raise unprocessable(f"resource_type {each['resource_type']} cannot be tagged")
            known = {str(key): value for key, value in objects.items()}
            if str(each["resource_id"]) not in known:
                raise missing()
            found.append(known[str(each["resource_id"])])
        return found
