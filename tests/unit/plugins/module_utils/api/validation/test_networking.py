# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Address ranges, subnets and DNS topology."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import addresses
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation import entry


def subnet(**change):
    return {"name": "a", "type": "Public", "zone": "us-east-1a", **change}


def private(*routes, **change):
    return {"subnets": [subnet(type="Private", additionalRoutes=list(routes), **change)]}


def route(target, cidr="10.0.0.0/8"):
    return {"cidr": cidr, "target": target}


V6 = {"networkCIDR": None, "nonMasqueradeCIDR": "::/0"}


@pytest.mark.parametrize(
    ("text", "network", "hint"),
    [
        ("192.168.0.1/32", "192.168.0.1/32", None),
        ("2001:db8::/32", "2001:db8::/32", None),
        ("192.168.0.1", None, "did you mean 192.168.0.1/32?"),
        ("2001:db8::", None, "did you mean 2001:db8::/64?"),
        ("10.128.0.0/8", "10.0.0.0/8", "did you mean 10.0.0.0/8?"),
        ("", None, "write address/prefix"),
        ("invalid.example.com", None, "write address/prefix"),
        ("10.0.0.0/255.0.0.0", None, "write address/prefix"),
        ("10.0.0.0/33", None, "write address/prefix"),
        ("fe80::1%eth0/64", None, "write address/prefix"),
    ],
)
def test_cidr(text, network, hint):
    parsed, errors = addresses.check_cidr("x", text)
    assert (str(parsed) if parsed else None) == network
    assert [hint in error.message for error in errors] == ([True] if hint else [])


@pytest.mark.parametrize(
    ("change", "cloud", "expected"),
    [
        ({}, "aws", []),
        ({"networkCIDR": None}, "aws", ["Required::networkCIDR"]),
        ({"networkCIDR": "172.20.0.0/99"}, "aws", ["Invalid::networkCIDR"]),
        ({"networkCIDR": "10.0.0.0/8"}, "gce", ["Forbidden::networkCIDR"]),
        ({"networkCIDR": "8.8.8.0/24", "subnets": []}, "linode", ["Invalid::networkCIDR"]),
        ({"networkCIDR": "8.8.8.0/24", "subnets": []}, "do", ["Invalid::networkCIDR"]),
        ({"networkCIDR": "172.32.0.0/16", "subnets": []}, "do", ["Invalid::networkCIDR"]),
        ({"networkCIDR": "192.168.0.0/16", "subnets": []}, "do", []),
        ({"networkCIDR": "fd00::/48", "subnets": []}, "do", []),
        ({"networkID": "1"}, "linode", ["Forbidden::networkCIDR"]),
        ({"additionalNetworkCIDRs": ["10.1.0.0/16"]}, "aws", []),
        ({"additionalNetworkCIDRs": ["10.1.0.0"]}, "aws", ["Invalid::additionalNetworkCIDRs[0]"]),
        ({"additionalNetworkCIDRs": ["10.1.0.0/16"]}, "azure", ["Forbidden::additionalNetworkCIDRs"]),
        ({"nonMasqueradeCIDR": None}, "aws", ["Required::nonMasqueradeCIDR"]),
        ({"nonMasqueradeCIDR": None}, "gce", []),
        ({"nonMasqueradeCIDR": "fd00::/64"}, "aws", ["Forbidden::nonMasqueradeCIDR"]),
        ({"nonMasqueradeCIDR": "172.16.0.0/12"}, "aws", ["Forbidden::nonMasqueradeCIDR"]),
        ({"nonMasqueradeCIDR": "172.16.0.0/12", "cni": None, "amazonVPC": {}}, "aws", []),
        ({"nonMasqueradeCIDR": "172.16.0.0/12", "cni": None, "cilium": {"ipam": "eni"}}, "aws", []),
        (
            {"nonMasqueradeCIDR": "10.1.0.0/16", "additionalNetworkCIDRs": ["10.1.0.0/16"]},
            "aws",
            ["Forbidden::nonMasqueradeCIDR"],
        ),
        ({"podCIDR": "100.96.0.0/11"}, "aws", []),
        ({"podCIDR": "100.96.0.0"}, "aws", ["Invalid::podCIDR"]),
        ({"podCIDR": "10.0.0.0/16"}, "aws", ["Forbidden::podCIDR"]),
        ({"podCIDR": "100.64.0.0/10", "serviceClusterIPRange": "100.64.0.0/13"}, "aws", []),
        ({"serviceClusterIPRange": "100.64.0.0"}, "aws", ["Invalid::serviceClusterIPRange"]),
    ],
)
def test_ranges(judge_networking, change, cloud, expected):
    assert judge_networking(change, cloud) == expected


