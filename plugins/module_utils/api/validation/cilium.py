# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.networking.cilium."""

from __future__ import annotations

from ..clouds import AWS, cloud_of
from ..cluster import Cluster
from ..networking import CiliumNetworkingSpec
from ..questions import cert_manager_enabled, is_ipv6_only, kube_proxy_enabled
from .problems import Problems, forbidden, invalid, one_of, required
from .semver import full_version

SUPPORTED_MINOR = 18
# Attribute -> (manifest key, allowed values); checked where set. IPAM through Azure is not offered.
CHOICES = {
    "enable_policy": ("enablePolicy", ("default", "always", "never")),
    "tunnel": ("tunnel", ("vxlan", "geneve", "disabled")),
    "monitor_aggregation": ("monitorAggregation", ("low", "medium", "maximum")),
    "identity_allocation_mode": ("identityAllocationMode", ("crd", "kvstore")),
    "bpf_lb_algorithm": ("bpfLBAlgorithm", ("random", "maglev")),
    "encryption_type": ("encryptionType", ("ipsec", "wireguard")),
    "ipam": ("ipam", ("hostscope", "kubernetes", "crd", "eni")),
}


def validate_cilium(cluster: Cluster, cilium: CiliumNetworkingSpec, path: str) -> Problems:
    """Cilium's settings, alone and with the cloud, the IP family, kube-proxy, etcd and cert-manager."""
    found = _validate_version(cluster, cilium, path)
    for attribute, (key, allowed) in CHOICES.items():
        found += one_of(f"{path}.{key}", getattr(cilium, attribute) or None, allowed)
    if cilium.enable_node_port and kube_proxy_enabled(cluster):
        found.append(
            forbidden("spec.spec.kubeProxy.enabled", "cilium with enableNodePort replaces kube-proxy: set it to false")
        )
    if cilium.identity_allocation_mode == "kvstore" and not cilium.etcd_managed:
        found.append(forbidden(f"{path}.identityAllocationMode", "kvstore needs etcdManaged: true"))
    if cilium.bpf_lb_sock_host_ns_only and not cilium.bpf_lb_sock:
        found.append(forbidden(f"{path}.bpfLBSockHostNSOnly", "needs bpfLBSock: true"))
    if cilium.enable_encryption and is_ipv6_only(cluster):
        found.append(forbidden(f"{path}.enableEncryption", "encryption is not available in IPv6 clusters"))
    if cilium.encryption_type and not cilium.enable_encryption:
        found.append(forbidden(f"{path}.encryptionType", "needs enableEncryption: true"))
    if cilium.enable_l7_proxy and cilium.install_iptables_rules is False:
        found.append(forbidden(f"{path}.enableL7Proxy", "needs installIptablesRules"))
    if cilium.ipam == "eni":
        if cloud_of(cluster) is not AWS:
            found.append(forbidden(f"{path}.ipam", "eni is available on AWS only"))
        if is_ipv6_only(cluster):
            found.append(forbidden(f"{path}.ipam", "eni cannot do IPv6"))
    if cilium.etcd_managed and not any(etcd.name == "cilium" for etcd in cluster.spec.etcd_clusters):
        found.append(required("spec.etcdClusters", "cilium with etcdManaged needs an etcd cluster named cilium"))
    if cilium.ingress and cilium.ingress.enabled:
        mode = cilium.ingress.default_load_balancer_mode or None
        found += one_of(f"{path}.ingress.defaultLoadBalancerMode", mode, ("shared", "dedicated"))
    return found


def _validate_version(cluster: Cluster, cilium: CiliumNetworkingSpec, path: str) -> Problems:
    version, at = cilium.version, f"{path}.version"
    if not version:
        return []
    example = f"for example v1.{SUPPORTED_MINOR}.0"
    if not version.startswith("v"):
        return [invalid(at, version, f"must begin with v, {example}")]
    parsed = full_version(version[1:])
    found: Problems = []
    if parsed is None:
        found.append(invalid(at, version, f"must be a full version, {example}"))
    if parsed is None or parsed.minor != SUPPORTED_MINOR:
        found.append(invalid(at, version, f"only 1.{SUPPORTED_MINOR} is supported"))
    if cilium.hubble and cilium.hubble.enabled and not cert_manager_enabled(cluster):
        found.append(forbidden(f"{path}.hubble.enabled", "hubble needs spec.certManager.enabled: true"))
    return found
