# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each component alone: what it adds to a minimal cluster with some fields set."""

from __future__ import annotations

import importlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.completion.context import Context
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings

from .conftest import IPV6, look

PACKAGE = "ansible_collections.kubeops.kops.plugins.module_utils.completion.components"


def clouds(name: str) -> dict:
    return {"cloudProvider": {name: {}}}


# component, fields of the spec, what is then to be found in the spec
TABLE = [
    ("defaults", {}, {"clusterDNSDomain": "cluster.local"}),
    ("defaults", {"clusterDNSDomain": "own"}, {"clusterDNSDomain": "own"}),
    ("etcd", {"kubernetesVersion": "1.33.9"}, {"etcdClusters.0.version": "3.5.31"}),
    ("etcd", {"kubernetesVersion": "1.34.0-alpha.1"}, {"etcdClusters.1.version": "3.6.12"}),
    ("etcd", {"kubernetesVersion": "1.37.0"}, {"etcdClusters.0.version": "3.7.0"}),
    (
        "kube_dns",
        {"clusterDNSDomain": "cluster.local"},
        {
            "kubeDNS.serverIP": "100.64.0.10",
            "kubeDNS.domain": "cluster.local",
            "kubeDNS.memoryRequest": "70Mi",
            "kubeDNS.nodeLocalDNS.enabled": False,
            "kubeDNS.nodeLocalDNS.localIP": None,
        },
    ),
    ("kube_dns", {"kubeDNS": {"cpuRequest": "0", "cacheMaxSize": 5}}, {"kubeDNS.cpuRequest": "100m"}),
    (
        "kube_dns",
        {**IPV6, "kubeDNS": {"nodeLocalDNS": {"enabled": True}}},
        {
            "kubeDNS.serverIP": "fd00:5e4f:ce::a",
            "kubeDNS.upstreamNameservers": ["fd00:ec2::253"],
            "kubeDNS.nodeLocalDNS.localIP": "fd00:90de:d95::1",
            "kubeDNS.nodeLocalDNS.forwardToKubeDNS": False,
        },
    ),
    (
        "kube_apiserver",
        {"authorization": {"alwaysAllow": {}}, "authentication": {"kopeio": {}}, "metricsServer": {"enabled": True}},
        {
            "kubeAPIServer.authorizationMode": "AlwaysAllow",
            "kubeAPIServer.authenticationTokenWebhookConfigFile": "/etc/kubernetes/authn.config",
            "kubeAPIServer.enableAggregatorRouting": True,
            "kubeAPIServer.apiServerCount": 1,
            "kubeAPIServer.cloudProvider": None,
            "kubeAPIServer.image": "registry.k8s.io/kube-apiserver:v1.34.0",
            "kubeAPIServer.etcdServersOverrides": ["/events#https://127.0.0.1:4002"],
        },
    ),
    ("kube_apiserver", {"kubernetesVersion": "1.32.0"}, {"kubeAPIServer.cloudProvider": "external"}),
    ("kube_apiserver", IPV6, {"kubeAPIServer.bindAddress": "::"}),
    (
        "kube_apiserver",
        {"kubernetesVersion": "https://example.com/ci/v1.36.0-alpha.0.1+abc"},
        {"kubeAPIServer.image": "registry.k8s.io/kube-apiserver-amd64:v1.36.0-alpha.0.1_abc"},
    ),
    (
        "containerd",
        {
            "containerd": {"nvidiaGPU": {"enabled": True}, "gvisor": {"enabled": True}},
            "assets.containerRegistry": "r:5",
        },
        {
            "containerd.version": "2.3.4",
            "containerd.runc.version": "1.4.3",
            "containerd.sandboxImage": "r:5/pause:3.10.1",
            "containerd.nvidiaGPU.package": "nvidia-driver-535-server",
            "containerd.gvisor.platform": "systrap",
        },
    ),
    ("containerd", {"containerd": {"version": "2.1.0"}}, {"containerd.version": "2.1.0", "containerd.runc": None}),
    (
        "kubelet",
        {"kubeDNS.nodeLocalDNS": {"enabled": True, "localIP": "169.254.20.10"}},
        {
            "kubelet.clusterDNS": "169.254.20.10",
            "kubelet.cloudProvider": "external",
            "kubelet.shutdownGracePeriod": "30s",
            "kubelet.registerSchedulable": None,
        },
    ),
    ("kubelet", {"kubernetesVersion": "1.33.1"}, {"controlPlaneKubelet.registerSchedulable": True}),
    ("kubelet", {"networking.amazonVPC": {}}, {"kubelet.shutdownGracePeriod": "0s"}),
    (
        "kubelet",
        {"networking.isolateControlPlane": True},
        {
            "controlPlaneKubelet.enableDebuggingHandlers": False,
            "controlPlaneKubelet.hairpinMode": "none",
            "kubelet.enableDebuggingHandlers": True,
        },
    ),
    (
        "kubelet",
        clouds("gce"),
        {
            "kubelet.hairpinMode": "promiscuous-bridge",
            "cloudProvider.gce.multizone": True,
            "cloudProvider.gce.nodeTags": "minimal-example-com-k8s-io-role-node",
        },
    ),
    (
        "kube_controller_manager",
        {},
        {
            "kubeControllerManager.allocateNodeCIDRs": True,
            "kubeControllerManager.clusterCIDR": "100.96.0.0/11",
            "kubeControllerManager.configureCloudRoutes": False,
            "kubeControllerManager.attachDetachReconcileSyncPeriod": "1m0s",
        },
    ),
    ("kube_controller_manager", {"networking.kubenet": {}}, {"kubeControllerManager.configureCloudRoutes": True}),
    (
        "kube_controller_manager",
        IPV6,
        {
            "kubeControllerManager.allocateNodeCIDRs": False,
            "kubeControllerManager.clusterCIDR": None,
            "kubeControllerManager.controllers": ["*", "-nodeipam"],
        },
    ),
    (
        "kube_controller_manager",
        {**IPV6, "kubeControllerManager.clusterCIDR": "fd00::/120"},
        {"kubeControllerManager.nodeCIDRMaskSize": 124},
    ),
    (
        "kube_controller_manager",
        {"kubeControllerManager.clusterCIDR": "fd00::/64"},
        {"kubeControllerManager.nodeCIDRMaskSize": 80},
    ),
    (
        "kube_controller_manager",
        {**clouds("gce"), "networking.kindnet": {}},
        {"kubeControllerManager.allocateNodeCIDRs": False},
    ),
    ("kube_controller_manager", {"networking.kindnet": {}}, {"kubeControllerManager.allocateNodeCIDRs": True}),
    ("kube_scheduler", {}, {"kubeScheduler.image": "registry.k8s.io/kube-scheduler:v1.34.0"}),
    ("kube_scheduler", {"kubeScheduler": {"image": "own", "logLevel": 4}}, {"kubeScheduler.image": "own"}),
    ("kube_proxy", {"kubeControllerManager.clusterCIDR": "1.0.0.0/8"}, {"kubeProxy.clusterCIDR": "1.0.0.0/8"}),
    (
        "kube_proxy",
        {"kubeControllerManager.clusterCIDR": "1.0.0.0/8", "networking.amazonVPC": {}},
        {"kubeProxy.clusterCIDR": None},
    ),
    ("cloud_configuration", {}, {"cloudConfig.manageStorageClasses": True}),
    (
        "cloud_configuration",
        {"cloudProvider": {"openstack": {"blockStorage": {"createStorageClass": False}}}},
        {"cloudConfig.manageStorageClasses": False},
    ),
    ("calico", {"networking.calico": {}}, {"networking.calico.encapsulationMode": "ipip"}),
    ("calico", {**IPV6, "networking.calico": {}}, {"networking.calico.encapsulationMode": "none"}),
    ("calico", {**clouds("azure"), "networking.calico": {}}, {"networking.calico.vxlanMode": "Always"}),
    ("calico", {}, {"networking.calico": None}),
    (
        "cilium",
        {"networking.cilium": {"hubble": {}, "masquerade": False}},
        {
            "networking.cilium.tunnel": "vxlan",
            "networking.cilium.masquerade": False,
            "networking.cilium.enableBPFMasquerade": False,
            "networking.cilium.hubble.enabled": True,
            "networking.cilium.ingress.enabled": False,
            "networking.cilium.encryptionType": None,
        },
    ),
    (
        "cilium",
        {"networking.cilium": {"ipam": "eni", "enableEncryption": True}},
        {
            "networking.cilium.tunnel": "disabled",
            "networking.cilium.enableBPFMasquerade": True,
            "networking.cilium.encryptionType": "ipsec",
        },
    ),
    ("cilium", {**IPV6, "networking.cilium": {}}, {"networking.cilium.masquerade": False}),
    (
        "kindnet",
        {"networking.kindnet": {}},
        {
            "networking.kindnet.masquerade.enabled": True,
            "networking.kindnet.masquerade.nonMasqueradeCIDRs": ["172.20.0.0/16", "100.96.0.0/11", "100.64.0.0/13"],
        },
    ),
    ("kindnet", {**IPV6, **clouds("gce"), "networking.kindnet": {}}, {"networking.kindnet.nat64": True}),
    ("kindnet", {**IPV6, "networking.kindnet": {}}, {"networking.kindnet.nat64": None}),
    (
        "openstack",
        clouds("openstack"),
        {
            "cloudProvider.openstack.blockStorage.createStorageClass": True,
            "cloudProvider.openstack.metadata.configDrive": False,
            "cloudControllerManager.nodeStatusUpdateFrequency": "1h0m0s",
        },
    ),
    (
        "discovery",
        {},
        {
            "kubeAPIServer.serviceAccountIssuer": "https://api.internal.minimal.example.com",
            "kubeAPIServer.serviceAccountJWKSURI": "https://api.internal.minimal.example.com/openid/v1/jwks",
            "kubeAPIServer.apiAudiences": ["kubernetes.svc.default"],
        },
    ),
    (
        "discovery",
        {"kubeAPIServer.anonymousAuth": True, "api": {"access": ["::/0"], "publicName": "api.example.com"}},
        {"kubeAPIServer.serviceAccountIssuer": "https://api.example.com"},
    ),
    (
        "discovery",
        {"serviceAccountIssuerDiscovery.discoveryService": {"url": "https://discovery.example.com"}},
        {"kubeAPIServer.serviceAccountIssuer": "https://discovery.example.com"},
    ),
    (
        "discovery",
        {"serviceAccountIssuerDiscovery.discoveryStore": "s3://bucket/minimal"},
        {"kubeAPIServer.serviceAccountIssuer": "https://bucket.s3.us-test-1.amazonaws.com/minimal"},
    ),
    (
        "discovery",
        {**IPV6, "serviceAccountIssuerDiscovery.discoveryStore": "s3://far.bucket"},
        {"kubeAPIServer.serviceAccountIssuer": "https://s3.dualstack.cn-north-1.amazonaws.com.cn/far.bucket"},
    ),
    (
        "discovery",
        {"serviceAccountIssuerDiscovery.discoveryStore": "gs://bucket/a/b/"},
        {"kubeAPIServer.serviceAccountIssuer": "https://storage.googleapis.com/bucket/a/b"},
    ),
    (
        "cluster_autoscaler",
        {"clusterAutoscaler": {"enabled": True, "expander": "priority"}},
        {
            "clusterAutoscaler.image": "registry.k8s.io/autoscaling/cluster-autoscaler:v1.34.4",
            "clusterAutoscaler.createPriorityExpanderConfig": True,
            "clusterAutoscaler.newPodScaleUpDelay": "0s",
        },
    ),
    ("cluster_autoscaler", {"clusterAutoscaler": {"enabled": False}}, {"clusterAutoscaler.image": None}),
    (
        "node_termination_handler",
        {},
        {
            "cloudProvider.aws.nodeTerminationHandler.enabled": True,
            "cloudProvider.aws.nodeTerminationHandler.version": "v1.25.5",
        },
    ),
    (
        "node_termination_handler",
        {"cloudProvider.aws.nodeTerminationHandler": {"enabled": False}},
        {"cloudProvider.aws.nodeTerminationHandler": {"enabled": False}},
    ),
    (
        "node_termination_handler",
        {"karpenter": {"enabled": True}},
        {"cloudProvider.aws.nodeTerminationHandler": None},
    ),
    ("node_problem_detector", {"nodeProblemDetector": {}}, {"nodeProblemDetector.enabled": False}),
    ("node_problem_detector", {}, {"nodeProblemDetector": None}),
    ("aws", IPV6, {"cloudProvider.aws.nodeIPFamilies": ["ipv6", "ipv4"]}),
    ("aws", {}, {"cloudProvider.aws.nodeIPFamilies": None}),
    ("aws_ebs_csi_driver", {}, {"cloudProvider.aws.ebsCSIDriver.version": "v1.58.0"}),
    (
        "aws_cloud_controller_manager",
        {},
        {
            "cloudControllerManager.clusterCIDR": "100.96.0.0/11",
            "cloudControllerManager.configureCloudRoutes": False,
            "cloudControllerManager.image": "registry.k8s.io/provider-aws/cloud-controller-manager:v1.36.1",
        },
    ),
    ("aws_cloud_controller_manager", IPV6, {"cloudControllerManager.allocateNodeCIDRs": False}),
    (
        "gcp_cloud_controller_manager",
        {**clouds("gce"), "networking.gcp": {}},
        {
            "cloudControllerManager.clusterName": "minimal-example-com",
            "cloudControllerManager.configureCloudRoutes": False,
            "cloudControllerManager.controllers": ["*"],
        },
    ),
    (
        "gcp_cloud_controller_manager",
        {**clouds("gce"), **IPV6},
        {"cloudControllerManager.controllers": ["*", "-node-ipam-controller", "-node-route-controller"]},
    ),
    ("gcp_pd_csi_driver", clouds("gce"), {"cloudProvider.gce.pdCSIDriver.version": "v1.22.1"}),
    (
        "azure_cloud_controller_manager",
        {**clouds("azure"), "networking.kubenet": {}},
        {"cloudControllerManager.configureCloudRoutes": True, "cloudControllerManager.logLevel": 2},
    ),
    (
        "hetzner_cloud_controller_manager",
        clouds("hetzner"),
        {"cloudControllerManager.cloudProvider": "hcloud", "cloudControllerManager.leaderElection.leaderElect": False},
    ),
    ("linode_cloud_controller_manager", clouds("linode"), {"cloudControllerManager.cloudProvider": "linode"}),
    ("linode_cloud_controller_manager", {}, {"cloudControllerManager": None}),
    ("karpenter", {"karpenter": {"enabled": True}}, {"karpenter.logLevel": "debug", "karpenter.logFormat": "console"}),
]


