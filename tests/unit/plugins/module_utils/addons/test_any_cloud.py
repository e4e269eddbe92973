# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the addons for any cloud that no case of kops shows."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import Addon, make_addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.any_cloud import (
    kopeio_authentication,
    metrics_server,
    node_problem_detector,
    snapshot_controller,
)
from ansible_collections.kubeops.kops.plugins.module_utils.addons.any_cloud.cert_manager import addon as cert_manager
from ansible_collections.kubeops.kops.plugins.module_utils.addons.any_cloud.nvidia import addon as nvidia
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.definition import AddonDefinition
from ansible_collections.kubeops.kops.plugins.module_utils.addons.dns import external_dns, kube_dns
from ansible_collections.kubeops.kops.plugins.module_utils.api import paths
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.components import CertManagerConfig
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError


def made(definition: AddonDefinition, cluster: Cluster, **more: Any) -> Addon:
    addon = make_addon(definition, AddonContext(cluster, [], **more))
    assert addon is not None
    return addon


def found(addon: Addon, kind: str, name: str = "") -> dict[str, Any]:
    return next(obj for obj in addon.objects if obj["kind"] == kind and name in ("", obj["metadata"]["name"]))


def kinds(addon: Addon) -> set[str]:
    return {obj["kind"] for obj in addon.objects}


def pod(addon: Addon, name: str, kind: str = "Deployment") -> dict[str, Any]:
    return found(addon, kind, name)["spec"]["template"]["spec"]


def test_snapshots_have_a_default_class_if_it_is_wanted(cluster: Cluster) -> None:
    paths.set_path(cluster, "spec.snapshotController.enabled", "true")
    assert "VolumeSnapshotClass" not in kinds(made(snapshot_controller.ADDON, cluster))
    paths.set_path(cluster, "spec.snapshotController.installDefaultClass", "true")
    default = found(made(snapshot_controller.ADDON, cluster), "VolumeSnapshotClass")
    assert default["metadata"]["annotations"] == {"snapshot.storage.kubernetes.io/is-default-class": "true"}
    assert default["driver"] == "ebs.csi.aws.com"


def test_cert_manager_is_as_the_specification_says(cluster: Cluster) -> None:
    cluster.spec.cert_manager = CertManagerConfig(
        default_issuer="letsencrypt",
        nameservers=["1.1.1.1", "8.8.8.8"],
        feature_gates={"StableCertificateRequestName": True, "AdditionalCertificateOutputFormats": False},
    )
    found_pod = pod(made(cert_manager.ADDON, cluster), "cert-manager")
    assert found_pod["dnsPolicy"] == "None"
    assert found_pod["dnsConfig"] == {"nameservers": ["1.1.1.1", "8.8.8.8"]}
    assert found_pod["containers"][0]["args"][-5:] == [
        "--default-issuer-name=letsencrypt",
        "--default-issuer-kind=ClusterIssuer",
        "--default-issuer-group=cert-manager.io",
        "--feature-gates=AdditionalCertificateOutputFormats=false",
        "--feature-gates=StableCertificateRequestName=true",
    ]


def test_definitions_of_kinds_are_upstreams(cluster: Cluster) -> None:
    context = AddonContext(cluster, [])
    assert cert_manager.ADDON.upstream(context) == [
        "https://github.com/cert-manager/cert-manager/releases/download/v1.19.5/cert-manager.crds.yaml"
    ]
    crds = "https://raw.githubusercontent.com/kubernetes-csi/external-snapshotter/v6.0.1/client/config/crd"
    assert snapshot_controller.ADDON.upstream(context) == [
        f"{crds}/snapshot.storage.k8s.io_volumesnapshotclasses.yaml",
        f"{crds}/snapshot.storage.k8s.io_volumesnapshotcontents.yaml",
        f"{crds}/snapshot.storage.k8s.io_volumesnapshots.yaml",
    ]


def test_metrics_server_finds_nodes_of_bare_metal_by_their_addresses(cluster: Cluster) -> None:
    paths.set_path(cluster, "spec.metricsServer.enabled", "true")
    addon = made(metrics_server.ADDON, cluster)
    assert "--kubelet-preferred-address-types=InternalIP" in pod(addon, "metrics-server")["containers"][0]["args"]
    assert addon.needs_pki, "as in kops, where the mode is not given"


