# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: cluster as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import cluster as hub_cluster
from ..cloud_provider import PodIdentityWebhookSpec
from ..cluster import (
    AddonSpec,
    AssetsSpec,
    AuthorizationSpec,
    AWSAuthenticationSpec,
    DNSAccessSpec,
    DNSControllerGossipConfig,
    GossipConfig,
    IAMSpec,
    KopeioAuthenticationSpec,
    NodeAuthorizationSpec,
    ServiceAccountIssuerDiscoveryConfig,
    TargetSpec,
)
from ..common import FileAssetSpec, RollingUpdate, WarmPoolSpec
from ..components import (
    CertManagerConfig,
    ClusterAutoscalerConfig,
    KubeSchedulerConfig,
    LoadBalancerControllerSpec,
    MetricsServerConfig,
    NodeProblemDetectorConfig,
    NodeTerminationHandlerSpec,
    NTPConfig,
    SnapshotControllerConfig,
)
from ..containerd import ContainerdConfig
from ..docker import DockerConfig
from ..fields import api_type, field
from ..kube_controller_manager import CloudControllerManagerConfig
from ..meta import ObjectMeta
from ..networking import ClusterSubnetSpec, EgressProxySpec
from .common import HookSpec
from .components import CloudConfiguration, KubeProxyConfig
from .etcd import EtcdClusterSpec
from .kube_apiserver import KubeAPIServerConfig
from .kube_controller_manager import KubeControllerManagerConfig
from .kubelet import KubeletConfigSpec
from .networking import NetworkingSpec
from .topology import TopologySpec


@api_type
class KubeDNSConfig(hub_cluster.KubeDNSConfig):
    """``Cluster.spec.kubeDNS``."""

    image: str | None = field(plain=True)
    replicas: int | None = field(plain=True)


@api_type
class ExternalDNSConfig(hub_cluster.ExternalDNSConfig):
    """``Cluster.spec.externalDns``."""

    disable: bool | None = field(plain=True)


@api_type
class LoadBalancerSubnetSpec:
    """``Cluster.spec.api.loadBalancer.subnets[]``."""

    name: str | None = field(plain=True)
    private_ipv4_address: str | None = field(key="privateIPv4Address")
    allocation_id: str | None = None


@api_type
class AccessLogSpec:
    """``Cluster.spec.api.loadBalancer.accessLog``."""

    interval: int | None = field(plain=True)
    bucket: str | None = None
    bucket_prefix: str | None = None


@api_type
class LoadBalancerAccessSpec:
    """``Cluster.spec.api.loadBalancer``."""

    class_: str | None = field(plain=True)
    type: str | None = field(plain=True)
    idle_timeout_seconds: int | None = None
    security_group_override: str | None = None
    additional_security_groups: list[str] = field(default_factory=list)
    use_for_internal_api: bool | None = field(plain=True)
    ssl_certificate: str | None = field(plain=True)
    ssl_policy: str | None = None
    cross_zone_load_balancing: bool | None = None
    subnets: list[LoadBalancerSubnetSpec] = field(default_factory=list)
    access_log: AccessLogSpec | None = None


@api_type
class APISpec:
    """``Cluster.spec.api``."""

    dns: DNSAccessSpec | None = None
    load_balancer: LoadBalancerAccessSpec | None = None


@api_type
class AuthenticationSpec:
    """``Cluster.spec.authentication``."""

    kopeio: KopeioAuthenticationSpec | None = None
    aws: AWSAuthenticationSpec | None = None


@api_type
class KarpenterConfig(hub_cluster.KarpenterConfig):
    """``Cluster.spec.karpenter``."""

    log_format: str | None = field(key="logEncoding", plain=True)


