# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Droplets: made one or several at a time, running later, and each doing one thing at a time."""

from __future__ import annotations

import ipaddress
import itertools
import re
from collections.abc import Callable
from typing import Any

from ..rest_server import Call, Refusal
from . import catalog
from .answers import missing, needed, page, unprocessable
from .keys import Keys
from .networks import Networks
from .pending import PENDING, Pending
from .tags import Tags
from .volumes import Volumes

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
_AT_ONCE, _LARGEST_USER_DATA = 10, 65536


class Droplets:
    """objects: id -> droplet. user_data: id -> what it was started with, which the API never shows. limit: of all.

    hosts: the numbers of their addresses.
    """

    def __init__(self, pending: Pending, tags: Tags, networks: Networks, volumes: Volumes, keys: Keys) -> None:
        self.objects: dict[int, dict[str, Any]] = {}
        self.user_data: dict[int, str] = {}
        self.ssh_keys: dict[int, list[int]] = {}
        self.limit = 100
        self._pending, self._tags, self._networks = pending, tags, networks
        self._volumes, self._keys = volumes, keys
        self._numbers = itertools.count(30001)
        self.hosts = itertools.count(1)

    def routes(self) -> dict[str, Callable[..., Any]]:
        """Those of droplets."""
        return {
            "GET droplets": self._list,
            "POST droplets": self.create,
            "DELETE droplets": self._delete_by_tag,
            "GET droplets/{identifier}": lambda call, identifier: {"droplet": self.known(identifier)},
            "DELETE droplets/{identifier}": self._delete,
            "GET droplets/{identifier}/actions": self._actions,
            "POST droplets/{identifier}/actions": self._act,
        }

    def known(self, identifier: str) -> dict[str, Any]:
        """A droplet. Raises Refusal."""
        if not identifier.isdecimal() or int(identifier) not in self.objects:
            raise missing()
        return self.objects[int(identifier)]

    def _list(self, call: Call) -> Any:
        found = list(self.objects.values())
        tag, name = call.value("tag_name"), call.value("name")
        if tag:
            found = [each for each in found if tag.lower() in [every.lower() for every in each["tags"]]]
        if name:
            found = [each for each in found if each["name"] == name]
        return page(call, "droplets", found)

    def create(self, call: Call) -> Any:
        """One droplet, or several. Raises Refusal."""
        needed(call.body, "region", "size", "image")
        body = call.body
        names = body.get("names") or [body.get("name")]
        if len(names) > _AT_ONCE:
            raise unprocessable(f"at most {_AT_ONCE} Droplets can be made at once")
        if len(self.objects) + len(names) > self.limit:
            raise unprocessable("creating this/these droplet(s) will exceed your droplet limit")
        made = self._checked(body, names)
        droplets, actions = [], []
        for name in names:
            droplet = {**made, "id": next(self._numbers), "name": name, "tags": self._tags.use(body.get("tags"))}
            droplet["networks"] = {"v4": [], "v6": []}
            droplet["volume_ids"] = []
            self.objects[droplet["id"]] = droplet
            self.user_data[droplet["id"]] = body.get("user_data") or ""
            self.ssh_keys[droplet["id"]] = [self._keys.known(each)["id"] for each in body.get("ssh_keys") or ()]
            action = self._pending.begin("create", droplet["id"], made["region"], self._starting(droplet))
            droplets.append(droplet)
            actions.append({"id": action["id"], "rel": "create", "href": f"/v2/actions/{action['id']}"})
        one = {"droplet": droplets[0]} if "names" not in body else {"droplets": droplets}
        return 202, {**one, "links": {"actions": actions}}

    def _checked(self, body: dict[str, Any], names: list[Any]) -> dict[str, Any]:
        """What droplets of a request have in common. Raises Refusal."""
        region, size, image = catalog.region(body["region"]), catalog.size(body["size"]), catalog.image(body["image"])
        if region is None or not region["available"]:
            raise unprocessable("You specified an invalid region for Droplet creation.")
        if size is None:
            raise unprocessable("You specified an invalid size for Droplet creation.")
        if size["slug"] not in region["sizes"]:
            raise unprocessable("Size is not available in this region.")
        if image is None or region["slug"] not in image["regions"]:
            raise unprocessable("You specified an invalid image for Droplet creation.")
        for each in names:
            if not each or not _NAME.fullmatch(each):
                raise unprocessable("Only valid hostname characters are allowed. (a-z, A-Z, 0-9, . and -)")
        if len((body.get("user_data") or "").encode()) > _LARGEST_USER_DATA:
            raise unprocessable("user_data is too long")
        for each in body.get("ssh_keys") or ():
            try:
                self._keys.known(each)
            except Refusal:
                raise unprocessable(f"{each} are invalid key identifiers for Droplet creation.") from None
        vpc = self._networks.vpc_for(body.get("vpc_uuid"), region["slug"])
        return {
            "memory": size["memory"],
            "vcpus": size["vcpus"],
            "disk": size["disk"],
            "locked": True,
            "status": "new",
            "created_at": "2026-01-01T00:00:00Z",
            "features": ["monitoring"] if body.get("monitoring") else [],
            "image": image,
            "size": size,
            "size_slug": size["slug"],
            "region": region,
            "vpc_uuid": vpc["id"],
        }

    def _starting(self, droplet: dict[str, Any]) -> Callable[[], None]:
        def start() -> None:
            number = next(self.hosts)
            block = ipaddress.ip_network(self._networks.vpc(droplet["vpc_uuid"])["ip_range"])
            private = str(block.network_address + 1 + number % (block.num_addresses - 2))
            public = str(ipaddress.ip_address("198.18.0.0") + number)
            droplet["networks"]["v4"] = [
                {"ip_address": private, "netmask": str(block.netmask), "gateway": "", "type": "private"},
                {"ip_address": public, "netmask": "255.255.240.0", "gateway": "198.18.0.1", "type": "public"},
            ]
            droplet.update(status="active", locked=False)

        return start

    def _delete(self, call: Call, identifier: str) -> None:
        droplet = self.known(identifier)
        if droplet["locked"]:
            raise unprocessable(PENDING)
        for volume in droplet["volume_ids"][:]:
            self._volumes.let_go(self._volumes.objects[volume], droplet)
        del self.objects[droplet["id"]]

    def _delete_by_tag(self, call: Call) -> None:
        if not call.values("tag_name"):
            raise unprocessable("tag_name is required")
        for each in [each for each in self.objects.values() if call.value("tag_name") in each["tags"]]:
            self._delete(call, str(each["id"]))

    def _actions(self, call: Call, identifier: str) -> Any:
        droplet = self.known(identifier)
        return page(
            call, "actions", [each for each in self._pending.actions.values() if each["resource_id"] == droplet["id"]]
        )

    def _act(self, call: Call, identifier: str) -> Any:
        needed(call.body, "type")
        droplet = self.known(identifier)
        self._pending.refuse_second(droplet["id"])
        states = {"shutdown": "off", "power_off": "off", "power_on": "active", "reboot": "active"}
        kind = call.body["type"]
        if kind not in states:
            raise unprocessable(f"type {kind} is invalid")
        droplet["locked"] = True

        def finish() -> None:
            droplet.update(status=states[kind], locked=False)

        return 201, {"action": self._pending.begin(kind, droplet["id"], droplet["region"], finish)}
