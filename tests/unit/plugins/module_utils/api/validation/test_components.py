# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes' own components."""

from __future__ import annotations

import pytest

RBAC = {"authorization": {"rbac": {}}}


@pytest.mark.parametrize(
    ("kubelet", "expected"),
    [
        ({}, []),
        ({"anonymousAuth": False, "maxPods": 50}, []),
        ({"configureCbr0": True}, ["Forbidden::ConfigureCBR0"]),
        ({"apiServers": "x"}, ["Forbidden::apiServers"]),
        ({"podInfraContainerImage": "x"}, ["Forbidden::podInfraContainerImage"]),
        ({"requireKubeconfig": False}, ["Forbidden::requireKubeconfig"]),
        ({"experimentalAllowedUnsafeSysctls": ["x"]}, ["Forbidden::experimentalAllowedUnsafeSysctls"]),
        ({"bootstrapKubeconfig": "/x"}, ["Forbidden::bootstrapKubeconfig"]),
        ({"enableCadvisorJsonEndpoints": False}, ["Forbidden::enableCadvisorJsonEndpoints"]),
        ({"cpuCFSQuotaPeriod": "1s"}, ["Forbidden::cpuCFSQuotaPeriod"]),
        ({"networkPluginName": "cni"}, ["Forbidden::networkPluginName"]),
        ({"networkPluginMTU": 0}, ["Forbidden::networkPluginMTU"]),
        ({"nonMasqueradeCIDR": "10.0.0.0/8"}, ["Forbidden::nonMasqueradeCIDR"]),
        ({"topologyManagerPolicy": "best-effort"}, []),
        ({"topologyManagerPolicy": "best"}, ["NotSupported::topologyManagerPolicy"]),
        ({"logFormat": "xml"}, ["NotSupported::logFormat"]),
        ({"memorySwapBehavior": "LimitedSwap"}, []),
        ({"memorySwapBehavior": "NoSwap"}, ["NotSupported::memorySwapBehavior"]),
        ({"shutdownGracePeriodCriticalPods": "10s"}, ["Forbidden::shutdownGracePeriodCriticalPods"]),
        ({"shutdownGracePeriod": "30s", "shutdownGracePeriodCriticalPods": "30s"}, []),
        (
            {"shutdownGracePeriod": "30s", "shutdownGracePeriodCriticalPods": "1m0s"},
            ["Invalid::shutdownGracePeriodCriticalPods"],
        ),
        ({"crashLoopBackOffMaxContainerRestartPeriod": "5m0s"}, []),
        ({"crashLoopBackOffMaxContainerRestartPeriod": "5m1s"}, ["Invalid::crashLoopBackOffMaxContainerRestartPeriod"]),
        ({"crashLoopBackOffMaxContainerRestartPeriod": "1ms"}, ["Invalid::crashLoopBackOffMaxContainerRestartPeriod"]),
        ({"cloudProvider": "external"}, []),
        ({"cloudProvider": "aws"}, []),
        ({"cloudProvider": "gce"}, ["Forbidden::cloudProvider"]),
    ],
)
@pytest.mark.parametrize("key", ["kubelet", "controlPlaneKubelet"])
def test_kubelet(judge, key, kubelet, expected):
    assert [found.replace(f"::spec.{key}.", "::") for found in judge({key: kubelet})] == expected


