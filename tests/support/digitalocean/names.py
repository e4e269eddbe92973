# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Domains and their records. A record has one value; several of one name and type are several records."""

from __future__ import annotations

import ipaddress
import itertools
from collections.abc import Callable
from typing import Any

from ..rest_server import Call
from .answers import missing, needed, page, unprocessable

_SHORTEST, _USUAL = 30, 1800


class Names:
    """records: domain -> id -> record."""

    def __init__(self) -> None:
        self.records: dict[str, dict[int, dict[str, Any]]] = {}
        self._numbers = itertools.count(7001)

    def routes(self) -> dict[str, Callable[..., Any]]:
        """Those of domains."""
        return {
            "GET domains": lambda call: page(call, "domains", [_shown(each) for each in self.records]),
            "POST domains": self._create_domain,
            "GET domains/{domain}": lambda call, domain: {"domain": _shown(domain)} if self._of(domain) else None,
            "DELETE domains/{domain}": self._delete_domain,
            "GET domains/{domain}/records": self._list,
            "POST domains/{domain}/records": self._create,
            "GET domains/{domain}/records/{identifier}": self._get,
            "PUT domains/{domain}/records/{identifier}": self._change,
            "PATCH domains/{domain}/records/{identifier}": self._change,
            "DELETE domains/{domain}/records/{identifier}": self._delete,
        }

    def add_domain(self, name: str) -> None:
        """A domain, with the records of the name servers."""
        self.records[name] = {}
        for number in (1, 2, 3):
            self.add(name, "NS", "@", f"ns{number}.digitalocean.com")

    def add(self, domain: str, kind: str, name: str, data: str, ttl: int = _USUAL) -> dict[str, Any]:
        """A record."""
        empty = dict.fromkeys(("priority", "port", "weight", "flags", "tag"))
        record = {"id": next(self._numbers), "type": kind, "name": name, "data": data, "ttl": ttl, **empty}
        self.records[domain][record["id"]] = record
        return record

    def _of(self, domain: str) -> dict[int, dict[str, Any]]:
        if domain not in self.records:
            raise missing()
        return self.records[domain]

    def _create_domain(self, call: Call) -> Any:
        needed(call.body, "name")
        if call.body["name"] in self.records:
            raise unprocessable(f"Domain '{call.body['name']}': name already exists")
        self.add_domain(call.body["name"])
        return 201, {"domain": _shown(call.body["name"])}

    def _delete_domain(self, call: Call, domain: str) -> None:
        self._of(domain)
        del self.records[domain]

    def _list(self, call: Call, domain: str) -> Any:
        found = list(self._of(domain).values())
        if call.values("name"):
            found = [each for each in found if _whole(each["name"], domain) == call.value("name")]
        if call.values("type"):
            found = [each for each in found if each["type"] == call.value("type")]
        return page(call, "domain_records", found)

    def _create(self, call: Call, domain: str) -> Any:
        needed(call.body, "type", "name", "data")
        body = call.body
        _check(body)
        same = [each for each in self._of(domain).values() if each["name"] == body["name"]]
        if (body["type"] == "CNAME" and same) or any(each["type"] == "CNAME" for each in same):
            raise unprocessable("CNAME records cannot share a name with other records")
        made = self.add(domain, body["type"], body["name"].lower(), body["data"], body.get("ttl") or _USUAL)
        return 201, {"domain_record": made}

    def _known(self, domain: str, identifier: str) -> dict[str, Any]:
        found = self._of(domain).get(int(identifier))
        if found is None:
            raise missing()
        return found

    def _get(self, call: Call, domain: str, identifier: str) -> Any:
        return {"domain_record": self._known(domain, identifier)}

    def _change(self, call: Call, domain: str, identifier: str) -> Any:
        found = self._known(domain, identifier)
        needed(call.body, "type")
        _check({**found, **call.body})
        found.update(call.body)
        return {"domain_record": found}

    def _delete(self, call: Call, domain: str, identifier: str) -> None:
        self._known(domain, identifier)
        del self.records[domain][int(identifier)]


def _shown(domain: str) -> dict[str, Any]:
    return {"name": domain, "ttl": _USUAL, "zone_file": ""}


def _whole(name: str, domain: str) -> str:
    return domain if name == "@" else f"{name}.{domain}"


def _check(body: dict[str, Any]) -> None:
    versions = {"A": 4, "AAAA": 6}
    if body["type"] in versions:
        try:
            address = ipaddress.ip_address(body["data"])
        except ValueError:
            raise unprocessable("Data needs to be an IP address") from None
        if address.version != versions[body["type"]]:
            raise unprocessable("Data needs to be an IP address of the record's type")
    if body.get("ttl") is not None and int(body["ttl"]) < _SHORTEST:
        raise unprocessable(f"TTL must be at least {_SHORTEST}")
