# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clouds and addons."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.components import EBSCSIDriverSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation import entry

ROLES = {"iam": {"useServiceAccountExternalPermissions": True}}
CERT_MANAGER = {"certManager": {"enabled": True}}


def aws(**change):
    return {"cloudProvider": {"aws": change}}


def handler(**change):
    return aws(nodeTerminationHandler={"enabled": True, **change})


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (aws(loadBalancerController={"enabled": True}), ["Forbidden::aws.awsLoadBalanceController"]),
        ({**aws(loadBalancerController={"enabled": True}), **CERT_MANAGER}, []),
        (aws(podIdentityWebhook={"enabled": True}), ["Forbidden::aws.podIdentityWebhook"]),
        ({**aws(podIdentityWebhook={"enabled": True}), **CERT_MANAGER}, []),
        (aws(warmPool={"minSize": 1, "maxSize": 2}), []),
        (aws(warmPool={"minSize": 3, "maxSize": 2}), ["Invalid::aws.warmPool.maxSize"]),
        (aws(warmPool={"maxSize": -1}), ["Invalid::aws.warmPool.maxSize"]),
        (aws(warmPool={"minSize": -1}), ["Invalid::aws.warmPool.minSize"]),
        (aws(warmPool={"maxSize": 1, "additionalImages": ["x"]}), ["Forbidden::aws.warmPool.additionalImages"]),
        (handler(), []),
        (
            handler(enableSpotInterruptionDraining=False),
            ["Forbidden::aws.nodeTerminationHandler.enableSpotInterruptionDraining"],
        ),
        (handler(enableSpotInterruptionDraining=False, enableSQSTerminationDraining=False), []),
        (handler(enableRebalanceMonitoring=True), ["Forbidden::aws.nodeTerminationHandler.enableRebalanceMonitoring"]),
        (handler(enableRebalanceMonitoring=True, enableRebalanceDraining=True), []),
        ({**handler(), **ROLES, "karpenter": {"enabled": True}}, ["Forbidden::aws.nodeTerminationHandler"]),
        (aws(ebsCSIDriver={"managed": False}), []),
        (aws(nlbSecurityGroupMode="Managed"), []),
        (aws(nlbSecurityGroupMode="managed"), ["NotSupported::aws.nlbSecurityGroupMode"]),
        (aws(nlbSecurityGroupMode=""), ["NotSupported::aws.nlbSecurityGroupMode"]),
        (aws(useIPBasedNodeNames=True), []),
        ({"cloudProvider": {"aws": {}, "gce": {"project": "x"}}}, ["Forbidden::gce"]),
        ({"cloudProvider": {"aws": {}, "do": {}, "hetzner": {}}}, ["Forbidden::do", "Forbidden::hetzner"]),
        ({"cloudProvider": {"aws": None}}, ["Required::spec.cloudProvider"]),
        (
            {"cloudProvider": {"aws": None}, "networking": {"topology": {"dns": "None"}}},
            ["Forbidden::spec.networking.topology.dns.type", "Required::spec.cloudProvider"],
        ),
    ],
)
def test_cloud_provider(judge, spec, expected):
    assert [problem.replace("::spec.cloudProvider.", "::") for problem in judge(spec)] == expected


def test_ebs_driver_cannot_be_disabled(new_cluster):
    cluster = new_cluster()
    cluster.spec.cloud_provider.aws.ebs_csi_driver = EBSCSIDriverSpec(enabled=False)
    errors = entry.validate_cluster(cluster, strict=False)
    assert [error.path for error in errors] == ["spec.cloudProvider.aws.ebsCSIDriver.enabled"]


def test_ip_based_node_names_and_ipv6(judge):
    assert judge(aws(useIPBasedNodeNames=True), "ipv6") == ["Forbidden::spec.cloudProvider.aws.useIPBasedNodeNames"]


