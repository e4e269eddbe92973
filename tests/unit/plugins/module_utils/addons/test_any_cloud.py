# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the addons for any cloud that no case of kops shows."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import Addon, make_addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.any_cloud import (
    metrics_server,
    node_problem_detector,
    snapshot_controller,
)
from ansible_collections.kubeops.kops.plugins.module_utils.addons.any_cloud.cert_manager import addon as cert_manager
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.definition import AddonDefinition
from ansible_collections.kubeops.kops.plugins.module_utils.api import paths
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.components import CertManagerConfig


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
