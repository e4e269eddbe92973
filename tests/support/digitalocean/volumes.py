# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes: they are in one region, and at one droplet at a time."""

from __future__ import annotations

import functools
import re
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..rest_server import Call
from . import catalog
from .answers import missing, needed, page, refusal, unprocessable
from .pending import Pending
from .tags import Tags

if TYPE_CHECKING:
    from .droplets import Droplets

_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")
_LARGEST, _AT_A_DROPLET = 16384, 7


class Volumes:
    """objects: id -> volume."""

    droplets: Droplets

    def __init__(self, pending: Pending, tags: Tags) -> None:
        self.objects: dict[str, dict[str, Any]] = {}
        self._pending, self._tags = pending, tags

    def routes(self) -> dict[str, Callable[..., Any]]:
        """Those of volumes."""
        return {
            "GET volumes": self._list,
            "POST volumes": self._create,
            "POST volumes/actions": self._act_by_name,
            "GET volumes/{identifier}": lambda call, identifier: {"volume": self._known(identifier)},
            "DELETE volumes/{identifier}": self._delete,
            "POST volumes/{identifier}/actions": lambda call, identifier: self._act(call, self._known(identifier)),
        }

    def _known(self, identifier: str) -> dict[str, Any]:
        if identifier not in self.objects:
            raise missing()
        return self.objects[identifier]

    def _list(self, call: Call) -> Any:
        found = list(self.objects.values())
        if call.values("region"):
            found = [each for each in found if each["region"]["slug"] == call.value("region")]
        if call.values("name"):
            found = [each for each in found if each["name"] == call.value("name")]
        return page(call, "volumes", found)

    def _create(self, call: Call) -> Any:
        needed(call.body, "name", "region", "size_gigabytes")
        body = call.body
        region = catalog.region(body["region"])
        if region is None or "storage" not in region["features"]:
            raise unprocessable(f"region {body['region']} is invalid or has no volumes")
        if not _NAME.fullmatch(body["name"]):
            raise unprocessable("name is invalid: it begins with a letter, and has letters, numbers and hyphens")
        if not 1 <= int(body["size_gigabytes"]) <= _LARGEST:
            raise unprocessable("size_gigabytes is invalid")
        if any((each["name"], each["region"]) == (body["name"], region) for each in self.objects.values()):
            raise refusal(409, "conflict", "volume already exists")
        volume = {
            "id": str(uuid.uuid4()),
            "name": body["name"],
            "description": body.get("description") or "",
            "region": region,
            "size_gigabytes": int(body["size_gigabytes"]),
            "droplet_ids": [],
            "created_at": "2026-01-01T00:00:00Z",
            "filesystem_type": body.get("filesystem_type") or "",
            "filesystem_label": body.get("filesystem_label") or "",
            "tags": self._tags.use(body.get("tags")),
        }
        self.objects[volume["id"]] = volume
        return 201, {"volume": volume}

    def _delete(self, call: Call, identifier: str) -> None:
        if self._known(identifier)["droplet_ids"]:
            raise refusal(409, "conflict", "volume must be detached before it is deleted")
        del self.objects[identifier]

    def _act_by_name(self, call: Call) -> Any:
        needed(call.body, "volume_name", "region")
        for each in self.objects.values():
            if (each["name"], each["region"]["slug"]) == (call.body["volume_name"], call.body["region"]):
                return self._act(call, each)
        raise missing()

    def _act(self, call: Call, volume: dict[str, Any]) -> Any:
        needed(call.body, "type")
        kind = call.body["type"]
        if kind == "resize":
            if int(call.body["size_gigabytes"]) <= volume["size_gigabytes"]:
                raise unprocessable("volumes can only become larger")
            grow = functools.partial(volume.update, size_gigabytes=int(call.body["size_gigabytes"]))
            return 202, {"action": self._pending.begin("resize", volume["id"], volume["region"], grow)}
        needed(call.body, "droplet_id")
        droplet = self.droplets.known(str(call.body["droplet_id"]))
        self._pending.refuse_second(droplet["id"])
        if kind == "attach":
            self._refuse_attaching(volume, droplet)
            finish = functools.partial(self._attach, volume, droplet)
        elif kind == "detach":
            if droplet["id"] not in volume["droplet_ids"]:
                raise unprocessable("Attachment not found")
            finish = functools.partial(self.let_go, volume, droplet)
        else:
            raise unprocessable(f"type {kind} is invalid")
        return 202, {"action": self._pending.begin(f"{kind}_volume", droplet["id"], volume["region"], finish)}

    def _refuse_attaching(self, volume: dict[str, Any], droplet: dict[str, Any]) -> None:
        if volume["region"]["slug"] != droplet["region"]["slug"]:
            raise unprocessable("volume must be in the same region as the droplet")
        if volume["droplet_ids"]:
            raise unprocessable("This volume is already attached")
        if len(droplet["volume_ids"]) >= _AT_A_DROPLET:
            raise unprocessable(f"Droplet limit of {_AT_A_DROPLET} volumes is reached")

    @staticmethod
    def _attach(volume: dict[str, Any], droplet: dict[str, Any]) -> None:
        volume["droplet_ids"].append(droplet["id"])
        droplet["volume_ids"].append(volume["id"])

    @staticmethod
    def let_go(volume: dict[str, Any], droplet: dict[str, Any]) -> None:
        """Take a volume from a droplet."""
        volume["droplet_ids"].remove(droplet["id"])
        droplet["volume_ids"].remove(volume["id"])
