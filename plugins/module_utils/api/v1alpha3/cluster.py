# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: cluster as v1alpha3 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import cluster as hub_cluster
from ..cloud_provider import CloudProviderSpec
from ..cluster import (
    AddonSpec,
    APISpec,
    AssetsSpec,
    AuthenticationSpec,
    AuthorizationSpec,
    ConfigStoreSpec,
    DNSControllerGossipConfig,
    ExternalDNSConfig,
    GossipConfig,
    KubeDNSConfig,
    ServiceAccountIssuerDiscoveryConfig,
    TargetSpec,
)
from ..common import FileAssetSpec, HookSpec, RollingUpdate
from ..components import (
    CertManagerConfig,
    CloudConfiguration,
    ClusterAutoscalerConfig,
    KubeSchedulerConfig,
    MetricsServerConfig,
    NodeProblemDetectorConfig,
    NTPConfig,
    SnapshotControllerConfig,
)
from ..containerd import ContainerdConfig
from ..fields import api_type, field, without
from ..kube_controller_manager import CloudControllerManagerConfig
from ..meta import ObjectMeta
from .components import KubeProxyConfig
from .etcd import EtcdClusterSpec
from .kube_apiserver import KubeAPIServerConfig
from .kube_controller_manager import KubeControllerManagerConfig
from .kubelet import KubeletConfigSpec
from .networking import NetworkingSpec


@without("legacy")
@api_type
class IAMSpec(hub_cluster.IAMSpec):
    """``Cluster.spec.iam``."""


@api_type
class KarpenterConfig(hub_cluster.KarpenterConfig):
    """``Cluster.spec.karpenter``."""

    log_format: str | None = field(key="logEncoding", plain=True)


@api_type
class ClusterSpec:
    """``Cluster.spec``."""

    channel: str | None = field(plain=True)
    addons: list[AddonSpec] = field(default_factory=list)
    config_store: ConfigStoreSpec = field(default_factory=ConfigStoreSpec)
    cloud_provider: CloudProviderSpec = field(default_factory=CloudProviderSpec)
    gossip_config: GossipConfig | None = None
    kubernetes_version: str | None = field(plain=True)
    dns_zone: str | None = field(plain=True)
    dns_controller_gossip_config: DNSControllerGossipConfig | None = None
    cluster_dns_domain: str | None = field(key="clusterDNSDomain", plain=True)
    ssh_access: list[str] = field(default_factory=list)
    node_port_access: list[str] = field(default_factory=list)
    ssh_key_name: str | None = None
    update_policy: str | None = None
    external_policies: dict[str, list[str]] = field(default_factory=dict)
    additional_policies: dict[str, str] = field(default_factory=dict)
    file_assets: list[FileAssetSpec] = field(default_factory=list)
    etcd_clusters: list[EtcdClusterSpec] = field(default_factory=list)
    containerd: ContainerdConfig | None = None
    kube_dns: KubeDNSConfig | None = field(key="kubeDNS")
    kube_api_server: KubeAPIServerConfig | None = field(key="kubeAPIServer")
    kube_controller_manager: KubeControllerManagerConfig | None = None
    cloud_controller_manager: CloudControllerManagerConfig | None = None
    kube_scheduler: KubeSchedulerConfig | None = None
    kube_proxy: KubeProxyConfig | None = None
    kubelet: KubeletConfigSpec | None = None
    control_plane_kubelet: KubeletConfigSpec | None = None
    cloud_config: CloudConfiguration | None = None
    external_dns: ExternalDNSConfig | None = field(key="externalDNS")
    ntp: NTPConfig | None = None
    packages: list[str] = field(default_factory=list)
    node_problem_detector: NodeProblemDetectorConfig | None = None
    metrics_server: MetricsServerConfig | None = None
    cert_manager: CertManagerConfig | None = None
    networking: NetworkingSpec = field(default_factory=NetworkingSpec)
    api: APISpec = field(default_factory=APISpec)
    authentication: AuthenticationSpec | None = None
    authorization: AuthorizationSpec | None = None
    cloud_labels: dict[str, str] = field(default_factory=dict)
    hooks: list[HookSpec] = field(default_factory=list)
    assets: AssetsSpec | None = None
    iam: IAMSpec | None = None
    encryption_config: bool | None = None
    target: TargetSpec | None = None
    use_host_certificates: bool | None = None
    sysctl_parameters: list[str] = field(default_factory=list)
    rolling_update: RollingUpdate | None = None
    cluster_autoscaler: ClusterAutoscalerConfig | None = None
    service_account_issuer_discovery: ServiceAccountIssuerDiscoveryConfig | None = None
    snapshot_controller: SnapshotControllerConfig | None = None
    karpenter: KarpenterConfig | None = None


@api_type
class Cluster:
    """``Cluster``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ClusterSpec = field(default_factory=ClusterSpec)
