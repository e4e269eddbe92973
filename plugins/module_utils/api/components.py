# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: components (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .fields import api_type, field
from .kube_controller_manager import LeaderElectionConfiguration
from .scalars import Duration, Int32, Quantity


@api_type
class KubeSchedulerConfig:
    """``Cluster.spec.kubeScheduler``."""

    master: str | None = field(plain=True)
    log_format: str | None = field(plain=True)
    log_level: Int32 | None = field(plain=True)
    image: str | None = field(plain=True)
    leader_election: LeaderElectionConfiguration | None = None
    use_policy_config_map: bool | None = None
    feature_gates: dict[str, str] = field(default_factory=dict)
    max_persistent_volumes: Int32 | None = None
    qps: Quantity | None = None
    burst: Int32 | None = field(plain=True)
    kube_api_qps: Quantity | None = field(key="kubeAPIQPS")
    kube_api_burst: Int32 | None = field(key="kubeAPIBurst")
    authentication_kubeconfig: str | None = field(plain=True)
    authorization_kubeconfig: str | None = field(plain=True)
    authorization_always_allow_paths: list[str] = field(default_factory=list)
    enable_profiling: bool | None = None
    enable_contention_profiling: bool | None = None
    tls_cert_file: str | None = None
    tls_private_key_file: str | None = field(plain=True)
    cpu_request: Quantity | None = None
    cpu_limit: Quantity | None = None
    memory_request: Quantity | None = None
    memory_limit: Quantity | None = None


@api_type
class KubeProxyConfig:
    """``Cluster.spec.kubeProxy``."""

    image: str | None = field(plain=True)
    cpu_request: Quantity | None = None
    cpu_limit: Quantity | None = None
    memory_request: Quantity | None = None
    memory_limit: Quantity | None = None
    log_level: Int32 | None = field(plain=True)
    cluster_cidr: str | None = field(key="clusterCIDR")
    hostname_override: str | None = field(plain=True)
    bind_address: str | None = field(plain=True)
    master: str | None = field(plain=True)
    metrics_bind_address: str | None = None
    enabled: bool | None = None
    proxy_mode: str | None = field(plain=True)
    ipvs_exclude_cidrs: list[str] = field(default_factory=list, key="ipvsExcludeCIDRs")
    ipvs_min_sync_period: Duration | None = None
    ipvs_scheduler: str | None = None
    ipvs_sync_period: Duration | None = None
    feature_gates: dict[str, str] = field(default_factory=dict)
    conntrack_max_per_core: Int32 | None = None
    conntrack_min: Int32 | None = None


@api_type
class CloudConfiguration:
    """``Cluster.spec.cloudConfig``."""

    manage_storage_classes: bool | None = None


@api_type
class NTPConfig:
    """``Cluster.spec.ntp``."""

    managed: bool | None = None


@api_type
class NodeProblemDetectorConfig:
    """``Cluster.spec.nodeProblemDetector``."""

    enabled: bool | None = None
    image: str | None = None
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None
    memory_limit: Quantity | None = None
    cpu_limit: Quantity | None = None


@api_type
class MetricsServerConfig:
    """``Cluster.spec.metricsServer``."""

    enabled: bool | None = None
    image: str | None = None
    insecure: bool | None = None


@api_type
class CertManagerConfig:
    """``Cluster.spec.certManager``."""

    enabled: bool | None = None
    managed: bool | None = None
    image: str | None = None
    default_issuer: str | None = None
    nameservers: list[str] = field(default_factory=list)
    hosted_zone_ids: list[str] = field(default_factory=list, key="hostedZoneIDs")
    feature_gates: dict[str, bool] = field(default_factory=dict)