@pytest.mark.parametrize(
    ("subnets", "expected"),
    [
        ([subnet()], []),
        ([], ["Required::subnets"]),
        ([subnet(name="")], ["Required::subnets[0].name"]),
        ([subnet(), subnet()], ["Duplicate::subnets[1].name"]),
        ([subnet(id="s-1"), subnet(name="b", id="s-2")], []),
        ([subnet(id="s-1"), subnet(name="b")], ["Forbidden::subnets[1].id"]),
        ([subnet(cidr="10.128.0.0/8")], ["Forbidden::subnets[0].cidr", "Invalid::subnets[0].cidr"]),
        ([subnet(cidr="172.20.1.0/24")], []),
        ([subnet(cidr="172.20.1.0")], ["Invalid::subnets[0].cidr"]),
        ([subnet(cidr="172.0.0.0/8")], ["Forbidden::subnets[0].cidr", "Invalid::subnets[0].cidr"]),
        ([subnet(cidr="172.20.0.0/24"), subnet(name="b", cidr="172.20.1.0/24")], []),
        (
            [subnet(name="b", cidr="172.20.0.0/22"), *(subnet(cidr=f"172.20.{octet}.0/24") for octet in (4, 1))],
            ["Duplicate::subnets[2].cidr", "Duplicate::subnets[2].name"],
        ),
        ([subnet(ipv6CIDR="2001:db8::/56")], []),
        ([subnet(ipv6CIDR="/64#a")], []),
        ([subnet(ipv6CIDR="/129#0")], ["Invalid::subnets[0].ipv6CIDR"]),
        ([subnet(ipv6CIDR="/64")], ["Invalid::subnets[0].ipv6CIDR"]),
        ([subnet(ipv6CIDR="10.0.0.0/8")], ["Invalid::subnets[0].ipv6CIDR"]),
        ([subnet(type="")], ["NotSupported::subnets[0].type"]),
        ([subnet(type="public")], ["NotSupported::subnets[0].type"]),
        ([subnet(type="DualStack")], ["Forbidden::subnets[0].type"]),
        ([subnet(egress="nat-1")], ["Forbidden::subnets[0].egress"]),
        ([subnet(egress="nat-1", ipv6CIDR="/64#1")], []),
        ([subnet(egress="External")], []),
        ([subnet(type="Private", egress="eipalloc-1")], []),
        ([subnet(type="Private", egress="tgw-1")], []),
        ([subnet(type="Private", egress="i-1")], []),
        ([subnet(type="Private", egress="vpn-1")], ["Invalid::subnets[0].egress"]),
    ],
)
def test_subnets(judge_networking, subnets, expected):
    assert judge_networking({"subnets": subnets}) == expected


def test_subnets_have_to_fit_among_pods_and_services(judge_networking):
    ranges = {"networkCIDR": "100.0.0.0/16", "nonMasqueradeCIDR": "101.0.0.0/8", "podCIDR": "101.1.0.0/16"}
    inside = {"subnets": [subnet(cidr="101.1.2.0/24")], "serviceClusterIPRange": "101.1.0.0/20"}
    assert judge_networking({**ranges, **inside}) == ["Forbidden::subnets[0].cidr"] * 3
    # Pods of this provider live in the subnets.
    assert judge_networking({**ranges, **inside, "cni": None, "amazonVPC": {}}) == ["Forbidden::subnets[0].cidr"] * 2
    services = {"subnets": [subnet(ipv6CIDR="fd00::/64")], "serviceClusterIPRange": "fd00::/108"}
    assert judge_networking({**V6, "networkCIDR": "10.0.0.0/16", **services}) == ["Forbidden::subnets[0].ipv6CIDR"]