@pytest.mark.parametrize(
    ("server", "more", "expected"),
    [
        ({"proxyClientCertFile": "x"}, {}, ["Forbidden::spec.kubeAPIServer"]),
        ({"proxyClientKeyFile": "x"}, {}, ["Forbidden::spec.kubeAPIServer"]),
        ({"proxyClientKeyFile": "x", "proxyClientCertFile": "x"}, {}, []),
        ({"enableBootstrapTokenAuth": True}, {}, ["Forbidden::enableBootstrapTokenAuth"]),
        ({"admissionControl": ["A"]}, {}, ["Forbidden::admissionControl"]),
        (
            {"admissionControl": ["PodSecurityPolicy"], "disableAdmissionPlugins": ["B"]},
            {},
            ["Forbidden::admissionControl"] * 3,
        ),
        ({"enableAdmissionPlugins": ["PodSecurityPolicy"]}, {}, ["Forbidden::enableAdmissionPlugins"]),
        *(({"serviceNodePortRange": good}, {}, []) for good in ("30000-32767", "30000+100", "80", " 80 ", "0-65535")),
        *(
            ({"serviceNodePortRange": bad}, {}, ["Invalid::serviceNodePortRange"])
            for bad in ("40000-30000", "foobar", "1-65536", "-1", "1-", "65000+1000", "1-2-3")
        ),
        ({"authorizationMode": "RBAC,Webhook"}, {}, ["Required::authorizationWebhookConfigFile"]),
        ({"authorizationMode": "RBAC"}, {}, []),
        ({"authorizationMode": "RBAC"}, RBAC, ["Required::authorizationMode"]),
        ({"authorizationMode": "RBAC,Node"}, RBAC, []),
        ({"authorizationMode": "RBAC,Node,Bogus"}, RBAC, ["NotSupported::authorizationMode"]),
        ({"logFormat": "no-json"}, {}, ["NotSupported::logFormat"]),
        (
            {"authenticationConfigFile": "/x"},
            {"authentication": {"oidc": {"clientID": "x"}}},
            ["Forbidden::authenticationConfigFile"],
        ),
        ({"authenticationConfigFile": "/x"}, {"authentication": {"oidc": {}}}, []),
        ({"auditWebhookConfigFile": "/a/b"}, {}, ["Invalid::auditWebhookConfigFile"]),
        ({"auditWebhookConfigFile": "/a/b", "auditPolicyFile": "/a/c"}, {}, []),
        ({"auditWebhookConfigFile": "/a/b", "auditPolicyFile": "/c/d"}, {}, ["Invalid::auditWebhookConfigFile"]),
        ({"serviceClusterIPRange": "100.70.0.0/16"}, {}, ["Forbidden::serviceClusterIPRange"]),
    ],
)
def test_api_server(judge, server, more, expected):
    found = judge({"kubeAPIServer": server, **more})
    assert [problem.replace("::spec.kubeAPIServer.", "::") for problem in found] == expected


def test_node_and_rbac_are_needed_on_aws_only(judge):
    spec = {"kubeAPIServer": {"authorizationMode": "RBAC"}, **RBAC}
    assert judge(spec, "gce") == []


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.32.0", ["Forbidden::spec.kubeAPIServer.cloudProvider"]), ("1.33.0-alpha.3", []), ("v1.34.1", [])],
)
def test_api_servers_cloud_provider(judge, version, expected):
    assert judge({"kubernetesVersion": version, "kubeAPIServer": {"cloudProvider": "gce"}}) == expected


@pytest.mark.parametrize(("cloud", "provider"), [("do", "external"), ("openstack", "openstack"), ("azure", "azure")])
def test_cloud_provider_of_components(judge, cloud, provider):
    component = "kubeControllerManager"
    assert judge({component: {"cloudProvider": provider}}, cloud) == []
    assert judge({component: {"cloudProvider": "aws"}}, cloud) == [f"Forbidden::spec.{component}.cloudProvider"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"kubeControllerManager": {"clusterCIDR": "100.96.0.0/11"}}, []),
        (
            {"kubeControllerManager": {"clusterCIDR": "10.0.0.0/8"}},
            ["Forbidden::spec.kubeControllerManager.clusterCIDR"],
        ),
        ({"kubeControllerManager": {"clusterCIDR": "zzz"}}, ["Invalid::spec.kubeControllerManager.clusterCIDR"]),
        (
            {"kubeControllerManager": {"experimentalClusterSigningDuration": "1h0m0s"}},
            ["Forbidden::spec.kubeControllerManager.experimentalClusterSigningDuration"],
        ),
        ({"kubeScheduler": {"usePolicyConfigMap": False}}, ["Forbidden::spec.kubeScheduler.usePolicyConfigMap"]),
        ({"kubeProxy": {"proxyMode": "nftables"}}, []),
        ({"kubeProxy": {"proxyMode": "ebpf"}}, ["NotSupported::spec.kubeProxy.proxyMode"]),
        ({"kubeProxy": {"ipvsExcludeCIDRs": ["10.0.0.0/8", "10"]}}, ["Invalid::spec.kubeProxy.ipvsExcludeCIDRs[1]"]),
        ({"kubeProxy": {"master": "https://api.example.com"}}, []),
        *(
            ({"kubeProxy": {"master": bad}}, ["Invalid::spec.kubeProxy.master"])
            for bad in ("foo", "https://", "//host", "https://host:port", "https://a b", "https://a\t")
        ),
    ],
)
def test_other_components(judge, spec, expected):
    assert judge(spec) == expected


