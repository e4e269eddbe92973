# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of Designate, as control planes keep them. The services themselves: test_openstack_objects.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.records import RecordSet
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.api import DESIGNATE, OpenStack
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.designate import Zone
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.keystone import Login
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError

API = RecordSet("api.internal.demo.example.net", "A", ("10.0.0.7", "10.0.0.8"))
SETS = "/zones/z1/recordsets"


class Designate(OpenStack):
    """One zone. writes: what was asked for."""

    def __init__(self) -> None:
        super().__init__(Login(dict))
        self.records: dict[str, dict[str, Any]] = {}
        self.writes: list[str] = []

    def get(self, service: tuple[str, ...], path: str) -> dict[str, Any]:
        """Zones, and records; with others that were not asked for."""
        assert service is DESIGNATE
        where, _mark, query = path.partition("?")
        if where == "/zones":
            return {"zones": [{"id": "z0", "name": "sub.example.net."}, {"id": "z1", "name": "example.net."}]}
        assert where == SETS
        assert set(parse_qs(query)) == {"name", "type"}
        return {"recordsets": list(self.records.values())}

    def post(self, service: tuple[str, ...], path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """A record set is made."""
        self.writes.append(f"POST {path}")
        if any((each["name"], each["type"]) == (body["name"], body["type"]) for each in self.records.values()):
            raise ServiceError(path, 409)
        self.records[f"r{len(self.records)}"] = {"id": f"r{len(self.records)}", **body}
        return {}

    def put(self, service: tuple[str, ...], path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """One is changed."""
        self.writes.append(f"PUT {path}")
        self.records[path.removeprefix(f"{SETS}/")].update(body)
        return {}


@pytest.fixture
def designate() -> Designate:
    return Designate()


@pytest.mark.parametrize("zone", ["example.net", "example.net.", "z1"])
def test_what_is_written_is_found(designate: Designate, zone: str) -> None:
    records = Zone(designate, zone)
    assert records.find(API.name, "A") is None
    records.write([API, RecordSet(API.name, "AAAA", ("fd00::7",))], 60)
    assert records.find(API.name, "A") == API
    assert designate.records["r0"] == {
        "id": "r0",
        "name": f"{API.name}.",
        "type": "A",
        "ttl": 60,
        "records": ["10.0.0.7", "10.0.0.8"],
    }


def test_only_what_differs_is_changed(designate: Designate) -> None:
    placeholder = {"name": f"{API.name.upper()}.", "type": "A", "ttl": 10, "records": ["203.0.113.123"]}
    designate.records["r0"] = {"id": "r0", **placeholder}
    records = Zone(designate, "example.net")
    records.write([API], 60)
    records.write([API], 60)
    assert designate.writes == [f"PUT {SETS}/r0"]
    assert records.find(API.name, "A") == API


def test_a_zone_that_is_not_there_is_named(designate: Designate) -> None:
    with pytest.raises(KopsError, match=r"Designate has no zone example\.org in the project"):
        Zone(designate, "example.org").find(API.name, "A")