def test_the_cpu_of_node_problem_detector_may_be_limited(cluster: Cluster) -> None:
    for path, value in {"enabled": "true", "memoryLimit": "100Mi", "cpuLimit": "50m"}.items():
        paths.set_path(cluster, f"spec.nodeProblemDetector.{path}", value)
    addon = made(node_problem_detector.ADDON, cluster)
    limits = pod(addon, "node-problem-detector", "DaemonSet")["containers"][0]["resources"]["limits"]
    assert limits == {"memory": "100Mi", "cpu": "50m"}


def test_metrics_of_gpus_are_exported_if_wanted(cluster: Cluster) -> None:
    paths.set_path(cluster, "spec.containerd.nvidiaGPU.enabled", "true")
    paths.set_path(cluster, "spec.containerd.selinuxEnabled", "true")
    assert kinds(made(nvidia.ADDON, cluster)) == {"DaemonSet", "RuntimeClass"}
    paths.set_path(cluster, "spec.containerd.nvidiaGPU.dcgmExporter.enabled", "true")
    addon = made(nvidia.ADDON, cluster)
    for name in ("nvidia-device-plugin-daemonset", "dcgm-exporter"):
        security = pod(addon, name, "DaemonSet")["containers"][0]["securityContext"]
        assert security["seLinuxOptions"] == {"type": "spc_t", "level": "s0"}
    metrics = found(addon, "ConfigMap")["data"]["metrics"]
    # Of the text in kops' template.
    assert (
        hashlib.sha256(metrics.encode()).hexdigest()
        == "a3b9b40aab2716b169854b9698ae07d69eaf8207ee79655d7231c89b41eb8d92"
    )


def test_authentication_by_kopeio_has_two_groups_of_the_api(cluster: Cluster) -> None:
    addon = made(kopeio_authentication.ADDON, cluster)
    served = [obj["metadata"]["name"] for obj in addon.objects if obj["kind"] == "APIService"]
    assert served == ["v1alpha1.auth.kope.io", "v1alpha1.config.auth.kope.io"]
    assert addon.selector == {"role.kubernetes.io/authentication": "1"}


def test_kube_dns_asks_the_given_servers(cluster: Cluster) -> None:
    assert "ConfigMap" not in kinds(made(kube_dns.ADDON, cluster))
    cluster.spec.kube_dns.upstream_nameservers = ["1.1.1.1", "8.8.8.8"]
    cluster.spec.kube_dns.stub_domains = {"b.example": ["10.0.0.2"], "a.example": ["10.0.0.1"]}
    assert found(made(kube_dns.ADDON, cluster), "ConfigMap")["data"] == {
        "upstreamNameservers": '["1.1.1.1","8.8.8.8"]\n',
        "stubDomains": '{"a.example":["10.0.0.1"],"b.example":["10.0.0.2"]}\n',
    }


@pytest.mark.parametrize(
    ("cloud", "provider"),
    [
        ("gce.project", ["--provider=google", "--google-project=example"]),
        ("openstack.blockStorage.csiPluginImage", ["--provider=designate"]),
    ],
)
def test_external_dns_knows_the_zones_of_its_cloud(cluster: Cluster, cloud: str, provider: list[str]) -> None:
    cluster.metadata.labels.clear()
    paths.set_path(cluster, f"spec.cloudProvider.{cloud}", "example")
    paths.set_path(cluster, "spec.externalDNS.watchNamespace", "kube-system")
    paths.set_path(cluster, "spec.externalDNS.watchIngress", "false")
    arguments = pod(made(external_dns.ADDON, cluster), "external-dns")["containers"][0]["args"]
    assert arguments[: len(provider)] == provider
    assert "--source=ingress" not in arguments
    assert arguments[-1] == "--namespace=kube-system"


def test_a_cloud_without_zones_has_no_external_dns(cluster: Cluster) -> None:
    with pytest.raises(KopsError, match=r"^spec\.externalDNS\.provider: external-dns publishes no records"):
        made(external_dns.ADDON, cluster)
