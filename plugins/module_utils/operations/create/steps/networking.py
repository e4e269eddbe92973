# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pod network of a new cluster."""

from __future__ import annotations

from typing import Any, Callable

from ....api.components import KubeProxyConfig
from ....api.networking import (
    AmazonVPCNetworkingSpec,
    CalicoNetworkingSpec,
    CiliumNetworkingSpec,
    CNINetworkingSpec,
    ExternalNetworkingSpec,
    FlannelNetworkingSpec,
    GCPNetworkingSpec,
    KindnetNetworkingSpec,
    KopeioNetworkingSpec,
    KubenetNetworkingSpec,
    KuberouterNetworkingSpec,
)
from ..draft import Draft

# Choice -> attribute of spec.networking, and what is written there.
_MODES: dict[str, tuple[str, Callable[[], Any]]] = {
    "amazonvpc": ("amazon_vpc", AmazonVPCNetworkingSpec),
    "amazon-vpc-routed-eni": ("amazon_vpc", AmazonVPCNetworkingSpec),
    "calico": ("calico", CalicoNetworkingSpec),
    "cilium": ("cilium", lambda: CiliumNetworkingSpec(enable_node_port=True)),
    "cilium-eni": ("cilium", lambda: CiliumNetworkingSpec(enable_node_port=True, ipam="eni")),
    "cilium-etcd": ("cilium", lambda: CiliumNetworkingSpec(enable_node_port=True, etcd_managed=True)),
    "cni": ("cni", CNINetworkingSpec),
    "external": ("external", ExternalNetworkingSpec),
    "flannel": ("flannel", lambda: FlannelNetworkingSpec(backend="vxlan")),
    "flannel-udp": ("flannel", lambda: FlannelNetworkingSpec(backend="udp")),
    "flannel-vxlan": ("flannel", lambda: FlannelNetworkingSpec(backend="vxlan")),
    "gce": ("gcp", GCPNetworkingSpec),
    "gcp": ("gcp", GCPNetworkingSpec),
    "kindnet": ("kindnet", KindnetNetworkingSpec),
    "kopeio": ("kopeio", KopeioNetworkingSpec),
    "kopeio-vxlan": ("kopeio", KopeioNetworkingSpec),
    "kube-router": ("kube_router", KuberouterNetworkingSpec),
    "kubenet": ("kubenet", KubenetNetworkingSpec),
}
_REPLACES_KUBE_PROXY = ("cilium", "cilium-eni", "cilium-etcd", "kube-router")


def add_networking(draft: Draft) -> None:
    """Write the chosen pod network, and turn kube-proxy off where the network does its work."""
    spec, mode = draft.cluster.spec, draft.options.networking
    attribute, build = _MODES[mode]
    setattr(spec.networking, attribute, build())
    if mode in _REPLACES_KUBE_PROXY:
        spec.kube_proxy = spec.kube_proxy or KubeProxyConfig()
        spec.kube_proxy.enabled = False


def apply_calico_bpf_rule(draft: Draft) -> None:
    """Turn kube-proxy off when Calico's eBPF dataplane is on: both would bind the same health port."""
    spec = draft.cluster.spec
    if spec.networking.calico and spec.networking.calico.bpf_enabled:
        spec.kube_proxy = spec.kube_proxy or KubeProxyConfig()
        if spec.kube_proxy.enabled is None:
            spec.kube_proxy.enabled = False
