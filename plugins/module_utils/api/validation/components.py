# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller manager, scheduler and kube-proxy, and what all components have in common."""

from __future__ import annotations

from ..addresses import belongs_to, parse_cidr
from ..clouds import cloud_of
from ..cluster import Cluster
from ..components import KubeProxyConfig
from ..versions import Version
from .problems import Problems, forbidden, invalid, one_of, required
from .urls import parse_url

PROXY_MODES = ("iptables", "ipvs", "nftables")
# What completion always fills in. Attribute -> manifest key.
COMPONENTS = {
    "kubelet": "kubelet",
    "control_plane_kubelet": "controlPlaneKubelet",
    "kube_controller_manager": "kubeControllerManager",
    "kube_dns": "kubeDNS",
    "kube_scheduler": "kubeScheduler",
    "kube_api_server": "kubeAPIServer",
    "kube_proxy": "kubeProxy",
}
# Cloud -> the value of Kubernetes' flag --cloud-provider, where it is not "external".
# From here on the API server has no flag --cloud-provider.
_API_SERVER_WITHOUT_PROVIDER = Version.parse("1.33.0-alpha.3")


def validate_presence(cluster: Cluster) -> Problems:
    """A completed cluster has the settings of every component."""
    return [
        required(f"spec.{key}", "is missing; the cluster is not complete")
        for attribute, key in COMPONENTS.items()
        if getattr(cluster.spec, attribute) is None
    ]


def validate_cloud_provider_flags(cluster: Cluster, version: Version, strict: bool) -> Problems:
    """Components name the cluster's own cloud, or none (external)."""
    cloud = cloud_of(cluster)
    if not cloud.attribute:
        return []
    expected = cloud.in_tree_provider or "external"
    attributes = ["kubelet", "control_plane_kubelet", "kube_controller_manager"]
    if version < _API_SERVER_WITHOUT_PROVIDER:
        attributes.append("kube_api_server")
    found: Problems = []
    for attribute in attributes:
        component = getattr(cluster.spec, attribute)
        if component is None:
            continue
        given = component.cloud_provider or ""
        if (given or (strict and cloud.has_cloud_controller)) and given not in ("external", expected):
            choices = " or ".join(dict.fromkeys(("external", expected)))
            found.append(
                forbidden(f"spec.{COMPONENTS[attribute]}.cloudProvider", f"must be {choices} on {cloud.title}")
            )
    return found


def validate_controller_manager_ranges(cluster: Cluster) -> Problems:
    """The controller manager's clusterCIDR lies in the range that is not masqueraded."""
    manager = cluster.spec.kube_controller_manager
    cidr = manager.cluster_cidr if manager else None
    if not cidr:
        return []
    path = "spec.kubeControllerManager.clusterCIDR"
    network = parse_cidr(cidr)
    if network is None:
        return [invalid(path, cidr, "is not a CIDR; write address/prefix, for example 100.96.0.0/11")]
    outside = parse_cidr(cluster.spec.networking.non_masquerade_cidr or "")
    if outside is not None and not belongs_to(outside, network):
        return [forbidden(path, f"{cidr} is not inside nonMasqueradeCIDR {outside}")]
    return []


def validate_control_plane_flags(cluster: Cluster) -> Problems:
    """Flags that controller manager and scheduler no longer have."""
    found: Problems = []
    manager, scheduler = cluster.spec.kube_controller_manager, cluster.spec.kube_scheduler
    if manager is not None and manager.experimental_cluster_signing_duration is not None:
        found.append(
            forbidden(
                "spec.kubeControllerManager.experimentalClusterSigningDuration", "is now named clusterSigningDuration"
            )
        )
    if scheduler is not None and scheduler.use_policy_config_map is not None:
        found.append(
            forbidden(
                "spec.kubeScheduler.usePolicyConfigMap",
                "policies are gone from Kubernetes; add a KubeSchedulerConfiguration object instead",
            )
        )
    return found


def validate_kube_proxy(proxy: KubeProxyConfig, path: str) -> Problems:
    """Mode, ranges and the API server's URL. An unknown mode passes in kops; kube-proxy would not start with it."""
    found = one_of(f"{path}.proxyMode", proxy.proxy_mode or None, PROXY_MODES)
    found += [
        invalid(f"{path}.ipvsExcludeCIDRs[{index}]", cidr, "is not a CIDR; write address/prefix")
        for index, cidr in enumerate(proxy.ipvs_exclude_cidrs)
        if parse_cidr(cidr) is None
    ]
    if proxy.master:
        url = parse_url(proxy.master)
        if url is None or not url.scheme or not url.netloc:
            found.append(invalid(f"{path}.master", proxy.master, "must be a URL such as https://api.example.com"))
    return found
