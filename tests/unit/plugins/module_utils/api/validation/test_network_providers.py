# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network providers."""

from __future__ import annotations

import pytest


def only(**provider):
    return {"cni": None, **provider}


@pytest.mark.parametrize(
    ("change", "cloud", "expected"),
    [
        *((only(**{name: {}}), "aws", []) for name in ("cni", "kubenet", "kopeio", "calico", "cilium", "amazonVPC")),
        (only(gcp={}), "gce", []),
        (only(gcp={}), "aws", ["Forbidden::gcp"]),
        (only(amazonVPC={}), "gce", ["Forbidden::amazonVPC"]),
        (only(classic={}), "aws", ["Invalid::spec.networking"]),
        *((only(**{name: {}}), "aws", [f"Forbidden::{name}"]) for name in ("weave", "canal", "external", "romana")),
        (only(lyftvpc={}), "aws", ["Forbidden::lyftvpc"]),
        *((only(**{name: {}}), "ipv6", [f"Forbidden::{name}"]) for name in ("kubenet", "kopeio", "amazonVPC")),
        (only(kubeRouter={}), "ipv6", ["Forbidden::kubeRouter"]),
        (only(flannel={"backend": "udp"}), "ipv6", ["Forbidden::flannel"]),
        (only(flannel={"backend": "udp"}), "aws", []),
        (only(flannel={"backend": "vxlan"}), "aws", []),
        (only(flannel={}), "aws", ["Required::flannel.backend"]),
        (only(flannel={"backend": "nope"}), "aws", ["NotSupported::flannel.backend"]),
        ({"calico": {}, "cilium": {}}, "aws", ["Forbidden::calico", "Forbidden::cilium", "Forbidden::cni"]),
        (only(kindnet={"masquerade": {"enabled": True}}), "aws", []),
        (only(kindnet={"masquerade": {"enabled": True, "nonMasqueradeCIDRs": ["10.0.0.1/24", "fd::/8"]}}), "aws", []),
        (
            only(kindnet={"masquerade": {"enabled": True, "nonMasqueradeCIDRs": ["a.b.c.d/24"]}}),
            "aws",
            ["Invalid::kindnet"],
        ),
        (only(kindnet={"masquerade": {"enabled": False, "nonMasqueradeCIDRs": ["a.b.c.d/24"]}}), "aws", []),
    ],
)
def test_choice(judge_networking, change, cloud, expected):
    assert judge_networking(change, cloud) == expected


@pytest.mark.parametrize(
    ("provider", "path"),
    [
        ({"kubeRouter": {}}, "spec.spec.kubeProxy.enabled"),
        ({"cilium": {"enableNodePort": True}}, "spec.spec.kubeProxy.enabled"),
        ({"calico": {"bpfEnabled": True}}, "spec.kubeProxy.enabled"),
    ],
)
def test_replacements_of_kube_proxy(judge, provider, path):
    for proxy, expected in ((None, []), ({"enabled": False}, []), ({}, [path]), ({"enabled": True}, [path])):
        found = judge({"networking": only(**provider), "kubeProxy": proxy})
        assert found == [f"Forbidden::{path}" for path in expected]


@pytest.mark.parametrize(
    ("calico", "cloud", "expected"),
    [
        ({"typhaReplicas": 3}, "aws", []),
        ({"typhaReplicas": -1}, "aws", ["Invalid::calico.typhaReplicas"]),
        ({"awsSrcDstCheck": "Disable"}, "aws", []),
        ({"awsSrcDstCheck": "off"}, "aws", ["NotSupported::calico.awsSrcDstCheck"]),
        ({"awsSrcDstCheck": "Enable"}, "ipv6", ["Forbidden::calico.awsSrcDstCheck"]),
        ({"awsSrcDstCheck": "DoNothing"}, "ipv6", []),
        ({"encapsulationMode": "none"}, "aws", ["Forbidden::calico.encapsulationMode"]),
        ({"encapsulationMode": "none"}, "ipv6", []),
        ({"encapsulationMode": "vxlan"}, "ipv6", ["Forbidden::calico.encapsulationMode"]),
        ({"encapsulationMode": "ipip"}, "azure", ["Forbidden::calico.encapsulationMode"]),
        ({"encapsulationMode": "vxlan"}, "azure", []),
        ({"encapsulationMode": "ipip", "ipipMode": "Always"}, "aws", []),
        ({"ipipMode": "CrossSubnet"}, "aws", []),
        ({"ipipMode": "unknown"}, "aws", ["NotSupported::calico.ipipMode"]),
        ({"encapsulationMode": "vxlan", "ipipMode": "Always"}, "aws", ["Forbidden::calico.ipipMode"]),
        ({"encapsulationMode": "vxlan", "ipipMode": "Never"}, "aws", []),
        ({"encapsulationMode": "ipip", "vxlanMode": "CrossSubnet"}, "aws", ["Forbidden::calico.vxlanMode"]),
        ({"bpfExternalServiceMode": "Direct"}, "aws", ["NotSupported::calico.bpfExternalServiceMode"]),
        ({"bpfLogLevel": "Loud"}, "aws", ["NotSupported::calico.bpfLogLevel"]),
        ({"chainInsertMode": "prepend"}, "aws", ["NotSupported::calico.chainInsertMode"]),
        ({"iptablesBackend": "nft"}, "aws", ["NotSupported::calico.iptablesBackend"]),
        ({"wireguardEnabled": True}, "aws", []),
        ({"wireguardEnabled": True}, "ipv6", ["Forbidden::calico.wireguardEnabled"]),
    ],
)
def test_calico(judge_networking, calico, cloud, expected):
    assert judge_networking(only(calico=calico), cloud) == expected


