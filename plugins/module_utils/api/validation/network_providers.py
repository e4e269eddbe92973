# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network provider (CNI): exactly one, supported, and fit for the cloud and the IP family."""

from __future__ import annotations

from ..addresses import parse_cidr
from ..clouds import AWS, GCE, cloud_of
from ..cluster import Cluster
from ..questions import is_ipv6_only, kube_proxy_enabled
from .calico import validate_calico
from .cilium import validate_cilium
from .problems import Problems, forbidden, invalid, one_of, required

# Attribute -> manifest key, of every provider of which only one may be given.
PROVIDERS = {
    "amazon_vpc": "amazonVPC",
    "calico": "calico",
    "cilium": "cilium",
    "classic": "classic",
    "cni": "cni",
    "external": "external",
    "flannel": "flannel",
    "gcp": "gcp",
    "kindnet": "kindnet",
    "kopeio": "kopeio",
    "kube_router": "kubeRouter",
    "kubenet": "kubenet",
    "lyftvpc": "lyftvpc",
    "romana": "romana",
    "weave": "weave",
}
SUPPORTED = ("amazonVPC", "calico", "cilium", "cni", "flannel", "gcp", "kindnet", "kopeio", "kubenet", "kubeRouter")
# Attribute -> where the error stands under spec.networking.
REMOVED = {"canal": "canal", "external": "external", "lyftvpc": "lyftvpc", "romana": "romana", "weave": "weave"}
WITHOUT_IPV6 = {
    "amazon_vpc": "amazonVPC",
    "flannel": "flannel",
    "gcp": "gcp",
    "kopeio": "kopeio",
    "kube_router": "kubeRouter",
    "kubenet": "kubenet",
}
CLOUD_OF_PROVIDER = {"amazon_vpc": ("amazonVPC", AWS), "gcp": ("gcp", GCE)}


def validate_network_providers(cluster: Cluster, path: str) -> Problems:
    """Everything about the choice and the settings of the network provider."""
    networking = cluster.spec.networking
    given = {attribute for attribute in (*PROVIDERS, "canal") if getattr(networking, attribute) is not None}
    found: Problems = []
    if "classic" in given:
        found.append(invalid(path, "classic", f"is no longer supported; choose one of {', '.join(SUPPORTED)}"))
    found += [
        forbidden(f"{path}.{key}", f"is no longer supported; choose one of {', '.join(SUPPORTED)}")
        for attribute, key in REMOVED.items()
        if attribute in given
    ]
    if is_ipv6_only(cluster):
        found += [
            forbidden(f"{path}.{key}", "cannot do IPv6; calico, cilium and cni can")
            for attribute, key in WITHOUT_IPV6.items()
            if attribute in given
        ]
    found += [
        forbidden(f"{path}.{key}", f"is available on {cloud.title} only")
        for attribute, (key, cloud) in CLOUD_OF_PROVIDER.items()
        if attribute in given and cloud_of(cluster) is not cloud
    ]
    if networking.flannel is not None:
        at = f"{path}.flannel.backend"
        backend = networking.flannel.backend
        found += one_of(at, backend, ("udp", "vxlan")) if backend else [required(at, "must be udp or vxlan")]
    if networking.calico is not None:
        found += validate_calico(cluster, networking.calico, f"{path}.calico")
    if networking.cilium is not None:
        found += validate_cilium(cluster, networking.cilium, f"{path}.cilium")
    if networking.kindnet is not None:
        found += _validate_kindnet(cluster, f"{path}.kindnet")
    if "kube_router" in given and kube_proxy_enabled(cluster):
        found.append(
            forbidden("spec.spec.kubeProxy.enabled", "kube-router replaces kube-proxy: set kubeProxy.enabled: false")
        )
    several = sorted(key for attribute, key in PROVIDERS.items() if attribute in given)
    if len(several) > 1:
        found += [
            forbidden(f"{path}.{key}", f"only one network provider may be given, found {', '.join(several)}")
            for key in several
        ]
    return found


def _validate_kindnet(cluster: Cluster, path: str) -> Problems:
    kindnet = cluster.spec.networking.kindnet
    masquerade = kindnet.masquerade if kindnet else None
    if masquerade is None or not masquerade.enabled:
        return []
    return [
        invalid(path, cidr, "masquerade.nonMasqueradeCIDRs must hold CIDRs, for example 10.0.0.0/8")
        for cidr in masquerade.non_masquerade_cidrs
        if cidr and parse_cidr(cidr) is None
    ]
