# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: networking (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .common import EnvVar
from .fields import api_type, field
from .scalars import Int32, Quantity, UInt8
from .topology import TopologySpec


@api_type
class RouteSpec:
    """``Cluster.spec.networking.subnets[].additionalRoutes[]``."""

    cidr: str | None = field(plain=True)
    target: str | None = field(plain=True)


@api_type
class ClusterSubnetSpec:
    """``Cluster.spec.networking.subnets[]``."""

    name: str | None = field(plain=True)
    cidr: str | None = field(plain=True)
    ipv6_cidr: str | None = field(key="ipv6CIDR", plain=True)
    zone: str | None = field(plain=True)
    region: str | None = field(plain=True)
    id: str | None = field(plain=True)
    egress: str | None = field(plain=True)
    type: str | None = field(plain=True)
    public_ip: str | None = field(key="publicIP", plain=True)
    additional_routes: list[RouteSpec] = field(default_factory=list)


@api_type
class HTTPProxy:
    """``Cluster.spec.networking.egressProxy.httpProxy``."""

    host: str | None = field(plain=True)
    port: int | None = field(plain=True)


@api_type
class EgressProxySpec:
    """``Cluster.spec.networking.egressProxy``."""

    http_proxy: HTTPProxy = field(default_factory=HTTPProxy)
    excludes: str | None = field(plain=True)


@api_type
class ClassicNetworkingSpec:
    """``Cluster.spec.networking.classic``."""


@api_type
class KubenetNetworkingSpec:
    """``Cluster.spec.networking.kubenet``."""


@api_type
class ExternalNetworkingSpec:
    """``Cluster.spec.networking.external``."""


@api_type
class CNINetworkingSpec:
    """``Cluster.spec.networking.cni``."""

    uses_secondary_ip: bool | None = field(key="usesSecondaryIP", plain=True)


@api_type
class KopeioNetworkingSpec:
    """``Cluster.spec.networking.kopeio``."""


@api_type
class WeaveNetworkingSpec:
    """``Cluster.spec.networking.weave``."""

    mtu: Int32 | None = None
    conn_limit: Int32 | None = None
    no_masq_local: Int32 | None = None
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None
    memory_limit: Quantity | None = None
    cpu_limit: Quantity | None = None
    net_extra_args: str | None = field(plain=True)
    npc_memory_request: Quantity | None = None
    npc_cpu_request: Quantity | None = field(key="npcCPURequest")
    npc_memory_limit: Quantity | None = None
    npc_cpu_limit: Quantity | None = field(key="npcCPULimit")
    npc_extra_args: str | None = field(plain=True)
    version: str | None = field(plain=True)


@api_type
class FlannelNetworkingSpec:
    """``Cluster.spec.networking.flannel``."""

    backend: str | None = field(plain=True)
    iptables_resync_seconds: Int32 | None = None


@api_type
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
    mtu: Int32 | None = None
    nftables_mode: str | None = field(plain=True)
    prometheus_metrics_enabled: bool | None = field(plain=True)
    prometheus_metrics_port: Int32 | None = field(plain=True)
    prometheus_go_metrics_enabled: bool | None = field(plain=True)
    prometheus_process_metrics_enabled: bool | None = field(plain=True)
    typha_prometheus_metrics_enabled: bool | None = field(plain=True)
    typha_prometheus_metrics_port: Int32 | None = field(plain=True)
    typha_replicas: Int32 | None = field(plain=True)
    vxlan_mode: str | None = field(plain=True)
    wireguard_enabled: bool | None = None


@api_type
class CanalNetworkingSpec:
    """``Cluster.spec.networking.canal``."""

    chain_insert_mode: str | None = field(plain=True)
    cpu_request: Quantity | None = None
    default_endpoint_to_host_action: str | None = field(plain=True)
    flanneld_iptables_forward_rules: bool | None = None
    iptables_backend: str | None = field(plain=True)
    log_severity_sys: str | None = field(plain=True)
    mtu: Int32 | None = None
    prometheus_go_metrics_enabled: bool | None = field(plain=True)
    prometheus_metrics_enabled: bool | None = field(plain=True)
    prometheus_metrics_port: Int32 | None = field(plain=True)
    prometheus_process_metrics_enabled: bool | None = field(plain=True)
    typha_prometheus_metrics_enabled: bool | None = field(plain=True)
    typha_prometheus_metrics_port: Int32 | None = field(plain=True)
    typha_replicas: Int32 | None = field(plain=True)


@api_type
class KuberouterNetworkingSpec:
    """``Cluster.spec.networking.kubeRouter``."""

    use_nf_tables_for_netpol: bool | None = field(key="useNFTablesForNetpol")


@api_type
class RomanaNetworkingSpec:
    """``Cluster.spec.networking.romana``."""

    daemon_service_ip: str | None = field(key="daemonServiceIP", plain=True)
    etcd_service_ip: str | None = field(key="etcdServiceIP", plain=True)


@api_type
class AmazonVPCNetworkingSpec:
    """``Cluster.spec.networking.amazonVPC``."""

    image: str | None = field(plain=True)
    init_image: str | None = field(plain=True)
    network_policy_agent_image: str | None = field(plain=True)
    env: list[EnvVar] = field(default_factory=list)