def run(component, cluster, **settings):
    """The spec, plain, after the component has had the cluster; etcd goes before, as others look at its version."""
    context = Context.of(cluster, "us-test-1", Settings(bucket_regions={"far.bucket": "cn-north-1"}, **settings))
    for name in ("etcd", component):
        importlib.import_module(f"{PACKAGE}.{name}").complete(cluster, context)
    return codec.to_plain(cluster)["spec"]


@pytest.mark.parametrize(("component", "fields", "expected"), TABLE)
def test_component(cluster_with, component, fields, expected):
    spec = run(component, cluster_with(fields))
    assert {path: look(spec, path) for path in expected} == expected


@pytest.mark.parametrize(
    ("component", "fields", "path"),
    [
        ("etcd_manager", {"etcdClusters": [{"name": "main", "version": "3.4.0"}]}, "spec.etcdClusters[0].version"),
        ("etcd_manager", {"etcdClusters": [{"name": "main", "version": "latest"}]}, "spec.etcdClusters[0].version"),
        ("kube_apiserver", {"etcdClusters": None}, "spec.etcdClusters"),
        ("networking", {"networking.classic": {}}, "spec.networking.classic"),
        ("kube_dns", {"networking.serviceClusterIPRange": "many"}, "spec.networking.serviceClusterIPRange"),
        (
            "kube_controller_manager",
            {"kubeControllerManager.attachDetachReconcileSyncPeriod": "10ms"},
            "spec.kubeControllerManager.attachDetachReconcileSyncPeriod",
        ),
        (
            "discovery",
            {"serviceAccountIssuerDiscovery.discoveryStore": "file:///tmp"},
            "spec.serviceAccountIssuerDiscovery.discoveryStore",
        ),
        (
            "discovery",
            {"serviceAccountIssuerDiscovery.discoveryService": {}},
            "spec.serviceAccountIssuerDiscovery.discoveryService.url",
        ),
    ],
)
def test_component_refuses(cluster_with, component, fields, path):
    with pytest.raises(ValidationError) as raised:
        run(component, cluster_with(fields))
    assert [error.path for error in raised.value.errors] == [path]


