# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A project of Hetzner Cloud in memory: its API, with the semantics that clients depend on, and nothing they do not."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ..rest_server import Allowance, Call, Reply
from .balancers import Balancers
from .networks import Networks
from .objects import SINGULAR, Object, Objects, refusal
from .parts import Firewalls, Groups, Keys, Volumes
from .servers import Servers

# As long as tokens are, which Terraform's provider looks at.
TOKEN = "test-token-of-hetzner".ljust(64, "0")
READ_ONLY = "hcloud-token-that-reads-0123456789"
_PAGE, _LONGEST_PAGE = 25, 50
# Hetzner's: so many at once, and one more each second.
_MOST, _A_SECOND = 3600, 1.0
_CODES = {423: "locked", 429: "rate_limit_exceeded", 409: "conflict", 503: "unavailable", 504: "timeout"}


class Project:
    """A project. objects: what there is. allowance: of requests. tokens: those that are accepted."""

    def __init__(self) -> None:
        self.objects = Objects()
        self.allowance = Allowance(_MOST, _A_SECOND)
        self.tokens = {TOKEN, READ_ONLY}
        self.networks = Networks(self.objects)
        self.servers = Servers(self.objects, self.networks)
        self.balancers = Balancers(self.objects, self.networks)
        self.firewalls = Firewalls(self.objects)
        self._kinds: dict[str, Any] = {
            "servers": self.servers,
            "networks": self.networks,
            "load_balancers": self.balancers,
            "firewalls": self.firewalls,
            "volumes": Volumes(self.objects),
            "ssh_keys": Keys(self.objects),
            "placement_groups": Groups(self.objects),
        }

    def headers(self) -> Mapping[str, str]:
        return {
            "RateLimit-Limit": str(self.allowance.most),
            "RateLimit-Remaining": str(int(self.allowance.left)),
            "RateLimit-Reset": str(int(self.allowance.full_at)),
        }

    def spoiled(self, status: int) -> Reply:
        # A gateway's own page is no JSON.
        code = _CODES.get(status, "server_error")
        return Reply(status, None if status == 502 else {"error": {"code": code, "message": f"fault {status}"}})

    def answer(self, call: Call) -> Reply:
        if call.token not in self.tokens:
            raise refusal(401, "unauthorized", "unable to authenticate")
        if not self.allowance.take():
            raise refusal(429, "rate_limit_exceeded", "limit of 3600 requests per hour reached")
        if call.writes and call.token == READ_ONLY:
            raise refusal(403, "token_readonly", "the token is only allowed to perform GET requests")
        self.objects.tick()
        collection, *rest = call.path.strip("/").split("/")
        if collection not in SINGULAR:
            raise refusal(404, "not_found", f"there is no {call.path}")
        reply = self._carry_out(call, collection, rest)
        # What is answered is as it was then, whatever comes.
        return copy.deepcopy(reply)

    def _carry_out(self, call: Call, collection: str, rest: list[str]) -> Reply:
        if not rest:
            if call.method == "GET":
                return self._list(call, collection)
            if call.method == "POST" and collection in self._kinds:
                return self._kinds[collection].create(call.body or {})
        else:
            found, kind = self.objects.one(collection, rest[0]), self._kinds.get(collection)
            if call.method == "GET" and len(rest) == 1:
                return Reply(200, {SINGULAR[collection]: self._shown(collection, found)})
            if kind is not None:
                return self._change(call, collection, found, rest[1:])
        raise refusal(405, "method_not_allowed", f"{call} is not possible")

    def _change(self, call: Call, collection: str, found: Object, rest: list[str]) -> Reply:
        kind = self._kinds[collection]
        if call.method == "PUT":
            self.objects.change(collection, found, call.body or {}, ("name", "labels"))
            return Reply(200, {SINGULAR[collection]: self._shown(collection, found)})
        self.objects.refuse_locked(collection, found["id"])
        if call.method == "DELETE":
            if (found.get("protection") or {}).get("delete"):
                raise refusal(403, "protected", f"{SINGULAR[collection]} deletion is protected")
            return kind.delete(found)
        if call.method == "POST" and len(rest) == 2 and rest[0] == "actions":
            return kind.act(found, rest[1], call.body or {})
        raise refusal(405, "method_not_allowed", f"{call} is not possible")

    def _list(self, call: Call, collection: str) -> Reply:
        found = self.objects.chosen(collection, call.value("label_selector"))
        for key in ("name", "status", "type", "architecture", "fingerprint", "ip"):
            wanted = call.values(key)
            if wanted:
                found = [each for each in found if each.get(key) in wanted]
        if call.values("id"):
            found = [each for each in found if str(each["id"]) in call.values("id")]
        elif collection == "actions":
            raise refusal(410, "deprecated_api_endpoint", "listing arbitrary actions in the API was removed")
        shown = [self._shown(collection, each) for each in sorted(found, key=lambda each: each["id"])]
        return _paged(collection, shown, int(call.value("page", "1")), int(call.value("per_page", str(_PAGE))))

    def _shown(self, collection: str, found: Object) -> Object:
        if collection == "load_balancers":
            return self.balancers.shown(found)
        if collection == "firewalls":
            return self.firewalls.shown(found)
        if collection == "servers":
            return {**found, "public_net": {**found["public_net"], "firewalls": self._guards(found)}}
        return found

    def _guards(self, server: Object) -> list[Object]:
        inner = {"type": "server", "server": {"id": server["id"]}}
        return [
            {"id": each["id"], "status": "applied"}
            for each in self.objects.all("firewalls")
            for resource in self.firewalls.shown(each)["applied_to"]
            if resource == inner or inner in resource.get("applied_to_resources", ())
        ]


def _paged(collection: str, found: list[Object], page: int, size: int) -> Reply:
    if not 1 <= size <= _LONGEST_PAGE:
        raise refusal(422, "invalid_input", "per_page must be between 1 and 50", "per_page")
    last = max((len(found) + size - 1) // size, 1)
    pagination = {
        "page": page,
        "per_page": size,
        "previous_page": page - 1 if page > 1 else None,
        "next_page": page + 1 if page < last else None,
        "last_page": last,
        "total_entries": len(found),
    }
    return Reply(200, {collection: found[(page - 1) * size : page * size], "meta": {"pagination": pagination}})
