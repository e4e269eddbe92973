# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: cluster (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .cloud_provider import CloudProviderSpec
from .common import FileAssetSpec, HookSpec, RollingUpdate
from .components import (
    CertManagerConfig,
    CloudConfiguration,
    ClusterAutoscalerConfig,
    KubeProxyConfig,
    KubeSchedulerConfig,
    MetricsServerConfig,
    NodeProblemDetectorConfig,
    NTPConfig,
    SnapshotControllerConfig,
)
from .containerd import ContainerdConfig
from .docker import DockerConfig
from .etcd import EtcdClusterSpec
from .fields import api_type, field
from .kube_apiserver import KubeAPIServerConfig
from .kube_controller_manager import CloudControllerManagerConfig, KubeControllerManagerConfig
from .kubelet import KubeletConfigSpec
from .meta import ObjectMeta
from .networking import NetworkingSpec
from .scalars import JSON, Duration, Quantity


@api_type
class AddonSpec:
    """``Cluster.spec.addons[]``."""

    manifest: str | None = field(plain=True)


@api_type
class ConfigStoreSpec:
    """``Cluster.spec.configStore``."""

    base: str | None = field(plain=True)
    keypairs: str | None = field(plain=True)
    secrets: str | None = field(plain=True)


@api_type
class GossipConfigSecondary:
    """``Cluster.spec.gossipConfig.secondary``."""

    protocol: str | None = None
    listen: str | None = None
    secret: str | None = None


@api_type
class GossipConfig:
    """``Cluster.spec.gossipConfig``."""

    protocol: str | None = None
    listen: str | None = None
    secret: str | None = None
    secondary: GossipConfigSecondary | None = None


@api_type
class DNSControllerGossipConfigSecondary:
    """``Cluster.spec.dnsControllerGossipConfig.secondary``."""

    protocol: str | None = None
    listen: str | None = None
    secret: str | None = None
    seed: str | None = None


@api_type
class DNSControllerGossipConfig:
    """``Cluster.spec.dnsControllerGossipConfig``."""

    protocol: str | None = None
    listen: str | None = None
    secret: str | None = None
    secondary: DNSControllerGossipConfigSecondary | None = None
    seed: str | None = None


@api_type
class NodeLocalDNSConfig:
    """``Cluster.spec.kubeDNS.nodeLocalDNS``."""

    enabled: bool | None = None
    external_core_file: str | None = field(plain=True)
    additional_config: str | None = field(plain=True)
    image: str | None = None
    local_ip: str | None = field(key="localIP", plain=True)
    forward_to_kube_dns: bool | None = field(key="forwardToKubeDNS")
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None
    pod_annotations: dict[str, str] = field(default_factory=dict)


@api_type
class KubeDNSConfig:
    """``Cluster.spec.kubeDNS``."""

    cache_max_size: int | None = field(plain=True)
    cache_max_concurrent: int | None = field(plain=True)
    tolerations: list[JSON] = field(default_factory=list)
    affinity: JSON | None = None
    core_dns_image: str | None = field(key="coreDNSImage", plain=True)
    cpa_image: str | None = field(plain=True)
    domain: str | None = field(plain=True)
    external_core_file: str | None = field(plain=True)
    provider: str | None = field(plain=True)
    server_ip: str | None = field(key="serverIP", plain=True)
    stub_domains: dict[str, list[str]] = field(default_factory=dict)
    upstream_nameservers: list[str] = field(default_factory=list)
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None
    memory_limit: Quantity | None = None
    node_local_dns: NodeLocalDNSConfig | None = field(key="nodeLocalDNS")
    pod_annotations: dict[str, str] = field(default_factory=dict)


@api_type
class ExternalDNSConfig:
    """``Cluster.spec.externalDNS``."""

    watch_ingress: bool | None = None
    watch_namespace: str | None = field(plain=True)
    provider: str | None = field(plain=True)
    priority_class_name: str | None = None


@api_type
class DNSAccessSpec:
    """``Cluster.spec.api.dns``."""


@api_type
class LoadBalancerSubnetSpec:
    """``Cluster.spec.api.loadBalancer.subnets[]``."""

    name: str | None = field(plain=True)
    private_ipv4_address: str | None = field(key="privateIPv4Address")
    allocation_id: str | None = field(key="allocationID")


@api_type
class AccessLogSpec:
    """``Cluster.spec.api.loadBalancer.accessLog``."""

    bucket: str | None = None
    bucket_prefix: str | None = None


@api_type
class LoadBalancerAccessSpec:
    """``Cluster.spec.api.loadBalancer``."""

    class_: str | None = field(plain=True)
    type: str | None = field(plain=True)
    security_group_override: str | None = None
    additional_security_groups: list[str] = field(default_factory=list)
    use_for_internal_api: bool | None = field(key="useForInternalAPI", plain=True)
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
    public_name: str | None = field(plain=True)
    additional_sans: list[str] = field(default_factory=list, key="additionalSANs")
    access: list[str] = field(default_factory=list)


@api_type
class KopeioAuthenticationSpec:
    """``Cluster.spec.authentication.kopeio``."""


@api_type
class AWSAuthenticationIdentityMappingSpec:
    """``Cluster.spec.authentication.aws.identityMappings[]``."""

    arn: str | None = field(plain=True)
    username: str | None = field(plain=True)
    groups: list[str] = field(default_factory=list)


