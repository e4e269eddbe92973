# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: networking as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from dataclasses import dataclass

from ..common import EnvVar
from ..fields import field
from ..networking import (
    CiliumGatewayAPISpec,
    CiliumIngressSpec,
    ClassicNetworkingSpec,
    CNINetworkingSpec,
    ExternalNetworkingSpec,
    GCPNetworkingSpec,
    HubbleSpec,
    KindnetNetworkingSpec,
    KopeioNetworkingSpec,
    KubenetNetworkingSpec,
    KuberouterNetworkingSpec,
    LyftVPCNetworkingSpec,
    RomanaNetworkingSpec,
    WeaveNetworkingSpec,
)
from ..scalars import Quantity


@dataclass
class FlannelNetworkingSpec:
    """``Cluster.spec.networking.flannel``."""

    backend: str | None = field(plain=True)
    disable_tx_checksum_offloading: bool | None = field(plain=True)
    iptables_resync_seconds: int | None = None


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
    cross_subnet: bool | None = None
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
    major_version: str | None = field(plain=True)
    typha_prometheus_metrics_enabled: bool | None = field(plain=True)
    typha_prometheus_metrics_port: int | None = field(plain=True)
    typha_replicas: int | None = field(plain=True)
    vxlan_mode: str | None = field(plain=True)
    wireguard_enabled: bool | None = None


@dataclass
class CanalNetworkingSpec:
    """``Cluster.spec.networking.canal``."""

    chain_insert_mode: str | None = field(plain=True)
    cpu_request: Quantity | None = None
    default_endpoint_to_host_action: str | None = field(plain=True)
    flanneld_iptables_forward_rules: bool | None = field(key="disableFlannelForwardRules")
    disable_tx_checksum_offloading: bool | None = field(plain=True)
    iptables_backend: str | None = field(plain=True)
    log_severity_sys: str | None = field(plain=True)
    mtu: int | None = None
    prometheus_go_metrics_enabled: bool | None = field(plain=True)
    prometheus_metrics_enabled: bool | None = field(plain=True)
    prometheus_metrics_port: int | None = field(plain=True)
    prometheus_process_metrics_enabled: bool | None = field(plain=True)
    typha_prometheus_metrics_enabled: bool | None = field(plain=True)
    typha_prometheus_metrics_port: int | None = field(plain=True)
    typha_replicas: int | None = field(plain=True)


@dataclass
class AmazonVPCNetworkingSpec:
    """``Cluster.spec.networking.amazonvpc``."""

    image: str | None = field(key="imageName", plain=True)
    init_image: str | None = field(key="initImageName", plain=True)
    network_policy_agent_image: str | None = field(plain=True)
    env: list[EnvVar] = field(default_factory=list)