@pytest.mark.parametrize(
    ("method", "versions"),
    [
        ("first-found", "46"),
        ("can-reach=8.8.8.8", "4"),
        ("can-reach=2001:4860:4860::8888", "6"),
        ("can-reach=", ""),
        ("can-reach", ""),
        ("interface=en.*,eth0", "46"),
        ("skip-interface=en.*, eth0", "46"),
        ("interface=", ""),
        ("interface", ""),
        ("interface=(,en1", ""),
        ("interface=foo=bar", ""),
        ("=en0", ""),
        ("bogus", ""),
    ],
)
def test_calico_autodetection(judge_networking, method, versions):
    for version in "46":
        key = f"ipv{version}AutoDetectionMethod"
        found = set(judge_networking(only(calico={key: method})))
        assert found == (set() if version in versions else {f"Invalid::calico.{key}"})


@pytest.mark.parametrize(
    ("cilium", "cloud", "expected"),
    [
        ({"ipam": "crd"}, "aws", []),
        ({"ipam": "eni"}, "aws", []),
        ({"ipam": "eni"}, "gce", ["Forbidden::cilium.ipam"]),
        ({"ipam": "eni"}, "ipv6", ["Forbidden::cilium.ipam"]),
        ({"ipam": "azure"}, "aws", ["NotSupported::cilium.ipam"]),
        ({"enableL7Proxy": True, "installIptablesRules": False}, "aws", ["Forbidden::cilium.enableL7Proxy"]),
        ({"enableL7Proxy": True}, "aws", []),
        ({"identityAllocationMode": "kvstore"}, "aws", ["Forbidden::cilium.identityAllocationMode"]),
        ({"identityAllocationMode": "crd"}, "aws", []),
        ({"etcdManaged": True}, "aws", ["Required::spec.etcdClusters"]),
        ({"version": "v1.18.5"}, "aws", []),
        ({"version": "v1.18.5-rc.1"}, "aws", []),
        ({"version": "v1.19.0"}, "aws", ["Invalid::cilium.version"]),
        ({"version": "1.18.0"}, "aws", ["Invalid::cilium.version"]),
        ({"version": "v1.18"}, "aws", ["Invalid::cilium.version", "Invalid::cilium.version"]),
        ({"version": "v1.18.0", "hubble": {"enabled": True}}, "aws", ["Forbidden::cilium.hubble.enabled"]),
        ({"enablePolicy": "sometimes"}, "aws", ["NotSupported::cilium.enablePolicy"]),
        ({"tunnel": "gre"}, "aws", ["NotSupported::cilium.tunnel"]),
        ({"monitorAggregation": "high"}, "aws", ["NotSupported::cilium.monitorAggregation"]),
        ({"bpfLBAlgorithm": "rr"}, "aws", ["NotSupported::cilium.bpfLBAlgorithm"]),
        ({"bpfLBSockHostNSOnly": True}, "aws", ["Forbidden::cilium.bpfLBSockHostNSOnly"]),
        ({"bpfLBSockHostNSOnly": True, "bpfLBSock": True}, "aws", []),
        ({"enableEncryption": True}, "ipv6", ["Forbidden::cilium.enableEncryption"]),
        ({"enableEncryption": True, "encryptionType": "wireguard"}, "aws", []),
        ({"encryptionType": "ipsec"}, "aws", ["Forbidden::cilium.encryptionType"]),
        (
            {"ingress": {"enabled": True, "defaultLoadBalancerMode": "own"}},
            "aws",
            ["NotSupported::cilium.ingress.defaultLoadBalancerMode"],
        ),
        ({"ingress": {"enabled": False, "defaultLoadBalancerMode": "own"}}, "aws", []),
    ],
)
def test_cilium(judge_networking, cilium, cloud, expected):
    assert judge_networking(only(cilium=cilium), cloud) == expected


def test_cilium_hubble_with_cert_manager(judge):
    hubble = {"networking": only(cilium={"version": "v1.18.0", "hubble": {"enabled": True}})}
    assert judge({**hubble, "certManager": {"enabled": True}}) == []
