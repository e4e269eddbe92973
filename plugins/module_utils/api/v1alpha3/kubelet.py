# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: kubelet as v1alpha3 spells them, where they differ from the hub."""

from __future__ import annotations

from dataclasses import dataclass

from ..fields import field
from ..scalars import Duration


@dataclass
class KubeletConfigSpec:
    """``Cluster.spec.kubelet``, ``Cluster.spec.controlPlaneKubelet``, ``InstanceGroup.spec.kubelet``."""

    anonymous_auth: bool | None = None
    authorization_mode: str | None = field(plain=True)
    bootstrap_kubeconfig: str | None = field(plain=True)
    tls_cert_file: str | None = field(plain=True)
    tls_private_key_file: str | None = field(plain=True)
    tls_cipher_suites: list[str] = field(default_factory=list)
    tls_min_version: str | None = field(plain=True)
    kubeconfig_path: str | None = field(plain=True)
    log_format: str | None = field(plain=True)
    log_level: int | None = None
    pod_manifest_path: str | None = field(plain=True)
    pod_infra_container_image: str | None = field(plain=True)
    seccomp_default: bool | None = None
    seccomp_profile_root: str | None = None
    enable_debugging_handlers: bool | None = None
    register_node: bool | None = None
    node_status_update_frequency: Duration | None = None
    cluster_domain: str | None = field(plain=True)
    cluster_dns: str | None = field(key="clusterDNS", plain=True)
    network_plugin_name: str | None = None
    cloud_provider: str | None = field(plain=True)
    kubelet_cgroups: str | None = field(plain=True)
    runtime_cgroups: str | None = field(plain=True)
    read_only_port: int | None = None
    system_cgroups: str | None = field(plain=True)
    cgroup_root: str | None = field(plain=True)
    hairpin_mode: str | None = field(plain=True)
    max_pods: int | None = None
    pod_cidr: str | None = field(key="podCIDR", plain=True)
    resolv_conf: str | None = None
    serialize_image_pulls: bool | None = None
    non_masquerade_cidr: str | None = field(key="nonMasqueradeCIDR")
    network_plugin_mtu: int | None = field(key="networkPluginMTU")
    image_minimum_gc_age: Duration | None = field(key="imageMinimumGCAge")
    image_maximum_gc_age: Duration | None = field(key="imageMaximumGCAge")
    max_parallel_image_pulls: int | None = None
    image_gc_high_threshold_percent: int | None = field(key="imageGCHighThresholdPercent")
    image_gc_low_threshold_percent: int | None = field(key="imageGCLowThresholdPercent")
    image_pull_progress_deadline: Duration | None = None
    eviction_hard: str | None = None
    eviction_soft: str | None = field(plain=True)
    eviction_soft_grace_period: str | None = field(plain=True)
    eviction_pressure_transition_period: Duration | None = None
    eviction_max_pod_grace_period: int | None = field(plain=True)
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
    allowed_unsafe_sysctls: list[str] = field(default_factory=list)
    streaming_connection_idle_timeout: Duration | None = None
    root_dir: str | None = field(plain=True)
    authentication_token_webhook: bool | None = None
    authentication_token_webhook_cache_ttl: Duration | None = field(key="authenticationTokenWebhookCacheTTL")
    cpu_cfs_quota: bool | None = field(key="cpuCFSQuota")
    cpu_cfs_quota_period: Duration | None = field(key="cpuCFSQuotaPeriod")
    cpu_manager_policy: str | None = field(plain=True)
    registry_pull_qps: int | None = field(key="registryPullQPS")
    registry_burst: int | None = None
    topology_manager_policy: str | None = field(plain=True)
    rotate_certificates: bool | None = None
    protect_kernel_defaults: bool | None = None
    cgroup_driver: str | None = field(plain=True)
    housekeeping_interval: Duration | None = None
    event_qps: int | None = field(key="eventQPS")
    event_burst: int | None = None
    container_log_max_size: str | None = field(plain=True)
    container_log_max_files: int | None = None
    enable_cadvisor_json_endpoints: bool | None = None
    pod_pids_limit: int | None = None
    experimental_allocatable_ignore_eviction: bool | None = None
    shutdown_grace_period: Duration | None = None
    shutdown_grace_period_critical_pods: Duration | None = None
    memory_swap_behavior: str | None = field(plain=True)
    crash_loop_back_off_max_container_restart_period: Duration | None = None
    kube_api_qps: int | None = field(key="kubeAPIQPS")
    event_record_qps: int | None = field(key="eventRecordQPS")
    node_lease_duration_seconds: int | None = None