@pytest.mark.parametrize(
    ("spec", "cloud", "expected"),
    [
        ({"addons": [{"manifest": "s3://bucket/x.yaml"}]}, "aws", []),
        ({"addons": [{"manifest": "file:///x.yaml"}]}, "aws", ["Invalid::spec.addons[0].manifest"]),
        ({"addons": [{"manifest": "file:///x.yaml"}]}, "metal", []),
        ({"addons": [{"manifest": "metallb"}, {"manifest": "local-path-storage"}]}, "metal", []),
        ({"addons": [{"manifest": "metalb"}]}, "aws", ["Invalid::spec.addons[0].manifest"]),
        ({"addons": [{}]}, "aws", ["Required::spec.addons[0].manifest"]),
        ({"addons": [{"manifest": "metallb"}] * 2}, "metal", ["Duplicate::spec.addons[1].manifest"]),
        ({"clusterAutoscaler": {"expander": "least-waste"}}, "aws", []),
        ({"clusterAutoscaler": {"expander": "cheapest"}}, "aws", ["NotSupported::spec.clusterAutoscaler.expander"]),
        ({"clusterAutoscaler": {"expander": "price"}}, "aws", ["Forbidden::spec.clusterAutoscaler.expander"]),
        ({"clusterAutoscaler": {"expander": "price"}}, "gce", []),
        ({"clusterAutoscaler": {"enabled": True}}, "openstack", ["Forbidden::spec.clusterAutoscaler"]),
        ({"externalDNS": {"provider": "external-dns", "watchNamespace": "kube-system"}}, "aws", []),
        ({"externalDNS": {"provider": "bind"}}, "aws", ["NotSupported::spec.externalDNS.provider"]),
        ({"externalDNS": {"watchNamespace": "default"}}, "aws", ["Forbidden::spec.externalDNS.watchNamespace"]),
        ({"externalDNS": {"provider": "external-dns"}}, "azure", ["Forbidden::spec.externalDNS.provider"]),
        ({"metricsServer": {"enabled": True}}, "aws", ["Forbidden::spec.metricsServer.insecure"]),
        ({"metricsServer": {"enabled": True, "insecure": True}}, "aws", []),
        ({"metricsServer": {"enabled": True}, **CERT_MANAGER}, "aws", []),
        ({"snapshotController": {"enabled": True}}, "aws", ["Forbidden::spec.snapshotController.enabled"]),
        ({"snapshotController": {"enabled": True}, **CERT_MANAGER}, "aws", []),
        ({"karpenter": {"enabled": True}}, "aws", ["Forbidden::spec.karpenter.enabled"]),
        ({"karpenter": {"enabled": True}, **ROLES}, "aws", []),
        ({"certManager": {"enabled": True, "hostedZoneIDs": ["Z1"]}}, "aws", ["Forbidden::spec.certManager"]),
        ({"certManager": {"enabled": True, "hostedZoneIDs": ["Z1"]}, **ROLES}, "aws", []),
    ],
)
def test_addons(judge, spec, cloud, expected):
    assert judge(spec, cloud) == expected


NAMED = {"addons": [{"manifest": "metallb"}, {"manifest": "s3://bucket/x"}, {"manifest": "local-path-storage"}]}


@pytest.mark.parametrize("cloud", ["aws", "gce", "openstack", "azure", "do", "hetzner", "scaleway"])
def test_addons_for_bare_metal_are_refused_in_clouds_all_at_once(judge, cloud):
    assert judge(NAMED, cloud) == [f"Forbidden::spec.addons[{index}].manifest" for index in (0, 2)]


@pytest.mark.parametrize(
    ("proxy", "sysctls", "missing"),
    [
        ({"proxyMode": "ipvs"}, [], 2),
        ({"proxyMode": "ipvs"}, ["net.ipv4.conf.all.arp_ignore = 1"], 1),
        ({"proxyMode": "ipvs"}, ["net.ipv4.conf.all.arp_ignore=1", "net.ipv4.conf.all.arp_announce=2"], 0),
        ({"proxyMode": "ipvs", "enabled": False}, [], 0),
        ({"proxyMode": "iptables"}, [], 0),
        ({}, [], 0),
    ],
)
def test_metallb_beside_kube_proxy_in_mode_ipvs(judge, proxy, sysctls, missing):
    given = {"kubeProxy": proxy, "sysctlParameters": sysctls}
    assert judge({**NAMED, **given}, "metal") == ["Required::spec.sysctlParameters"] * missing
    assert judge(given, "metal") == []


@pytest.mark.parametrize("mine", [None, True, False])
@pytest.mark.parametrize("openstacks", [None, True, False])
def test_storage_classes(judge, mine, openstacks):
    spec = {
        "cloudConfig": {"manageStorageClasses": mine},
        "cloudProvider": {"openstack": {"blockStorage": {"createStorageClass": openstacks}}},
    }
    contradict = mine is not None and openstacks is not None and mine is not openstacks
    expected = ["Forbidden::spec.cloudConfig.manageStorageClasses"] if contradict else []
    assert judge(spec, "openstack") == expected


@pytest.mark.parametrize("key", ["gossipConfig", "dnsControllerGossipConfig", "nodeAuthorization"])
def test_what_is_gone(judge, key):
    assert judge({key: {}}) == [f"Forbidden::spec.{key}"]
