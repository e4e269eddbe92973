# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access to nodes and API, and the API's load balancer."""

from __future__ import annotations

import pytest

PRIVATE = {"networking": {"subnets": [{"name": "a", "type": "Private", "zone": "us-east-1a", "cidr": "172.20.0.0/24"}]}}


def balancer(**change):
    return {"api": {"loadBalancer": {"type": "Public", "class": "Network", **change}}}


def internal(**change):
    return {**PRIVATE, **balancer(type="Internal", **change)}


def in_subnet(**change):
    return {"subnets": [{"name": "a", **change}]}


@pytest.mark.parametrize(
    ("spec", "cloud", "expected"),
    [
        ({"sshAccess": ["0.0.0.0/0", "::/0", "pl-1"]}, "aws", []),
        ({"sshAccess": ["1.2.3.4"]}, "aws", ["Invalid::spec.sshAccess[0]"]),
        ({"sshAccess": ["pl-1"]}, "gce", ["Invalid::spec.sshAccess[0]"]),
        ({"nodePortAccess": ["0.0.0.0/0", "10.0.0.0/33"]}, "aws", ["Invalid::spec.nodePortAccess[1]"]),
        ({"api": {"access": ["10.0.0.1/8", "pl-1"]}}, "aws", ["Invalid::spec.kubernetesAPIAccess[0]"]),
        ({"api": {"access": ["pl-1"]}}, "do", ["Invalid::spec.kubernetesAPIAccess[0]"]),
    ],
)
def test_access(judge, spec, cloud, expected):
    assert judge(spec, cloud) == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (balancer(), []),
        (balancer(**{"class": "Classic"}), ["Forbidden::class"]),
        (balancer(**{"class": "Gateway"}), ["NotSupported::class"]),
        (balancer(type="internal"), ["NotSupported::type"]),
        (balancer(type="Internal"), ["Forbidden::type"]),
        (internal(), []),
        (internal(useForInternalAPI=True), ["Forbidden::useForInternalAPI"]),
        (balancer(useForInternalAPI=True), []),
        (balancer(additionalSecurityGroups=["sg-1", "sg-2"]), []),
        (
            balancer(additionalSecurityGroups=["sg-1", "", "sg-1"]),
            ["Duplicate::additionalSecurityGroups[2]", "Invalid::additionalSecurityGroups[1]"],
        ),
        (balancer(securityGroupOverride="sg-1"), []),
        (balancer(securityGroupOverride=" "), ["Invalid::securityGroupOverride"]),
        (balancer(sslCertificate="arn", sslPolicy="p"), []),
        (balancer(sslPolicy="p"), ["Forbidden::sslPolicy"]),
        (
            {"api": {"loadBalancer": {"type": "Public", "sslCertificate": "arn", "sslPolicy": "p"}}},
            ["Forbidden::sslCertificate", "Forbidden::sslPolicy"],
        ),
        (balancer(subnets=[{"name": ""}]), ["Required::subnets[0].name"]),
        (balancer(subnets=[{"name": "z"}]), ["NotFound::subnets[0].name"]),
        (balancer(**in_subnet(allocationID="eipalloc-1")), []),
        (balancer(**in_subnet(allocationID="")), ["Required::subnets[0].allocationID"]),
        (internal(**in_subnet(allocationID="eipalloc-1")), ["Forbidden::subnets[0].allocationID"]),
        (internal(**in_subnet(privateIPv4Address="172.20.0.9")), []),
        (balancer(**in_subnet(privateIPv4Address="172.20.32.9")), ["Forbidden::subnets[0].privateIPv4Address"]),
        (internal(**in_subnet(privateIPv4Address="10.0.0.9")), ["Invalid::subnets[0].privateIPv4Address"]),
        (internal(**in_subnet(privateIPv4Address="::1")), ["Invalid::subnets[0].privateIPv4Address"]),
        (
            internal(**in_subnet(privateIPv4Address="")),
            ["Invalid::subnets[0].privateIPv4Address", "Required::subnets[0].privateIPv4Address"],
        ),
    ],
)
def test_load_balancer_on_aws(judge, spec, expected):
    assert [found.replace("::spec.api.loadBalancer.", "::") for found in judge(spec)] == expected


def test_class_is_needed_when_complete(judge):
    without = {"api": {"loadBalancer": {"type": "Public"}}}
    path = "NotSupported::spec.api.loadBalancer.class"
    assert path not in judge(without)
    assert path in judge(without, strict=True)


def test_dns_none_needs_a_network_load_balancer(judge):
    spec = {"api": {"loadBalancer": {"type": "Public"}}, "networking": {"topology": {"dns": "None"}}}
    assert judge(spec) == ["Forbidden::spec.api.loadBalancer.type"]
    assert judge({**spec, **balancer()}) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("class", "Network"),
        ("securityGroupOverride", "sg-1"),
        ("additionalSecurityGroups", ["sg-1"]),
        ("sslCertificate", "x"),
        ("sslPolicy", "x"),
        ("crossZoneLoadBalancing", False),
        ("accessLog", {"bucket": "b"}),
    ],
)
def test_load_balancer_elsewhere(judge, key, value):
    spec = {"api": {"loadBalancer": {"type": "Public", key: value}}}
    assert judge(spec, "gce") == [f"Forbidden::spec.api.loadBalancer.{key}"]