@api_type
class HubbleSpec:
    """``Cluster.spec.networking.cilium.hubble``."""

    enabled: bool | None = None
    metrics: list[str] = field(default_factory=list)


@api_type
class CiliumIngressSpec:
    """``Cluster.spec.networking.cilium.ingress``."""

    enabled: bool | None = None
    enforce_https: bool | None = None
    enable_secrets_sync: bool | None = None
    load_balancer_annotation_prefixes: str | None = field(plain=True)
    default_load_balancer_mode: str | None = field(plain=True)
    shared_load_balancer_service_name: str | None = field(plain=True)


@api_type
class CiliumGatewayAPISpec:
    """``Cluster.spec.networking.cilium.gatewayAPI``."""

    enabled: bool | None = None
    enable_secrets_sync: bool | None = None


@api_type
class CiliumNetworkingSpec:
    """``Cluster.spec.networking.cilium``."""

    registry: str | None = field(plain=True)
    version: str | None = field(plain=True)
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None
    agent_prometheus_port: int | None = field(plain=True)
    metrics: list[str] = field(default_factory=list)
    chaining_mode: str | None = field(plain=True)
    debug: bool | None = field(plain=True)
    disable_endpoint_crd: bool | None = field(key="disableEndpointCRD", plain=True)
    enable_policy: str | None = field(plain=True)
    enable_l7_proxy: bool | None = None
    enable_local_redirect_policy: bool | None = None
    enable_bpf_masquerade: bool | None = field(key="enableBPFMasquerade")
    enable_endpoint_health_checking: bool | None = None
    enable_host_firewall: bool | None = None
    enable_prometheus_metrics: bool | None = field(plain=True)
    enable_encryption: bool | None = field(plain=True)
    encryption_type: str | None = field(plain=True)
    node_encryption: bool | None = field(plain=True)
    identity_allocation_mode: str | None = field(plain=True)
    identity_change_grace_period: str | None = field(plain=True)
    masquerade: bool | None = None
    agent_pod_annotations: dict[str, str] = field(default_factory=dict)
    operator_pod_annotations: dict[str, str] = field(default_factory=dict)
    tunnel: str | None = field(plain=True)
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
    cluster_id: UInt8 | None = field(key="clusterID", plain=True)
    to_fqd_ns_dns_reject_response_code: str | None = field(key="toFQDNsDNSRejectResponseCode", plain=True)
    to_fqd_ns_enable_poller: bool | None = field(key="toFQDNsEnablePoller", plain=True)
    ipam: str | None = field(plain=True)
    install_iptables_rules: bool | None = None
    auto_direct_node_routes: bool | None = field(plain=True)
    enable_host_reachable_services: bool | None = field(plain=True)
    enable_node_port: bool | None = field(plain=True)
    etcd_managed: bool | None = field(plain=True)
    enable_remote_node_identity: bool | None = None
    enable_unreachable_routes: bool | None = None
    cni_exclusive: bool | None = None
    hubble: HubbleSpec | None = None
    disable_cnp_status_updates: bool | None = field(key="disableCNPStatusUpdates")
    enable_service_topology: bool | None = field(plain=True)
    ingress: CiliumIngressSpec | None = None
    gateway_api: CiliumGatewayAPISpec | None = field(key="gatewayAPI")
    extra_config: dict[str, str] = field(default_factory=dict)


@api_type
class LyftVPCNetworkingSpec:
    """``Cluster.spec.networking.lyftvpc``."""

    subnet_tags: dict[str, str] = field(default_factory=dict)


@api_type
class GCPNetworkingSpec:
    """``Cluster.spec.networking.gcp``."""


@api_type
class KindnetMasqueradeSpec:
    """``Cluster.spec.networking.kindnet.masquerade``."""

    enabled: bool | None = None
    non_masquerade_cidrs: list[str] = field(default_factory=list, key="nonMasqueradeCIDRs")


@api_type
class KindnetNetworkingSpec:
    """``Cluster.spec.networking.kindnet``."""

    version: str | None = field(plain=True)
    network_policies: bool | None = None
    admin_network_policies: bool | None = None
    baseline_admin_network_policies: bool | None = None
    dns_caching: bool | None = None
    nat64: bool | None = None
    fast_path_threshold: Int32 | None = None
    masquerade: KindnetMasqueradeSpec | None = None
    log_level: Int32 | None = None


@api_type
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
    classic: ClassicNetworkingSpec | None = None
    kubenet: KubenetNetworkingSpec | None = None
    external: ExternalNetworkingSpec | None = None
    cni: CNINetworkingSpec | None = None
    kopeio: KopeioNetworkingSpec | None = None
    weave: WeaveNetworkingSpec | None = None
    flannel: FlannelNetworkingSpec | None = None
    calico: CalicoNetworkingSpec | None = None
    canal: CanalNetworkingSpec | None = None
    kube_router: KuberouterNetworkingSpec | None = None
    romana: RomanaNetworkingSpec | None = None
    amazon_vpc: AmazonVPCNetworkingSpec | None = field(key="amazonVPC")
    cilium: CiliumNetworkingSpec | None = None
    lyftvpc: LyftVPCNetworkingSpec | None = None
    gcp: GCPNetworkingSpec | None = None
    kindnet: KindnetNetworkingSpec | None = None