@api_type
class ClusterSpec:
    """``Cluster.spec``."""

    channel: str | None = field(plain=True)
    addons: list[AddonSpec] = field(default_factory=list)
    config_base: str | None = field(plain=True)
    cloud_provider: str | None = field(plain=True)
    gossip_config: GossipConfig | None = None
    container_runtime: str | None = field(plain=True)
    kubernetes_version: str | None = field(plain=True)
    subnets: list[ClusterSubnetSpec] = field(default_factory=list)
    project: str | None = field(plain=True)
    master_public_name: str | None = field(plain=True)
    master_internal_name: str | None = field(plain=True)
    network_cidr: str | None = field(key="networkCIDR", plain=True)
    additional_network_cidrs: list[str] = field(default_factory=list, key="additionalNetworkCIDRs")
    network_id: str | None = field(key="networkID", plain=True)
    topology: TopologySpec | None = None
    secret_store: str | None = field(plain=True)
    key_store: str | None = field(plain=True)
    config_store: str | None = field(plain=True)
    dns_zone: str | None = field(plain=True)
    dns_controller_gossip_config: DNSControllerGossipConfig | None = None
    additional_sans: list[str] = field(default_factory=list)
    cluster_dns_domain: str | None = field(key="clusterDNSDomain", plain=True)
    service_cluster_ip_range: str | None = field(key="serviceClusterIPRange", plain=True)
    pod_cidr: str | None = field(key="podCIDR", plain=True)
    non_masquerade_cidr: str | None = field(key="nonMasqueradeCIDR", plain=True)
    ssh_access: list[str] = field(default_factory=list)
    node_port_access: list[str] = field(default_factory=list)
    egress_proxy: EgressProxySpec | None = None
    ssh_key_name: str | None = None
    kubernetes_api_access: list[str] = field(default_factory=list)
    isolate_masters: bool | None = None
    update_policy: str | None = None
    external_policies: dict[str, list[str]] = field(default_factory=dict)
    additional_policies: dict[str, str] = field(default_factory=dict)
    file_assets: list[FileAssetSpec] = field(default_factory=list)
    etcd_clusters: list[EtcdClusterSpec] = field(default_factory=list)
    docker: DockerConfig | None = None
    containerd: ContainerdConfig | None = None
    kube_dns: KubeDNSConfig | None = field(key="kubeDNS")
    kube_api_server: KubeAPIServerConfig | None = field(key="kubeAPIServer")
    kube_controller_manager: KubeControllerManagerConfig | None = None
    cloud_controller_manager: CloudControllerManagerConfig | None = None
    kube_scheduler: KubeSchedulerConfig | None = None
    kube_proxy: KubeProxyConfig | None = None
    kubelet: KubeletConfigSpec | None = None
    control_plane_kubelet: KubeletConfigSpec | None = field(key="masterKubelet")
    cloud_config: CloudConfiguration | None = None
    external_dns: ExternalDNSConfig | None = None
    ntp: NTPConfig | None = None
    packages: list[str] = field(default_factory=list)
    node_termination_handler: NodeTerminationHandlerSpec | None = None
    node_problem_detector: NodeProblemDetectorConfig | None = None
    metrics_server: MetricsServerConfig | None = None
    cert_manager: CertManagerConfig | None = None
    aws_load_balancer_controller: LoadBalancerControllerSpec | None = None
    networking: NetworkingSpec | None = None
    api: APISpec | None = None
    authentication: AuthenticationSpec | None = None
    authorization: AuthorizationSpec | None = None
    node_authorization: NodeAuthorizationSpec | None = None
    cloud_labels: dict[str, str] = field(default_factory=dict)
    hooks: list[HookSpec] = field(default_factory=list)
    assets: AssetsSpec | None = None
    iam: IAMSpec | None = None
    encryption_config: bool | None = None
    disable_subnet_tags: bool | None = field(key="DisableSubnetTags")
    target: TargetSpec | None = None
    use_host_certificates: bool | None = None
    sysctl_parameters: list[str] = field(default_factory=list)
    rolling_update: RollingUpdate | None = None
    cluster_autoscaler: ClusterAutoscalerConfig | None = None
    warm_pool: WarmPoolSpec | None = None
    service_account_issuer_discovery: ServiceAccountIssuerDiscoveryConfig | None = None
    snapshot_controller: SnapshotControllerConfig | None = None
    karpenter: KarpenterConfig | None = None
    pod_identity_webhook: PodIdentityWebhookSpec | None = None


@api_type
class Cluster:
    """``Cluster``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ClusterSpec = field(default_factory=ClusterSpec)
