# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: networking as v1alpha3 spells them, where they differ from the hub."""

from __future__ import annotations

from dataclasses import dataclass

from ..fields import field
from ..networking import (
    AmazonVPCNetworkingSpec,
    CanalNetworkingSpec,
    CiliumNetworkingSpec,
    ClusterSubnetSpec,
    CNINetworkingSpec,
    EgressProxySpec,
    ExternalNetworkingSpec,
    FlannelNetworkingSpec,
    GCPNetworkingSpec,
    KindnetNetworkingSpec,
    KopeioNetworkingSpec,
    KubenetNetworkingSpec,
    KuberouterNetworkingSpec,
    WeaveNetworkingSpec,
)
from ..scalars import Quantity
from ..topology import TopologySpec


@dataclass
class CalicoNetworkingSpec:
    """``Cluster.spec.networking.calico``."""

    registry: str | None = field(plain=True)
    version: str | None = field(plain=True)
    allow_ip_forwarding: bool | None = field(key="allowIPForwarding", plain=True)
    aws_src_dst_check: str | None = field(plain=True)
    bpf_enabled: bool | None = field(plain=True)
    bpf_external_service_mode: str | None = field(plain=True)
    bpf_kube_proxy_iptables_cleanup_enabled: bool | None = field(plain=True)
    bpf_log_level: str | None = field(plain=True)
    chain_insert_mode: str | None = field(plain=True)
    cpu_request: Quantity | None = None
    encapsulation_mode: str | None = field(plain=True)
    ipip_mode: str | None = field(plain=True)
    ipv4_auto_detection_method: str | None = field(plain=True)
    ipv6_auto_detection_method: str | None = field(plain=True)
    iptables_backend: str | None = field(plain=True)
    log_severity_screen: str | None = field(plain=True)
    mtu: int | None = None
    nftables_mode: str | None = field(plain=True)
    prometheus_metrics_enabled: bool | None = field(plain=True)
    prometheus_metrics_port: int | None = field(plain=True)
    prometheus_go_metrics_enabled: bool | None = field(plain=True)
    prometheus_process_metrics_enabled: bool | None = field(plain=True)
    typha_prometheus_metrics_enabled: bool | None = field(plain=True)
    typha_prometheus_metrics_port: int | None = field(plain=True)
    typha_replicas: int | None = field(plain=True)
    vxlan_mode: str | None = field(plain=True)
    wireguard_enabled: bool | None = None


@dataclass
class NetworkingSpec:
    """``Cluster.spec.networking``."""

    network_id: str | None = field(key="networkID", plain=True)
    network_cidr: str | None = field(key="networkCIDR", plain=True)
    additional_network_cidrs: list[str] = field(default_factory=list, key="additionalNetworkCIDRs")
    subnets: list[ClusterSubnetSpec] = field(default_factory=list)
    tag_subnets: bool | None = None
    topology: TopologySpec | None = None
    egress_proxy: EgressProxySpec | None = None
    non_masquerade_cidr: str | None = field(key="nonMasqueradeCIDR", plain=True)
    pod_cidr: str | None = field(key="podCIDR", plain=True)
    service_cluster_ip_range: str | None = field(key="serviceClusterIPRange", plain=True)
    isolate_control_plane: bool | None = None
    kubenet: KubenetNetworkingSpec | None = None
    external: ExternalNetworkingSpec | None = None
    cni: CNINetworkingSpec | None = None
    kopeio: KopeioNetworkingSpec | None = None
    weave: WeaveNetworkingSpec | None = None
    flannel: FlannelNetworkingSpec | None = None
    calico: CalicoNetworkingSpec | None = None
    canal: CanalNetworkingSpec | None = None
    kube_router: KuberouterNetworkingSpec | None = None
    amazon_vpc: AmazonVPCNetworkingSpec | None = field(key="amazonVPC")
    cilium: CiliumNetworkingSpec | None = None
    gcp: GCPNetworkingSpec | None = None
    kindnet: KindnetNetworkingSpec | None = None
