# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: networking as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import networking as hub_networking
from ..common import EnvVar
from ..fields import api_type, field
from ..networking import (
    ClassicNetworkingSpec,
    CNINetworkingSpec,
    ExternalNetworkingSpec,
    GCPNetworkingSpec,
    KindnetNetworkingSpec,
    KopeioNetworkingSpec,
    KubenetNetworkingSpec,
    KuberouterNetworkingSpec,
    LyftVPCNetworkingSpec,
    RomanaNetworkingSpec,
    WeaveNetworkingSpec,
)
from ..scalars import Int32


@api_type
class FlannelNetworkingSpec:
    """``Cluster.spec.networking.flannel``."""

    backend: str | None = field(plain=True)
    disable_tx_checksum_offloading: bool | None = field(plain=True)
    iptables_resync_seconds: Int32 | None = None


@api_type
class CalicoNetworkingSpec(hub_networking.CalicoNetworkingSpec):
    """``Cluster.spec.networking.calico``."""

    major_version: str | None = field(plain=True)


@api_type
class CanalNetworkingSpec(hub_networking.CanalNetworkingSpec):
    """``Cluster.spec.networking.canal``."""

    flanneld_iptables_forward_rules: bool | None = field(key="disableFlannelForwardRules")
    disable_tx_checksum_offloading: bool | None = field(plain=True)


@api_type
class AmazonVPCNetworkingSpec:
    """``Cluster.spec.networking.amazonvpc``."""

    image: str | None = field(key="imageName", plain=True)
    init_image: str | None = field(key="initImageName", plain=True)
    network_policy_agent_image: str | None = field(plain=True)
    env: list[EnvVar] = field(default_factory=list)


@api_type
class CiliumNetworkingSpec(hub_networking.CiliumNetworkingSpec):
    """``Cluster.spec.networking.cilium``."""

    access_log: str | None = field(plain=True)
    agent_labels: list[str] = field(default_factory=list)
    allow_localhost: str | None = field(plain=True)
    auto_ipv6_node_routes: bool | None = field(plain=True)
    bpf_root: str | None = field(plain=True)
    container_runtime: list[str] = field(default_factory=list)
    container_runtime_endpoint: dict[str, str] = field(default_factory=dict)
    debug_verbose: list[str] = field(default_factory=list)
    device: str | None = field(plain=True)
    disable_conntrack: bool | None = field(plain=True)
    disable_ipv4: bool | None = field(plain=True)
    disable_k8s_services: bool | None = field(plain=True)
    enable_tracing: bool | None = field(plain=True)
    envoy_log: str | None = field(plain=True)
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
    logstash_probe_timer: Int32 | None = field(plain=True)
    masquerade: bool | None = field(key="disableMasquerade")
    nat46_range: str | None = field(plain=True)
    pprof: bool | None = field(plain=True)
    prefilter_device: str | None = field(plain=True)
    prometheus_serve_addr: str | None = field(plain=True)
    restore: bool | None = field(plain=True)
    single_cluster_route: bool | None = field(plain=True)
    socket_path: str | None = field(plain=True)
    state_dir: str | None = field(plain=True)
    trace_payloadlen: int | None = field(plain=True)
    enableipv6: bool | None = field(plain=True)
    enableipv4: bool | None = field(plain=True)
    to_fqd_ns_dns_reject_response_code: str | None = field(key="toFqdnsDnsRejectResponseCode", plain=True)
    to_fqd_ns_enable_poller: bool | None = field(key="toFqdnsEnablePoller", plain=True)
    container_runtime_labels: str | None = field(plain=True)
    install_iptables_rules: bool | None = field(key="IPTablesRulesNoinstall")
    remove_cbr_bridge: bool | None = field(plain=True)
    restart_pods: bool | None = field(plain=True)
    reconfigure_kubelet: bool | None = field(plain=True)
    node_init_bootstrap_file: str | None = field(plain=True)
    cni_bin_path: str | None = field(plain=True)


@api_type
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
