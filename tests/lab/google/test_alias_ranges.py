# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network gcp: pods have addresses of their instance's alias range, which Google Cloud routes by itself."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab.cloud.test_cilium import (  # noqa: F401  # pylint: disable=unused-import
    cluster,
    pods_reach_each_other,
    test_groups_grow_and_shrink,
    test_pods_reach_each_other,
)
from ansible_collections.kubeops.kops.tests.lab.google import account
from ansible_collections.kubeops.kops.tests.lab.google.sites import GoogleSite
from ansible_collections.kubeops.kops.tests.support import software_tpm

pytestmark = [pytest.mark.long, software_tpm.needed]


@pytest.fixture(scope="module")
def site(new_site: Callable[..., GoogleSite]) -> GoogleSite:
    """With pods in a secondary range of the subnet."""
    return new_site({"networking": "gcp", "node_count": 2})


def test_each_node_has_the_range_of_its_instance(cluster: GoogleSite) -> None:  # noqa: F811
    nodes = cluster.nodes()
    (subnet,) = account.all_of("subnetworks")
    whole = [ipaddress.ip_network(each["ipCidrRange"]) for each in subnet["secondaryIpRanges"]]
    for name, instance in cluster.instances().items():
        (alias,) = instance["networkInterfaces"][0]["aliasIpRanges"]
        assert nodes[name]["spec"]["podCIDR"] == alias["ipCidrRange"]
        assert any(ipaddress.ip_network(alias["ipCidrRange"]).subnet_of(each) for each in whole)
    made = account.call("GET", "global/routes").get("items", ())
    assert not [each for each in made if each.get("nextHopInstance")]