def dns(**change):
    return {
        "kubeDNS": {"serverIP": "100.64.0.10", **change},
        "networking": {"serviceClusterIPRange": "100.64.0.0/13"},
    }


def kubelet_asks(server, **local):
    return {**dns(nodeLocalDNS={"enabled": True, **local}), "kubelet": {"clusterDNS": server}}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (dns(), []),
        (dns(serverIP="zzz"), ["Invalid::spec.kubeDNS.serverIP"]),
        (dns(serverIP="10.0.0.10"), ["Forbidden::spec.kubeDNS.serverIP"]),
        (dns(upstreamNameservers=["8.8.8.8", "google"]), ["Invalid::spec.kubeDNS.upstreamNameservers[1]"]),
        (dns(stubDomains={"a.b": ["1.1.1.1"]}), []),
        (dns(stubDomains={"a.b": []}), ["Invalid::spec.kubeDNS.stubDomains[a.b]"]),
        (dns(stubDomains={"a.b": ["1.1.1.1", "x"]}), ["Invalid::spec.kubeDNS.stubDomains[a.b][1]"]),
        (dns(provider="KubeDNS"), []),
        (dns(provider="KubeDNS", nodeLocalDNS={"enabled": True}), ["Forbidden::spec.kubeDNS.provider"]),
        (dns(nodeLocalDNS={"enabled": True, "localIP": "x"}), ["Invalid::spec.spec.kubeDNS.nodeLocalDNS.localIP"]),
        (kubelet_asks("100.64.0.10"), []),
        (kubelet_asks("169.254.20.10", localIP="169.254.20.10"), []),
        (kubelet_asks("10.0.0.1"), ["Forbidden::spec.kubelet.clusterDNS"]),
        (
            {**kubelet_asks("100.64.0.10", localIP="169.254.20.10"), "kubeProxy": {"proxyMode": "ipvs"}},
            ["Forbidden::spec.spec.kubelet.clusterDNS"],
        ),
        ({**kubelet_asks("100.64.0.10", localIP="169.254.20.10"), "kubeProxy": {"proxyMode": "iptables"}}, []),
    ],
)
def test_cluster_dns(judge, spec, expected):
    assert judge(spec) == expected


def test_other_cluster_dns_is_an_experiment(judge):
    assert judge(kubelet_asks("10.0.0.1"), feature_flags=["ExperimentalClusterDNS"]) == []


def test_complete_clusters_have_all_components(judge):
    missing = [problem for problem in judge({}, strict=True) if problem.startswith("Required::")]
    assert missing == [
        "Required::spec.controlPlaneKubelet",
        "Required::spec.kubeAPIServer",
        "Required::spec.kubeControllerManager",
        "Required::spec.kubeDNS",
        "Required::spec.kubeProxy",
        "Required::spec.kubeScheduler",
        "Required::spec.kubelet",
        "Required::spec.networking.podCIDR",
        "Required::spec.networking.serviceClusterIPRange",
    ]
