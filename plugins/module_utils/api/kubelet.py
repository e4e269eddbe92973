# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: kubelet (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .fields import api_type, field
from .scalars import Duration, Int32


@api_type
class KubeletConfigSpec:
    """``Cluster.spec.kubelet``, ``Cluster.spec.controlPlaneKubelet``, ``InstanceGroup.spec.kubelet``."""

    api_servers: str | None = field(plain=True)
    anonymous_auth: bool | None = None
    authorization_mode: str | None = field(plain=True)
    bootstrap_kubeconfig: str | None = field(plain=True)
    client_ca_file: str | None = field(key="clientCAFile", plain=True)
    tls_cert_file: str | None = field(plain=True)
    tls_private_key_file: str | None = field(plain=True)
    tls_cipher_suites: list[str] = field(default_factory=list)
    tls_min_version: str | None = field(plain=True)
    kubeconfig_path: str | None = field(plain=True)
    require_kubeconfig: bool | None = None
    log_format: str | None = field(plain=True)
    log_level: Int32 | None = None
    pod_manifest_path: str | None = field(plain=True)
    hostname_override: str | None = field(plain=True)
    pod_infra_container_image: str | None = field(plain=True)
    seccomp_default: bool | None = None
    seccomp_profile_root: str | None = None
    allow_privileged: bool | None = None
    enable_debugging_handlers: bool | None = None
    register_node: bool | None = None
    node_status_update_frequency: Duration | None = None
    cluster_domain: str | None = field(plain=True)
    cluster_dns: str | None = field(key="clusterDNS", plain=True)
    network_plugin_name: str | None = None
    cloud_provider: str | None = field(plain=True)
    kubelet_cgroups: str | None = field(plain=True)
    runtime_cgroups: str | None = field(plain=True)
    read_only_port: Int32 | None = None
    system_cgroups: str | None = field(plain=True)
    cgroup_root: str | None = field(plain=True)
    configure_cbr0: bool | None = None
    hairpin_mode: str | None = field(plain=True)
    babysit_daemons: bool | None = None
    max_pods: Int32 | None = None
    nvidia_gp_us: Int32 | None = field(key="nvidiaGPUs", plain=True)
    pod_cidr: str | None = field(key="podCIDR", plain=True)
    resolv_conf: str | None = None
    reconcile_cidr: bool | None = field(key="reconcileCIDR")
    register_schedulable: bool | None = None
    serialize_image_pulls: bool | None = None
    node_labels: dict[str, str] = field(default_factory=dict)
    non_masquerade_cidr: str | None = field(key="nonMasqueradeCIDR")
    enable_custom_metrics: bool | None = None
    network_plugin_mtu: Int32 | None = field(key="networkPluginMTU")
    image_minimum_gc_age: Duration | None = field(key="imageMinimumGCAge")
    image_maximum_gc_age: Duration | None = field(key="imageMaximumGCAge")
    max_parallel_image_pulls: Int32 | None = None
    image_gc_high_threshold_percent: Int32 | None = field(key="imageGCHighThresholdPercent")
    image_gc_low_threshold_percent: Int32 | None = field(key="imageGCLowThresholdPercent")
    image_pull_progress_deadline: Duration | None = None
    eviction_hard: str | None = None
    eviction_soft: str | None = field(plain=True)
    eviction_soft_grace_period: str | None = field(plain=True)
    eviction_pressure_transition_period: Duration | None = None
    eviction_max_pod_grace_period: Int32 | None = field(plain=True)
    eviction_minimum_reclaim: str | None = field(plain=True)
    volume_plugin_directory: str | None = field(plain=True)
    taints: list[str] = field(default_factory=list)
    feature_gates: dict[str, str] = field(default_factory=dict)
    kernel_memcg_notification: bool | None = None
    kube_reserved: dict[str, str] = field(default_factory=dict)
    kube_reserved_cgroup: str | None = field(plain=True)
    system_reserved: dict[str, str] = field(default_factory=dict)
    system_reserved_cgroup: str | None = field(plain=True)
    enforce_node_allocatable: str | None = field(plain=True)
    runtime_request_timeout: Duration | None = None
    volume_stats_agg_period: Duration | None = None
    fail_swap_on: bool | None = None
    experimental_allowed_unsafe_sysctls: list[str] = field(default_factory=list)
    allowed_unsafe_sysctls: list[str] = field(default_factory=list)
    streaming_connection_idle_timeout: Duration | None = None
    docker_disable_shared_pid: bool | None = field(hidden=True)
    root_dir: str | None = field(plain=True)
    authentication_token_webhook: bool | None = None
    authentication_token_webhook_cache_ttl: Duration | None = field(key="authenticationTokenWebhookCacheTTL")
    cpu_cfs_quota: bool | None = field(key="cpuCFSQuota")
    cpu_cfs_quota_period: Duration | None = field(key="cpuCFSQuotaPeriod")
    cpu_manager_policy: str | None = field(plain=True)
    registry_pull_qps: Int32 | None = field(key="registryPullQPS")
    registry_burst: Int32 | None = None
    topology_manager_policy: str | None = field(plain=True)
    rotate_certificates: bool | None = None
    protect_kernel_defaults: bool | None = None
    cgroup_driver: str | None = field(plain=True)
    housekeeping_interval: Duration | None = None
    event_qps: Int32 | None = field(key="eventQPS")
    event_burst: Int32 | None = None
    container_log_max_size: str | None = field(plain=True)
    container_log_max_files: Int32 | None = None
    enable_cadvisor_json_endpoints: bool | None = None
    pod_pids_limit: int | None = None
    experimental_allocatable_ignore_eviction: bool | None = None
    shutdown_grace_period: Duration | None = None
    shutdown_grace_period_critical_pods: Duration | None = None
    memory_swap_behavior: str | None = field(plain=True)
    crash_loop_back_off_max_container_restart_period: Duration | None = None
    kube_api_qps: Int32 | None = field(key="kubeAPIQPS")
    event_record_qps: Int32 | None = field(key="eventRecordQPS")
    node_lease_duration_seconds: Int32 | None = None