def test_subnets_of_a_complete_cluster_have_ranges(judge_networking):
    assert "Required::subnets[0].cidr" in judge_networking({"subnets": [subnet()]}, strict=True)
    ipv6 = {"subnets": [subnet(ipv6CIDR="/64#1")]}
    assert "Required::subnets[0].cidr" not in judge_networking(ipv6, "ipv6", strict=True)


@pytest.mark.parametrize(
    ("change", "cloud", "expected"),
    [
        ({"subnets": [subnet(region="")]}, "gce", ["Invalid::subnets[0].zone", "Required::subnets[0].region"]),
        (
            {"subnets": [subnet(region="x"), subnet(name="b", region="y")]},
            "azure",
            ["Forbidden::subnets[1].region"],
        ),
        ({"subnets": [subnet(ipv6CIDR="/64#0")]}, "hetzner", ["Forbidden::subnets[0].ipv6CIDR"]),
        ({"subnets": []}, "hetzner", []),
        ({"subnets": []}, "do", []),
        ({"subnets": []}, "linode", []),
        ({"subnets": []}, "scaleway", ["Required::subnets"]),
        ({"subnets": []}, "metal", ["Required::subnets"]),
        ({"subnets": [subnet()]}, "do", ["Required::subnets[0].region"]),
    ],
)
def test_subnets_of_other_clouds(judge_networking, change, cloud, expected):
    assert judge_networking(change, cloud) == expected


def test_public_subnets_on_openstack_need_a_way_out(judge):
    without = {"cloudProvider": {"openstack": {"router": None}}}
    assert judge(without, "openstack") == ["Forbidden::spec.networking.subnets[0].type"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        *((private(route(f"{kind}-1")), []) for kind in ("pcx", "i", "nat", "tgw", "igw", "eigw")),
        (private(route("vgw-1")), ["Invalid::subnets[0].additionalRoutes[0].target"]),
        (private(route("pcx-1", "bad")), ["Invalid::subnets[0].additionalRoutes[0].cidr"]),
        (private(route("pcx-1", "172.20.1.0/24")), ["Forbidden::subnets[0].additionalRoutes[0].target"]),
        (private(route("i-1", "172.20.1.0/24")), []),
        (private(route("pcx-1"), route("tgw-1")), ["Duplicate::subnets[0].additionalRoutes[1].cidr"]),
        (private(route("i-1", "172.20.0.0/16")), ["Duplicate::subnets[0].additionalRoutes[0].cidr"]),
        (private(route("pcx-1"), id="subnet-1"), ["Forbidden::subnets[0].additionalRoutes"]),
        ({"subnets": [subnet(additionalRoutes=[route("pcx-1")])]}, ["Forbidden::subnets[0].additionalRoutes"]),
        (
            {"additionalNetworkCIDRs": ["10.66.0.0/16"], **private(route("pcx-1", "10.66.2.0/24"))},
            ["Forbidden::subnets[0].additionalRoutes[0].target"],
        ),
    ],
)
def test_routes(judge_networking, change, expected):
    assert judge_networking(change) == expected


@pytest.mark.parametrize(
    ("dns", "cloud", "expected"),
    [
        ("Public", "aws", []),
        ("Private", "gce", []),
        ("None", "metal", []),
        ("public", "aws", ["Forbidden::topology.dns.type", "NotSupported::topology.dns.type"]),
        ("Public", "azure", ["Forbidden::topology.dns.type"]),
        ("Private", "do", ["Forbidden::topology.dns.type"]),
        ("Public", "do", []),
        ("Public", "scaleway", []),
        ("Public", "hetzner", ["Forbidden::topology.dns.type"]),
        ("Public", "linode", ["Forbidden::topology.dns.type"]),
        ("Private", "openstack", []),
    ],
)
def test_dns_topology(judge_networking, dns, cloud, expected):
    assert judge_networking({"topology": {"dns": dns}}, cloud) == expected


def test_gossip_names_need_topology_none(new_cluster):
    def errors(dns):
        change = {"metadata": {"name": "demo.k8s.local"}, "spec": {"networking": {"topology": {"dns": dns}}}}
        return [error.path for error in entry.validate_cluster(new_cluster(change), strict=False)]

    assert errors("Public") == ["spec.networking.topology.dns.type"]
    assert errors("None") == []
