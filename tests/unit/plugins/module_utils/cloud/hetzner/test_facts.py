# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locations of a zone, server types with their processors, images for each, and networks."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import CloudSubnet, InstanceType
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import catalog
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.cloud import HetznerCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.facts import HetznerFacts
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.kinds import IMAGE
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer


@pytest.fixture
def facts(server: HetznerServer) -> HetznerFacts:
    return HetznerFacts(applying.client())


def test_locations_are_those_of_the_zone(server: HetznerServer, facts: HetznerFacts) -> None:
    assert facts.zones() == ["fsn1", "hel1", "nbg1"]
    assert HetznerFacts(HetznerCloud("us-east", "demo")).zones() == ["ash"]
    assert len(HetznerFacts(HetznerCloud("", "demo")).zones()) == 6


def test_server_types(facts: HetznerFacts) -> None:
    assert facts.instance_type("cx33") == InstanceType("cx33", ("amd64",), vcpus=4, memory_mib=8192)
    assert facts.instance_type("cax11").architectures == ("arm64",)
    assert facts.instance_type("m5.large") is None


@pytest.mark.parametrize(
    ("zones", "architecture", "chosen"),
    [
        (["fsn1"], None, "cx23"),
        (["fsn1", "hel1"], "amd64", "cx23"),
        (["fsn1"], "arm64", "cax11"),
        # Where the choice of kops is not offered.
        (["ash"], None, "cpx21"),
        (["fsn1", "ash"], None, "ccx13"),
        (["ash"], "arm64", None),
    ],
)
def test_default_types(facts: HetznerFacts, zones: list[str], architecture: str | None, chosen: str | None) -> None:
    for role in ("ControlPlane", "Node"):
        assert facts.default_instance_type(role, zones, architecture) == chosen


def test_a_type_that_is_withdrawn_from_a_location_is_not_chosen(server: HetznerServer, facts: HetznerFacts) -> None:
    (cx23,) = (each for each in server.project.objects.all("server_types") if each["name"] == "cx23")
    for each in cx23["locations"]:
        each["deprecation"] = {"announced": "2026-01-01T00:00:00Z", "unavailable_after": "2026-02-01T00:00:00Z"}
    assert facts.default_instance_type("Node", ["fsn1"]) == "cx33"


def test_images(server: HetznerServer, facts: HetznerFacts) -> None:
    found = facts.image("debian-12")
    assert (found.name, found.architecture) == ("debian-12", "amd64")
    assert facts.image(found.id).id == found.id
    assert facts.image("debian-0") is None
    assert facts.image("424242") is None
    assert catalog.image(facts.cloud, "debian-12", "arm64")["architecture"] == "arm"
    for each in server.project.objects.all("images"):
        each["status"] = "creating"
    assert HetznerFacts(applying.client()).image("debian-12") is None


def test_networks(facts: HetznerFacts) -> None:
    applying.applied(applying.client(), applying.tasks())
    found = facts.network(applying.NAME)
    assert (found.cidr, found.subnets) == (applying.RANGE, (CloudSubnet(applying.RANGE, "", applying.RANGE),))
    assert facts.network("424242") is None
    assert (facts.network_of_subnet(applying.RANGE), facts.dns_zones()) == (None, [])


def test_everything_is_read_once(server: HetznerServer, facts: HetznerFacts) -> None:
    for _time in range(3):
        facts.zones()
        facts.instance_type("cx23")
        facts.default_instance_type("Node", ["fsn1"])
        facts.image("debian-12")
    assert sorted(each.path for each in server.calls) == ["/images", "/locations", "/server_types"]
    assert [each.value("name") for each in server.calls if each.path == IMAGE.collection] == ["debian-12"]
