# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloud DNS: managed zones, their record sets, and changes, which are made as a whole or refused."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping
from typing import Any

from .documents import Method, Refusal

_NAME_SERVERS = ("ns-1.example.net.", "ns-2.example.net.")
# Of the zone itself, from its creation to its end.
_OWN = ("NS", "SOA")
# (type, name) -> record set.
Records = dict[tuple[str, str], dict[str, Any]]


class CloudDNS:
    """What there is. zones, records: by "<project>/<zone>"."""

    def __init__(self) -> None:
        self.zones: dict[str, dict[str, Any]] = {}
        self.records: dict[str, Records] = {}
        self._numbers = itertools.count(1)

    def answer(self, method: Method, named: Mapping[str, str], query: Mapping[str, str], body: dict[str, Any]) -> Any:
        """The answer to a request. Raises Refusal."""
        project, called = named["project"], (method.collection, method.verb)
        if called == ("managedZones", "list"):
            return {"managedZones": [each for path, each in self.zones.items() if path.startswith(f"{project}/")]}
        if called == ("managedZones", "create"):
            return self._create(f"{project}/{body['name']}", body)
        path = f"{project}/{named['managedZone']}"
        if path not in self.zones:
            name = named["managedZone"]
            raise Refusal(404, "notFound", f"The 'parameters.managedZone' resource named '{name}' does not exist.")
        if called == ("managedZones", "get"):
            return self.zones[path]
        if called == ("managedZones", "delete"):
            return self._delete(path)
        if called == ("resourceRecordSets", "list"):
            return {"rrsets": [copy.deepcopy(each) for each in self.records[path].values() if _is_asked(each, query)]}
        if called == ("changes", "create"):
            self.records[path] = _changed(self.records[path], body)
            # The client library reads no time without a fraction of a second.
            made = {"id": str(next(self._numbers)), "startTime": "2026-01-01T00:00:00.000Z", "status": "done"}
            return {**body, **made, "kind": "dns#change"}
        raise Refusal(501, "notImplemented", f"{method.collection}.{method.verb} has no semantics here")

    def _create(self, path: str, body: dict[str, Any]) -> Any:
        if path in self.zones:
            raise Refusal(
                409, "alreadyExists", f"The 'entity.managedZone' resource named '{body['name']}' already exists"
            )
        made = {"id": str(next(self._numbers)), "creationTime": "2026-01-01T00:00:00.000Z"}
        self.zones[path] = {"visibility": "public", **body, **made, "nameServers": [*_NAME_SERVERS]}
        name = body["dnsName"]
        values = {
            "NS": [*_NAME_SERVERS],
            "SOA": [f"{_NAME_SERVERS[0]} hostmaster.example.net. 1 21600 3600 259200 300"],
        }
        self.records[path] = {
            (kind, name): {"name": name, "type": kind, "ttl": 21600, "rrdatas": values[kind]} for kind in _OWN
        }
        return self.zones[path]

    def _delete(self, path: str) -> Any:
        apex = self.zones[path]["dnsName"]
        if any(name != apex or kind not in _OWN for kind, name in self.records[path]):
            name = path.partition("/")[2]
            raise Refusal(
                400,
                "containerNotEmpty",
                f"The resource named '{name}' cannot be deleted because it contains one or more 'resource records'.",
            )
        del self.zones[path], self.records[path]
        return {}


def _is_asked(record: Mapping[str, Any], query: Mapping[str, str]) -> bool:
    return all(query.get(key) in (None, record[key]) for key in ("name", "type"))


def _changed(records: Records, change: Mapping[str, Any]) -> Records:
    """The record sets after a change. Raises Refusal, and then nothing is changed."""
    changed = dict(records)
    for each in change.get("deletions", ()):
        if changed.get((each["type"], each["name"])) != _without_kind(each):
            what = f"entity.change.deletions[{each['name']}][{each['type']}]"
            raise Refusal(412, "conditionNotMet", f"Precondition not met for '{what}'")
        del changed[each["type"], each["name"]]
    for each in change.get("additions", ()):
        if (each["type"], each["name"]) in changed:
            what = f"entity.change.additions[{each['name']}][{each['type']}]"
            raise Refusal(409, "alreadyExists", f"The resource '{what}' already exists")
        changed[each["type"], each["name"]] = _without_kind(each)
    return changed


def _without_kind(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record set as it is compared. The client library writes the number as a text, and adds a kind."""
    kept = {key: copy.deepcopy(value) for key, value in record.items() if key != "kind"}
    return {**kept, "ttl": int(record["ttl"])}
