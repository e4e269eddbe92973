# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: kube controller manager (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .fields import api_type, field
from .scalars import Duration, Int32, Quantity


@api_type
class LeaderElectionConfiguration:
    """``leaderElection`` of the controller managers and the scheduler in ``Cluster.spec``."""

    leader_elect: bool | None = None
    leader_elect_lease_duration: Duration | None = None
    leader_elect_renew_deadline_duration: Duration | None = None
    leader_elect_resource_lock: str | None = None
    leader_elect_resource_name: str | None = None
    leader_elect_resource_namespace: str | None = None
    leader_elect_retry_period: Duration | None = None


@api_type
class KubeControllerManagerConfig:
    """``Cluster.spec.kubeControllerManager``."""

    master: str | None = field(plain=True)
    log_format: str | None = field(plain=True)
    log_level: Int32 | None = field(plain=True)
    service_account_private_key_file: str | None = field(plain=True)
    image: str | None = field(plain=True)
    cloud_provider: str | None = field(plain=True)
    cluster_name: str | None = field(plain=True)
    cluster_cidr: str | None = field(key="clusterCIDR", plain=True)
    allocate_node_cidrs: bool | None = field(key="allocateNodeCIDRs")
    node_cidr_mask_size: Int32 | None = field(key="nodeCIDRMaskSize")
    configure_cloud_routes: bool | None = None
    controllers: list[str] = field(default_factory=list)
    cidr_allocator_type: str | None = None
    root_ca_file: str | None = field(key="rootCAFile", plain=True)
    leader_election: LeaderElectionConfiguration | None = None
    attach_detach_reconcile_sync_period: Duration | None = None
    disable_attach_detach_reconcile_sync: bool | None = None
    terminated_pod_gc_threshold: Int32 | None = field(key="terminatedPodGCThreshold")
    node_monitor_period: Duration | None = None
    node_monitor_grace_period: Duration | None = None
    pod_eviction_timeout: Duration | None = None
    use_service_account_credentials: bool | None = None
    horizontal_pod_autoscaler_sync_period: Duration | None = None
    horizontal_pod_autoscaler_downscale_delay: Duration | None = None
    horizontal_pod_autoscaler_downscale_stabilization: Duration | None = None
    horizontal_pod_autoscaler_upscale_delay: Duration | None = None
    horizontal_pod_autoscaler_initial_readiness_delay: Duration | None = None
    horizontal_pod_autoscaler_cpu_initialization_period: Duration | None = None
    horizontal_pod_autoscaler_tolerance: Quantity | None = None
    horizontal_pod_autoscaler_use_rest_clients: bool | None = None
    experimental_cluster_signing_duration: Duration | None = None
    cluster_signing_duration: Duration | None = field(key="ClusterSigningDuration")
    feature_gates: dict[str, str] = field(default_factory=dict)
    tls_cert_file: str | None = None
    tls_cipher_suites: list[str] = field(default_factory=list)
    tls_min_version: str | None = field(plain=True)
    tls_private_key_file: str | None = field(plain=True)
    min_resync_period: str | None = field(plain=True)
    kube_api_qps: Quantity | None = field(key="kubeAPIQPS")
    kube_api_burst: Int32 | None = field(key="kubeAPIBurst")
    concurrent_deployment_syncs: Int32 | None = None
    concurrent_endpoint_syncs: Int32 | None = None
    concurrent_namespace_syncs: Int32 | None = None
    concurrent_replicaset_syncs: Int32 | None = None
    concurrent_service_syncs: Int32 | None = None
    concurrent_resource_quota_syncs: Int32 | None = None
    concurrent_serviceaccount_token_syncs: Int32 | None = None
    concurrent_rc_syncs: Int32 | None = field(key="concurrentRCSyncs")
    concurrent_horizontal_pod_austoscaler_syncs: Int32 | None = None
    concurrent_job_syncs: Int32 | None = None
    authentication_kubeconfig: str | None = field(plain=True)
    authorization_kubeconfig: str | None = field(plain=True)
    authorization_always_allow_paths: list[str] = field(default_factory=list)
    external_cloud_volume_plugin: str | None = field(plain=True)
    endpoint_updates_batch_period: Duration | None = None
    endpoint_slice_updates_batch_period: Duration | None = None
    enable_profiling: bool | None = None
    enable_contention_profiling: bool | None = None
    enable_leader_migration: bool | None = None
    cpu_request: Quantity | None = None
    cpu_limit: Quantity | None = None
    memory_request: Quantity | None = None
    memory_limit: Quantity | None = None


@api_type
class CloudControllerManagerConfig:
    """``Cluster.spec.cloudControllerManager``."""

    master: str | None = field(plain=True)
    log_level: Int32 | None = field(plain=True)
    image: str | None = field(plain=True)
    cloud_provider: str | None = field(plain=True)
    cluster_name: str | None = field(plain=True)
    allow_untagged_cloud: bool | None = None
    cluster_cidr: str | None = field(key="clusterCIDR", plain=True)
    allocate_node_cidrs: bool | None = field(key="allocateNodeCIDRs")
    configure_cloud_routes: bool | None = None
    controllers: list[str] = field(default_factory=list)
    cidr_allocator_type: str | None = None
    leader_election: LeaderElectionConfiguration | None = None
    use_service_account_credentials: bool | None = None
    enable_leader_migration: bool | None = None
    cpu_request: Quantity | None = None
    node_status_update_frequency: Duration | None = None
    concurrent_node_syncs: Int32 | None = None
    azure_node_manager_image: str | None = field(plain=True)
