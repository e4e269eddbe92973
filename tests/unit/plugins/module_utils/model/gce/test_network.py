# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks, subnets and the way out of private ones."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError

SUBNET = {"name": "us-east1", "region": "us-east1", "type": "Private", "cidr": "10.0.16.0/20"}
OWN = "demo-example-com"


def subnets(**more):
    return {"networking.subnets": [{**SUBNET, **more}]}


def test_public_subnets_need_no_router(model, of_kind):
    tasks = model()
    assert not of_kind(tasks, "Router")
    assert tasks[f"Network/{OWN}"].mode == "custom"
    assert tasks["Subnet/us-east1-demo-example-com"].stack_type == "IPV4_ONLY"


def test_private_subnets_of_ours_are_led_out(model, of_kind):
    (router,) = of_kind(model(subnets()), "Router").values()
    assert [subnet.name for subnet in router.subnetworks] == ["us-east1-demo-example-com"]


@pytest.mark.parametrize("more", [{"egress": "External"}, {"id": "theirs"}])
def test_others_are_left_to_their_owner(model, of_kind, more):
    assert not of_kind(model(subnets(**more)), "Router")


def test_ways_out_of_other_clouds_are_refused(model):
    with pytest.raises(KopsError, match="nat-1"):
        model(subnets(egress="nat-1"))


def test_shared_network_of_another_project(model):
    tasks = model({"networking.networkID": "host/net", **subnets(id="theirs")})
    network, subnet = tasks["Network/net"], tasks["Subnet/theirs"]
    assert (network.project, network.mode, network.shared) == ("host", None, True)
    assert subnet.shared
    assert {task.network for task in tasks.values() if task.kind == "FirewallRule"} == {network}


@pytest.mark.parametrize("wrong", ["a/b/c", "/net", "host/"])
def test_malformed_network_is_refused(model, wrong):
    with pytest.raises(KopsError, match="networkID"):
        model({"networking.networkID": wrong})


def test_pods_with_addresses_of_the_network_have_secondary_ranges(model):
    fields = {
        "networking.cni": None,
        "networking.gcp": {},
        "networking.podCIDR": "10.4.0.0/14",
        "networking.serviceClusterIPRange": "10.1.0.0/16",
    }
    tasks = model(fields)
    assert tasks["Subnet/us-east1-demo-example-com"].secondary_ip_ranges == {
        "pods-demo-example-com": "10.4.0.0/14",
        "services-demo-example-com": "10.1.0.0/16",
    }
    template = tasks["InstanceTemplate/nodes-demo-example-com"]
    assert (template.can_ip_forward, template.alias_ip_ranges) == (False, {"pods-demo-example-com": "/24"})
    narrow = model({**fields, "kubeControllerManager": {"nodeCIDRMaskSize": 26}})
    aliases = narrow["InstanceTemplate/nodes-demo-example-com"].alias_ip_ranges
    assert aliases == {"pods-demo-example-com": "/26"}


def test_ipv6_comes_with_ipv4(model):
    tasks = model({"networking.nonMasqueradeCIDR": "::/0"})
    subnet = tasks["Subnet/us-east1-demo-example-com"]
    assert (subnet.stack_type, subnet.ipv6_access_type) == ("IPV4_IPV6", "EXTERNAL")
    assert tasks["InstanceTemplate/nodes-demo-example-com"].stack_type == "IPV4_IPV6"
