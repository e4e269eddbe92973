# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of DigitalOcean: what the region has."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.facts import DigitalOceanFacts
from ansible_collections.kubeops.kops.tests.support.digitalocean import catalog
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.rest_server import RestServer


@pytest.fixture
def facts(cloud: DigitalOceanCloud) -> DigitalOceanFacts:
    return DigitalOceanFacts(cloud)


def of(region: str) -> DigitalOceanFacts:
    return DigitalOceanFacts(DigitalOceanCloud(region, "demo.example.com"))


def test_a_region_is_its_own_zone(facts: DigitalOceanFacts) -> None:
    assert facts.zones() == [catalog.REGION]
    assert of("nyc2").zones() == []
    assert of("moon1").zones() == []


def test_sizes_are_those_of_the_region(facts: DigitalOceanFacts) -> None:
    found = facts.instance_type(catalog.SIZE)
    assert found is not None
    assert (found.vcpus, found.memory_mib, found.gpu) == (2, 4096, False)
    assert facts.instance_type(catalog.OTHER_SIZE) is None
    elsewhere = of(catalog.OTHER_REGION).instance_type(catalog.OTHER_SIZE)
    assert elsewhere is not None
    assert elsewhere.gpu
    assert facts.instance_type("none") is None
    assert facts.default_instance_type("Node", []) is None


def test_images_are_known_by_slug_and_id(facts: DigitalOceanFacts) -> None:
    found = facts.image(catalog.IMAGE)
    assert found is not None
    assert (found.id, found.architecture) == ("1001", "amd64")
    assert facts.image("1002") is not None
    assert facts.image("beos") is None


def test_networks_and_domains(facts: DigitalOceanFacts, account: Account) -> None:
    default = next(each for each in account.networks.vpcs.values() if each["region"] == catalog.REGION)
    found = facts.network(default["id"])
    assert found is not None
    assert (found.cidr, found.subnets) == (default["ip_range"], ())
    assert facts.network("none") is None
    assert facts.network_of_subnet("none") is None
    account.names.add_domain("example.com")
    assert [each.name for each in facts.dns_zones()] == ["example.com"]


def test_each_list_is_read_once(
    facts: DigitalOceanFacts, server: RestServer, client: Callable[..., DigitalOceanCloud]
) -> None:
    for _again in range(3):
        facts.instance_type(catalog.SIZE)
        facts.instance_type(catalog.LARGER_SIZE)
        facts.zones()
        facts.image(catalog.IMAGE)
    assert len(server.calls) == 3
