# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Cluster by itself: all areas together."""

from __future__ import annotations

from collections.abc import Collection

from ..clouds import AWS, cloud_of
from ..cluster import Cluster
from ..versions import Version
from .access import validate_access
from .addons import validate_addons
from .aws import validate_aws
from .cloud_labels import validate_cloud_labels
from .cloud_provider import validate_cloud_provider
from .components import (
    validate_cloud_provider_flags,
    validate_control_plane_flags,
    validate_controller_manager_ranges,
    validate_kube_proxy,
    validate_presence,
)
from .containerd import validate_containerd, validate_runtime
from .egress_proxy import validate_egress_proxy
from .etcd import validate_etcd_clusters
from .iam import validate_iam
from .instance_group.alone import UPDATE_POLICIES
from .kube_apiserver import validate_kube_apiserver
from .kube_dns import validate_kube_dns
from .kubelet import validate_kubelet
from .load_balancer import validate_load_balancer
from .names import validate_cluster_metadata, validate_cluster_name, validate_host_names
from .networking import validate_networking
from .node_files import validate_assets, validate_file_assets, validate_hooks, validate_packages, validate_sysctls
from .problems import Problems, besides, forbidden, invalid, one_of, required
from .rolling_update import validate_rolling_update
from .semver import any_version
from .stores import validate_azure_accounts, validate_config_store, validate_discovery
from .well_formed import validate_well_formed

# Attribute -> (manifest key, what to do). What kops once had.
REMOVED = {
    "gossip_config": ("gossipConfig", "gossip DNS is gone; remove it"),
    "dns_controller_gossip_config": ("dnsControllerGossipConfig", "gossip DNS is gone; remove it"),
    "node_authorization": ("nodeAuthorization", "nodes are always authorized now; remove it"),
}


def validate_cluster_alone(cluster: Cluster, strict: bool, feature_flags: Collection[str]) -> Problems:
    """Everything that can be said without the cloud and without the instance groups. strict: the spec is complete."""
    spec = cluster.spec
    # Without a version the rest cannot be judged.
    if not spec.kubernetes_version:
        return [required("spec.kubernetesVersion", "the version of Kubernetes is needed, for example 1.34.0")]
    version = any_version(spec.kubernetes_version)
    if version is None:
        return [invalid("spec.kubernetesVersion", spec.kubernetes_version, "must be a version, for example 1.34.0")]
    found = validate_cluster_metadata(cluster.metadata) + validate_cluster_name(cluster)
    found += besides(found, validate_host_names(cluster))
    found += validate_cloud_provider(cluster)
    found += [
        forbidden(f"spec.{key}", advice)
        for attribute, (key, advice) in REMOVED.items()
        if getattr(spec, attribute) is not None
    ]
    found += validate_access(cluster)
    found += one_of("spec.updatePolicy", spec.update_policy, UPDATE_POLICIES)
    # kops looks at these only when a cluster changes, but the tags are wrong from the start.
    found += validate_cloud_labels(spec.cloud_labels, "spec.cloudLabels")
    found += validate_networking(cluster, strict)
    if spec.api.load_balancer is not None:
        found += validate_load_balancer(cluster, spec.api.load_balancer, strict)
    found += _validate_nodes(cluster)
    found += _validate_components(cluster, version, strict, feature_flags)
    found += validate_etcd_clusters(spec.etcd_clusters)
    found += validate_iam(cluster)
    found += validate_addons(cluster)
    found += _validate_storage(cluster)
    if spec.cloud_provider.aws is not None and cloud_of(cluster) is AWS:
        found += besides(found, validate_aws(cluster, spec.cloud_provider.aws))
    return found + besides(found, validate_well_formed(spec))


def _validate_nodes(cluster: Cluster) -> Problems:
    """What holds for every node."""
    spec = cluster.spec
    found = validate_hooks(spec.hooks, "spec.hooks")
    found += validate_file_assets(spec.file_assets, "spec.fileAssets")
    found += validate_sysctls(spec.sysctl_parameters, "spec.sysctlParameters")
    found += validate_packages(spec.packages, "spec.packages")
    found += validate_runtime(cluster)
    if spec.containerd is not None:
        found += validate_containerd(cluster, spec.containerd, "spec.containerd", in_group=False)
    if spec.networking.egress_proxy is not None:
        found += validate_egress_proxy(spec.networking.egress_proxy)
    if spec.assets is not None:
        found += validate_assets(spec.assets, cloud_of(cluster))
    if spec.rolling_update is not None:
        found += validate_rolling_update(spec.rolling_update, "spec.rollingUpdate")
    return found


def _validate_components(cluster: Cluster, version: Version, strict: bool, feature_flags: Collection[str]) -> Problems:
    spec = cluster.spec
    found = validate_presence(cluster) if strict else []
    found += validate_cloud_provider_flags(cluster, version, strict)
    found += validate_controller_manager_ranges(cluster)
    found += validate_control_plane_flags(cluster)
    if spec.kube_api_server is not None:
        found += validate_kube_apiserver(cluster, spec.kube_api_server, strict, "spec.kubeAPIServer")
    if spec.kube_proxy is not None:
        found += validate_kube_proxy(spec.kube_proxy, "spec.kubeProxy")
    if spec.kubelet is not None:
        found += validate_kubelet(spec.kubelet, "spec.kubelet")
    if spec.control_plane_kubelet is not None:
        found += validate_kubelet(spec.control_plane_kubelet, "spec.controlPlaneKubelet")
    if spec.kube_dns is not None:
        found += validate_kube_dns(cluster, spec.kube_dns, feature_flags)
    return found


def _validate_storage(cluster: Cluster) -> Problems:
    spec = cluster.spec
    found = validate_config_store(cluster) + validate_azure_accounts(cluster)
    if spec.service_account_issuer_discovery is not None:
        found += validate_discovery(spec.service_account_issuer_discovery)
    classes = spec.cloud_config.manage_storage_classes if spec.cloud_config else None
    openstack = spec.cloud_provider.openstack
    block = openstack.block_storage if openstack else None
    own = block.create_storage_class if block else None
    if classes is not None and own is not None and classes != own:
        found.append(
            forbidden(
                "spec.cloudConfig.manageStorageClasses",
                f"contradicts spec.cloudProvider.openstack.blockStorage.createStorageClass, which is {own}",
            )
        )
    return found