@dataclass
class CiliumNetworkingSpec:
    """``Cluster.spec.networking.cilium``."""

    registry: str | None = field(plain=True)
    version: str | None = field(plain=True)
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None
    access_log: str | None = field(plain=True)
    agent_labels: list[str] = field(default_factory=list)
    agent_prometheus_port: int | None = field(plain=True)
    metrics: list[str] = field(default_factory=list)
    allow_localhost: str | None = field(plain=True)
    auto_ipv6_node_routes: bool | None = field(plain=True)
    bpf_root: str | None = field(plain=True)
    chaining_mode: str | None = field(plain=True)
    container_runtime: list[str] = field(default_factory=list)
    container_runtime_endpoint: dict[str, str] = field(default_factory=dict)
    debug: bool | None = field(plain=True)
    debug_verbose: list[str] = field(default_factory=list)
    device: str | None = field(plain=True)
    disable_conntrack: bool | None = field(plain=True)
    disable_endpoint_crd: bool | None = field(key="disableEndpointCRD", plain=True)
    disable_ipv4: bool | None = field(plain=True)
    disable_k8s_services: bool | None = field(plain=True)
    enable_policy: str | None = field(plain=True)
    enable_l7_proxy: bool | None = None
    enable_local_redirect_policy: bool | None = None
    enable_bpf_masquerade: bool | None = field(key="enableBPFMasquerade")
    enable_endpoint_health_checking: bool | None = None
    enable_host_firewall: bool | None = None
    enable_tracing: bool | None = field(plain=True)
    enable_prometheus_metrics: bool | None = field(plain=True)
    enable_encryption: bool | None = field(plain=True)
    encryption_type: str | None = field(plain=True)
    node_encryption: bool | None = field(plain=True)
    envoy_log: str | None = field(plain=True)
    identity_allocation_mode: str | None = field(plain=True)
    identity_change_grace_period: str | None = field(plain=True)
    ipv4_cluster_cidr_mask_size: int | None = field(plain=True)
    ipv4_node: str | None = field(plain=True)
    ipv4_range: str | None = field(plain=True)
    ipv4_service_range: str | None = field(plain=True)
    ipv6_cluster_alloc_cidr: str | None = field(plain=True)
    ipv6_node: str | None = field(plain=True)
    ipv6_range: str | None = field(plain=True)
    ipv6_service_range: str | None = field(plain=True)
    k8s_api_server: str | None = field(plain=True)
    k8s_kubeconfig_path: str | None = field(plain=True)
    keep_bpf_templates: bool | None = field(plain=True)
    keep_config: bool | None = field(plain=True)
    label_prefix_file: str | None = field(plain=True)
    labels: list[str] = field(default_factory=list)
    lb: str | None = field(plain=True)
    lib_dir: str | None = field(plain=True)
    log_driver: list[str] = field(default_factory=list)
    log_opt: dict[str, str] = field(default_factory=dict)
    logstash: bool | None = field(plain=True)
    logstash_agent: str | None = field(plain=True)
    logstash_probe_timer: int | None = field(plain=True)
    masquerade: bool | None = field(key="disableMasquerade")
    nat46_range: str | None = field(plain=True)
    agent_pod_annotations: dict[str, str] = field(default_factory=dict)
    operator_pod_annotations: dict[str, str] = field(default_factory=dict)
    pprof: bool | None = field(plain=True)
    prefilter_device: str | None = field(plain=True)
    prometheus_serve_addr: str | None = field(plain=True)
    restore: bool | None = field(plain=True)
    single_cluster_route: bool | None = field(plain=True)
    socket_path: str | None = field(plain=True)
    state_dir: str | None = field(plain=True)
    trace_payloadlen: int | None = field(plain=True)
    tunnel: str | None = field(plain=True)
    enableipv6: bool | None = field(plain=True)
    enableipv4: bool | None = field(plain=True)
    monitor_aggregation: str | None = field(plain=True)
    bpf_ct_global_tcp_max: int | None = field(key="bpfCTGlobalTCPMax", plain=True)
    bpf_ct_global_any_max: int | None = field(key="bpfCTGlobalAnyMax", plain=True)
    bpf_lb_algorithm: str | None = field(key="bpfLBAlgorithm", plain=True)
    bpf_lb_maglev_table_size: str | None = field(key="bpfLBMaglevTableSize", plain=True)
    bpf_nat_global_max: int | None = field(key="bpfNATGlobalMax", plain=True)
    bpf_neigh_global_max: int | None = field(plain=True)
    bpf_policy_map_max: int | None = field(plain=True)
    bpf_lb_map_max: int | None = field(key="bpfLBMapMax", plain=True)
    bpf_lb_sock: bool | None = field(key="bpfLBSock", plain=True)
    bpf_lb_sock_host_ns_only: bool | None = field(key="bpfLBSockHostNSOnly", plain=True)
    preallocate_bpf_maps: bool | None = field(key="preallocateBPFMaps", plain=True)
    sidecar_istio_proxy_image: str | None = field(plain=True)
    cluster_name: str | None = field(plain=True)
    cluster_id: int | None = field(key="clusterID", plain=True)
    to_fqd_ns_dns_reject_response_code: str | None = field(key="toFqdnsDnsRejectResponseCode", plain=True)
    to_fqd_ns_enable_poller: bool | None = field(key="toFqdnsEnablePoller", plain=True)
    container_runtime_labels: str | None = field(plain=True)
    ipam: str | None = field(plain=True)
    install_iptables_rules: bool | None = field(key="IPTablesRulesNoinstall")
    auto_direct_node_routes: bool | None = field(plain=True)
    enable_host_reachable_services: bool | None = field(plain=True)
    enable_node_port: bool | None = field(plain=True)
    etcd_managed: bool | None = field(plain=True)
    enable_remote_node_identity: bool | None = None
    enable_unreachable_routes: bool | None = None
    cni_exclusive: bool | None = None
    hubble: HubbleSpec | None = None
    remove_cbr_bridge: bool | None = field(plain=True)
    restart_pods: bool | None = field(plain=True)
    reconfigure_kubelet: bool | None = field(plain=True)
    node_init_bootstrap_file: str | None = field(plain=True)
    cni_bin_path: str | None = field(plain=True)
    disable_cnp_status_updates: bool | None = field(key="disableCNPStatusUpdates")
    enable_service_topology: bool | None = field(plain=True)
    ingress: CiliumIngressSpec | None = None
    gateway_api: CiliumGatewayAPISpec | None = field(key="gatewayAPI")
    extra_config: dict[str, str] = field(default_factory=dict)


@dataclass
class NetworkingSpec:
    """``Cluster.spec.networking``."""

    classic: ClassicNetworkingSpec | None = None
    kubenet: KubenetNetworkingSpec | None = None
    external: ExternalNetworkingSpec | None = None
    cni: CNINetworkingSpec | None = None
    kopeio: KopeioNetworkingSpec | None = None
    weave: WeaveNetworkingSpec | None = None
    flannel: FlannelNetworkingSpec | None = None
    calico: CalicoNetworkingSpec | None = None
    canal: CanalNetworkingSpec | None = None
    kube_router: KuberouterNetworkingSpec | None = field(key="kuberouter")
    romana: RomanaNetworkingSpec | None = None
    amazon_vpc: AmazonVPCNetworkingSpec | None = field(key="amazonvpc")
    cilium: CiliumNetworkingSpec | None = None
    lyftvpc: LyftVPCNetworkingSpec | None = None
    gcp: GCPNetworkingSpec | None = field(key="gce")
    kindnet: KindnetNetworkingSpec | None = None
