# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firewalls: what they refuse, and what they let through. Nothing is filtered."""

from __future__ import annotations

import ipaddress
import re
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..rest_server import Call
from .answers import missing, needed, page, refusal, unprocessable
from .tags import Tags

if TYPE_CHECKING:
    from .networks import Networks

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")
_PORTS = re.compile(r"\d{1,5}(-\d{1,5})?")
_MOST_RULES, _MOST_TAGS = 50, 5
_WAYS = {"inbound_rules": "sources", "outbound_rules": "destinations"}


class Firewalls:
    """objects: id -> firewall."""

    def __init__(self, tags: Tags, networks: Networks) -> None:
        self._tags, self._networks = tags, networks
        self.objects: dict[str, dict[str, Any]] = {}

    def routes(self) -> dict[str, Callable[..., Any]]:
        """Those of firewalls."""
        return {
            "GET firewalls": lambda call: page(call, "firewalls", list(self.objects.values())),
            "POST firewalls": self._create,
            "GET firewalls/{identifier}": lambda call, identifier: {"firewall": self._needed(identifier)},
            "PUT firewalls/{identifier}": self._change,
            "DELETE firewalls/{identifier}": self._delete,
        }

    def forget_tag(self, name: str) -> None:
        """A tag is gone."""
        for each in self.objects.values():
            each["tags"] = [tag for tag in each["tags"] if tag != name]

    def _needed(self, identifier: str) -> dict[str, Any]:
        if identifier not in self.objects:
            raise missing()
        return self.objects[identifier]

    def _create(self, call: Call) -> Any:
        made = {"id": str(uuid.uuid4()), "created_at": "2026-01-01T00:00:00Z", **self._asked(call.body, "")}
        self.objects[made["id"]] = made
        return 202, {"firewall": made}

    def _change(self, call: Call, identifier: str) -> Any:
        self._needed(identifier).update(self._asked(call.body, identifier))
        return {"firewall": self._needed(identifier)}

    def _delete(self, call: Call, identifier: str) -> None:
        self._needed(identifier)
        del self.objects[identifier]

    def _asked(self, body: dict[str, Any], identifier: str) -> dict[str, Any]:
        """What a request says. Raises Refusal."""
        needed(body, "name")
        if not _NAME.fullmatch(body["name"]):
            raise unprocessable("name may only have alphanumeric characters, dashes, and periods")
        if any(each["name"] == body["name"] and each["id"] != identifier for each in self.objects.values()):
            raise refusal(409, "conflict", "duplicate name")
        rules = {key: [self._rule(each, way) for each in body.get(key) or ()] for key, way in _WAYS.items()}
        count = sum(len(each) for each in rules.values())
        if not 1 <= count <= _MOST_RULES:
            raise unprocessable(f"a firewall has between 1 and {_MOST_RULES} rules")
        tags = [self._tag(each) for each in body.get("tags") or ()]
        if len(tags) > _MOST_TAGS:
            raise unprocessable(f"a firewall has {_MOST_TAGS} tags at most")
        return {
            "name": body["name"],
            "status": "succeeded",
            "pending_changes": [],
            "droplet_ids": list(body.get("droplet_ids") or ()),
            "tags": tags,
            **rules,
        }

    def _tag(self, name: str) -> str:
        known = self._tags.known(name)
        if known is None:
            raise unprocessable(f"tag {name} not found")
        return known

    def _rule(self, rule: dict[str, Any], way: str) -> dict[str, Any]:
        needed(rule, "protocol", way)
        if rule["protocol"] not in ("tcp", "udp", "icmp"):
            raise unprocessable("protocol must be tcp, udp or icmp")
        ports = "0" if rule["protocol"] == "icmp" or rule.get("ports") in ("all", "0") else str(rule.get("ports"))
        if not _PORTS.fullmatch(ports):
            raise unprocessable(f"ports {ports} is invalid")
        ends = {key: value for key, value in rule[way].items() if value}
        if not ends:
            raise unprocessable(f"{way} must not be empty")
        for each in ends.get("addresses") or ():
            try:
                ipaddress.ip_network(each, strict=True)
            except ValueError:
                raise unprocessable("invalid address") from None
        for each in ends.get("load_balancer_uids") or ():
            if each not in self._networks.balancers:
                raise unprocessable(f"load balancer {each} not found")
        return {"protocol": rule["protocol"], "ports": ports, way: ends}