@api_type
class AWSAuthenticationSpec:
    """``Cluster.spec.authentication.aws``."""

    image: str | None = field(plain=True)
    backend_mode: str | None = field(plain=True)
    cluster_id: str | None = field(key="clusterID", plain=True)
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None
    memory_limit: Quantity | None = None
    cpu_limit: Quantity | None = None
    identity_mappings: list[AWSAuthenticationIdentityMappingSpec] = field(default_factory=list)


@api_type
class OIDCAuthenticationSpec:
    """``Cluster.spec.authentication.oidc``."""

    username_claim: str | None = None
    username_prefix: str | None = None
    groups_claims: list[str] = field(default_factory=list)
    groups_prefix: str | None = None
    issuer_url: str | None = field(key="issuerURL")
    client_id: str | None = field(key="clientID")
    required_claims: dict[str, str] = field(default_factory=dict)


@api_type
class AuthenticationSpec:
    """``Cluster.spec.authentication``."""

    kopeio: KopeioAuthenticationSpec | None = None
    aws: AWSAuthenticationSpec | None = None
    oidc: OIDCAuthenticationSpec | None = None


@api_type
class AlwaysAllowAuthorizationSpec:
    """``Cluster.spec.authorization.alwaysAllow``."""


@api_type
class RBACAuthorizationSpec:
    """``Cluster.spec.authorization.rbac``."""


@api_type
class AuthorizationSpec:
    """``Cluster.spec.authorization``."""

    always_allow: AlwaysAllowAuthorizationSpec | None = None
    rbac: RBACAuthorizationSpec | None = None


@api_type
class NodeAuthorizerSpec:
    """``Cluster.spec.nodeAuthorization.nodeAuthorizer``."""

    authorizer: str | None = field(plain=True)
    features: list[str] = field(default_factory=list)
    image: str | None = field(plain=True)
    node_url: str | None = field(key="nodeURL", plain=True)
    port: int | None = field(plain=True)
    interval: Duration | None = None
    timeout: Duration | None = None
    token_ttl: Duration | None = field(key="tokenTTL")


@api_type
class NodeAuthorizationSpec:
    """``Cluster.spec.nodeAuthorization``."""

    node_authorizer: NodeAuthorizerSpec | None = None


@api_type
class AssetsSpec:
    """``Cluster.spec.assets``."""

    container_registry: str | None = None
    file_repository: str | None = None
    container_proxy: str | None = None


@api_type
class AWSPermission:
    """``Cluster.spec.iam.serviceAccountExternalPermissions[].aws``."""

    policy_arns: list[str] = field(default_factory=list, key="policyARNs")
    inline_policy: str | None = field(plain=True)


@api_type
class ServiceAccountExternalPermission:
    """``Cluster.spec.iam.serviceAccountExternalPermissions[]``."""

    name: str | None = field(plain=True, always=True)
    namespace: str | None = field(plain=True, always=True)
    aws: AWSPermission | None = None


@api_type
class IAMSpec:
    """``Cluster.spec.iam``."""

    legacy: bool | None = field(plain=True, always=True)
    allow_container_registry: bool | None = field(plain=True)
    permissions_boundary: str | None = None
    use_service_account_external_permissions: bool | None = None
    service_account_external_permissions: list[ServiceAccountExternalPermission] = field(default_factory=list)


@api_type
class TerraformSpec:
    """``Cluster.spec.target.terraform``."""

    provider_extra_config: dict[str, str] = field(default_factory=dict)
    files_provider_extra_config: dict[str, str] = field(default_factory=dict)


@api_type
class TargetSpec:
    """``Cluster.spec.target``."""

    terraform: TerraformSpec | None = None


@api_type
class DiscoveryServiceOptions:
    """``Cluster.spec.serviceAccountIssuerDiscovery.discoveryService``."""

    url: str | None = field(plain=True)


@api_type
class ServiceAccountIssuerDiscoveryConfig:
    """``Cluster.spec.serviceAccountIssuerDiscovery``."""

    discovery_store: str | None = field(plain=True)
    discovery_service: DiscoveryServiceOptions | None = None
    enable_awsoidc_provider: bool | None = field(key="enableAWSOIDCProvider", plain=True)
    additional_audiences: list[str] = field(default_factory=list)


@api_type
class KarpenterConfig:
    """``Cluster.spec.karpenter``."""

    enabled: bool | None = field(plain=True)
    log_format: str | None = field(plain=True)
    log_level: str | None = field(plain=True)
    image: str | None = field(plain=True)
    feature_gates: str | None = field(plain=True)
    memory_limit: Quantity | None = None
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None


@api_type
class ClusterSpec:
    """``Cluster.spec``."""

    channel: str | None = field(plain=True)
    addons: list[AddonSpec] = field(default_factory=list)
    config_store: ConfigStoreSpec = field(default_factory=ConfigStoreSpec)
    cloud_provider: CloudProviderSpec = field(default_factory=CloudProviderSpec)
    gossip_config: GossipConfig | None = None
    container_runtime: str | None = field(hidden=True)
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
    docker: DockerConfig | None = field(hidden=True)
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
    node_authorization: NodeAuthorizationSpec | None = None
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