@pytest.mark.parametrize(
    ("kubernetes", "expected"), [("1.31.9", None), ("1.32.0", "true"), ("1.35.9", "true"), ("1.36.0", None)]
)
def test_etcd_manager_switches_image_volumes_on_where_they_are_not_by_default(cluster_with, kubernetes, expected):
    spec = run("etcd_manager", cluster_with({"kubernetesVersion": kubernetes}))
    assert look(spec, "controlPlaneKubelet.featureGates.ImageVolume") == expected
    assert spec["etcdClusters"][1]["backups"] == {
        "backupStore": "memfs://tests/minimal.example.com/backups/etcd/events"
    }


def test_etcd_manager_takes_any_version_with_an_image_of_its_own(cluster_with):
    etcd = [{"name": "main", "version": "3.4.0", "image": "own"}]
    assert run("etcd_manager", cluster_with({"etcdClusters": etcd}))["etcdClusters"][0]["version"] == "3.4.0"


def test_events_over_http_by_feature_flag(cluster_with):
    spec = run("kube_apiserver", cluster_with(), feature_flags=frozenset({"EtcdEventsHTTP"}))
    assert spec["kubeAPIServer"]["etcdServersOverrides"] == ["/events#http://127.0.0.1:4002"]


def test_workers_follow_the_running_control_plane(cluster_with):
    spec = run("kubelet", cluster_with(), running_kubernetes_version="1.33.4")
    assert look(spec, "kubelet.registerSchedulable") is True
    assert look(spec, "controlPlaneKubelet.registerSchedulable") is None


def test_metal_waits_for_no_cloud(cluster_with):
    cluster = cluster_with({"cloudProvider": {}})
    cluster.metadata.labels["alpha.kops.k8s.io/cloud"] = "metal"
    assert look(run("kubelet", cluster), "kubelet.cloudProvider") is None


@pytest.mark.parametrize("given", [None, "external"])
def test_vsphere_waits_only_for_a_controller_that_its_user_has_installed(cluster_with, given):
    kubelet = {"kubelet": {"cloudProvider": given}} if given else {}
    cluster = cluster_with({"cloudProvider": {"vsphere": {}}, **kubelet})
    assert look(run("kubelet", cluster), "kubelet.cloudProvider") == given