@api_type
class ClusterAutoscalerConfig:
    """``Cluster.spec.clusterAutoscaler``."""

    enabled: bool | None = None
    expander: str | None = field(plain=True)
    balance_similar_node_groups: bool | None = None
    emit_per_nodegroup_metrics: bool | None = None
    aws_use_static_instance_list: bool | None = None
    ignore_daemon_sets_utilization: bool | None = None
    scale_down_utilization_threshold: str | None = None
    skip_nodes_with_custom_controller_pods: bool | None = None
    skip_nodes_with_system_pods: bool | None = None
    skip_nodes_with_local_storage: bool | None = None
    new_pod_scale_up_delay: str | None = None
    scale_down_delay_after_add: str | None = None
    scale_down_unneeded_time: str | None = None
    scale_down_unready_time: str | None = None
    cordon_node_before_terminating: bool | None = None
    image: str | None = None
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None
    max_node_provision_time: str | None = field(plain=True)
    pod_annotations: dict[str, str] = field(default_factory=dict)
    create_priority_expander_config: bool | None = None
    custom_priority_expander_config: dict[str, list[str]] = field(default_factory=dict)


@api_type
class SnapshotControllerConfig:
    """``Cluster.spec.snapshotController``."""

    enabled: bool | None = None
    install_default_class: bool | None = field(plain=True)


@api_type
class AzureSpec:
    """``Cluster.spec.cloudProvider.azure``."""

    subscription_id: str | None = field(key="subscriptionID", plain=True)
    storage_account_id: str | None = field(key="storageAccountID", plain=True)
    tenant_id: str | None = field(key="tenantID", plain=True, always=True)
    resource_group_name: str | None = field(plain=True)
    route_table_name: str | None = field(plain=True)
    admin_user: str | None = field(plain=True)


@api_type
class EBSCSIDriverSpec:
    """``Cluster.spec.cloudProvider.aws.ebsCSIDriver``."""

    enabled: bool | None = field(hidden=True)
    managed: bool | None = None
    version: str | None = None
    kube_api_qps: Quantity | None = field(key="kubeAPIQPS")
    kube_api_burst: Int32 | None = field(key="kubeAPIBurst")
    host_network: bool | None = field(plain=True)
    volume_attach_limit: int | None = None
    pod_annotations: dict[str, str] = field(default_factory=dict)


@api_type
class NodeTerminationHandlerSpec:
    """``Cluster.spec.cloudProvider.aws.nodeTerminationHandler``."""

    delete_sqs_msg_if_node_not_found: bool | None = field(key="deleteSQSMsgIfNodeNotFound")
    enabled: bool | None = None
    enable_spot_interruption_draining: bool | None = None
    enable_scheduled_event_draining: bool | None = None
    enable_rebalance_monitoring: bool | None = None
    enable_rebalance_draining: bool | None = None
    enable_out_of_service_taint: bool | None = None
    prometheus_enable: bool | None = None
    enable_sqs_termination_draining: bool | None = field(key="enableSQSTerminationDraining")
    exclude_from_load_balancers: bool | None = None
    managed_asg_tag: str | None = field(key="managedASGTag")
    pod_termination_grace_period: Int32 | None = None
    taint_node: bool | None = None
    memory_limit: Quantity | None = None
    memory_request: Quantity | None = None
    cpu_request: Quantity | None = None
    version: str | None = None
    webhook_template: str | None = None
    webhook_url: str | None = field(key="webhookURL")


@api_type
class LoadBalancerControllerSpec:
    """``Cluster.spec.cloudProvider.aws.loadBalancerController``."""

    enabled: bool | None = None
    version: str | None = None
    enable_waf: bool | None = field(key="enableWAF", plain=True)
    enable_wafv2: bool | None = field(key="enableWAFv2", plain=True)
    enable_shield: bool | None = field(plain=True)
    cpu_request: Quantity | None = None
    cpu_limit: Quantity | None = None
    memory_request: Quantity | None = None
    memory_limit: Quantity | None = None


@api_type
class PDCSIDriver:
    """``Cluster.spec.cloudProvider.gce.pdCSIDriver``."""

    enabled: bool | None = None
    version: str | None = None
    default_storage_class_name: str | None = None
