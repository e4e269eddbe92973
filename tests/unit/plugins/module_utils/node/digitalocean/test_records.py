# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node/digitalocean/records.py: records of a domain."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.records import RecordSet
from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean.records import Domain

from .droplets import Cloud

API = "api.internal.demo.example.com"


@pytest.fixture
def domain(cloud: Cloud) -> Domain:
    cloud.ask("POST", "domains", {"name": "example.com"})
    return Domain(cloud.api, "example.com.")


def test_what_is_written_is_found(domain: Domain, cloud: Cloud) -> None:
    assert domain.find(API, "A") is None
    domain.write([RecordSet(API, "A", ("10.0.0.1", "10.0.0.2"))], 60)
    assert domain.find(API, "A") == RecordSet(API, "A", ("10.0.0.1", "10.0.0.2"))
    assert domain.find(f"x{API}", "A") is None
    names = {each["name"] for each in cloud.account.names.records["example.com"].values() if each["type"] == "A"}
    assert names == {"api.internal.demo"}


def test_only_what_differs_is_written(domain: Domain, cloud: Cloud) -> None:
    domain.write([RecordSet(API, "A", ("10.0.0.1", "10.0.0.2"))], 60)
    cloud.server.calls.clear()
    domain.write([RecordSet(API, "A", ("10.0.0.1", "10.0.0.2"))], 60)
    assert cloud.server.writes == []
    domain.write([RecordSet(API, "A", ("10.0.0.2", "10.0.0.3"))], 60)
    # First what is new: a name always leads somewhere.
    assert [each.method for each in cloud.server.writes] == ["POST", "DELETE"]
    assert domain.find(API, "A") == RecordSet(API, "A", ("10.0.0.2", "10.0.0.3"))


def test_the_domain_itself_and_its_shortest_time(domain: Domain, cloud: Cloud) -> None:
    domain.write([RecordSet("example.com", "A", ("10.0.0.1",))], 10)
    assert domain.find("example.com", "A") == RecordSet("example.com", "A", ("10.0.0.1",))
    (found,) = [each for each in cloud.account.names.records["example.com"].values() if each["type"] == "A"]
    assert (found["name"], found["ttl"]) == ("@", 30)
