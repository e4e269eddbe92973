# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields of the API are options of a component's command line, and under which names.

Source: the `flag` tags in pkg/apis/kops of kops. Fields that are not here go elsewhere: the kubelet's configuration
file, the pod's resources, or nowhere.
"""

from __future__ import annotations


def _same_name(attributes: str) -> dict[str, str]:
    return {attribute: attribute.replace("_", "-") for attribute in attributes.split()}


# Class -> attribute -> option without its dashes.
FLAGS: dict[str, dict[str, str]] = {
    "KubeletConfigSpec": {
        **_same_name(
            """
            api_servers bootstrap_kubeconfig require_kubeconfig hostname_override seccomp_profile_root
            allow_privileged register_node cloud_provider runtime_cgroups configure_cbr0 babysit_daemons
            reconcile_cidr register_schedulable node_labels non_masquerade_cidr enable_custom_metrics
            network_plugin_mtu image_minimum_gc_age image_pull_progress_deadline runtime_request_timeout
            volume_stats_agg_period experimental_allowed_unsafe_sysctls streaming_connection_idle_timeout
            root_dir authentication_token_webhook_cache_ttl registry_burst housekeeping_interval event_burst
            enable_cadvisor_json_endpoints experimental_allocatable_ignore_eviction kube_api_qps
            """
        ),
        "kubeconfig_path": "kubeconfig",
        "log_level": "v",
        "network_plugin_name": "network-plugin",
        "nvidia_gp_us": "experimental-nvidia-gpus",
    },
    "CloudControllerManagerConfig": {
        **_same_name(
            """
            master cloud_provider cluster_name allow_untagged_cloud cluster_cidr allocate_node_cidrs
            configure_cloud_routes controllers cidr_allocator_type use_service_account_credentials
            enable_leader_migration node_status_update_frequency concurrent_node_syncs
            """
        ),
        "log_level": "v",
    },
    "KubeAPIServerConfig": {
        **_same_name(
            """
            cloud_provider secure_port insecure_port address advertise_address bind_address
            insecure_bind_address enable_bootstrap_token_auth enable_aggregator_routing admission_control
            enable_admission_plugins disable_admission_plugins admission_control_config_file
            service_cluster_ip_range service_node_port_range etcd_servers etcd_servers_overrides basic_auth_file
            client_ca_file tls_cert_file tls_private_key_file tls_cipher_suites tls_min_version token_auth_file
            allow_privileged runtime_config kubelet_client_certificate kubelet_certificate_authority
            kubelet_client_key anonymous_auth kubelet_preferred_address_types storage_backend
            oidc_username_claim oidc_username_prefix oidc_groups_claim oidc_groups_prefix oidc_issuer_url
            oidc_client_id oidc_required_claim oidc_ca_file proxy_client_cert_file proxy_client_key_file
            audit_log_format audit_log_path audit_policy_file audit_webhook_batch_buffer_size
            audit_webhook_batch_max_size audit_webhook_batch_max_wait audit_webhook_batch_throttle_burst
            audit_webhook_batch_throttle_enable audit_webhook_batch_throttle_qps audit_webhook_config_file
            audit_webhook_initial_backoff audit_webhook_mode authentication_token_webhook_config_file
            authentication_token_webhook_cache_ttl authorization_mode authorization_webhook_config_file
            authorization_webhook_cache_authorized_ttl authorization_webhook_cache_unauthorized_ttl
            authorization_rbac_super_user encryption_provider_config experimental_encryption_provider_config
            requestheader_username_headers requestheader_group_headers requestheader_client_ca_file
            requestheader_allowed_names feature_gates goaway_chance max_requests_inflight
            max_mutating_requests_inflight http2_max_streams_per_connection etcd_quorum_read request_timeout
            storage_initialization_timeout min_request_timeout watch_cache watch_cache_sizes
            service_account_key_file service_account_signing_key_file service_account_issuer api_audiences
            event_ttl audit_dynamic_configuration cors_allowed_origins strict_transport_security_directives
            default_not_ready_toleration_seconds default_unreachable_toleration_seconds
            delete_collection_workers
            """
        ),
        "log_format": "logging-format",
        "log_level": "v",
        "compaction_interval": "etcd-compaction-interval",
        "etcd_ca_file": "etcd-cafile",
        "etcd_cert_file": "etcd-certfile",
        "etcd_key_file": "etcd-keyfile",
        "api_server_count": "apiserver-count",
        "authentication_config_file": "authentication-config",
        "audit_log_max_age": "audit-log-maxage",
        "audit_log_max_backups": "audit-log-maxbackup",
        "audit_log_max_size": "audit-log-maxsize",
        "requestheader_extra_header_prefixes": "requestheader-extra-headers-prefix",
        "service_account_jwksuri": "service-account-jwks-uri",
        "enable_profiling": "profiling",
        "enable_contention_profiling": "contention-profiling",
    },
    "KubeControllerManagerConfig": {
        **_same_name(
            """
            master service_account_private_key_file cloud_provider cluster_name cluster_cidr allocate_node_cidrs
            node_cidr_mask_size configure_cloud_routes controllers cidr_allocator_type root_ca_file
            attach_detach_reconcile_sync_period disable_attach_detach_reconcile_sync terminated_pod_gc_threshold
            node_monitor_period node_monitor_grace_period pod_eviction_timeout use_service_account_credentials
            horizontal_pod_autoscaler_sync_period horizontal_pod_autoscaler_downscale_delay
            horizontal_pod_autoscaler_downscale_stabilization horizontal_pod_autoscaler_upscale_delay
            horizontal_pod_autoscaler_initial_readiness_delay
            horizontal_pod_autoscaler_cpu_initialization_period horizontal_pod_autoscaler_tolerance
            horizontal_pod_autoscaler_use_rest_clients experimental_cluster_signing_duration
            cluster_signing_duration feature_gates tls_cert_file tls_cipher_suites tls_min_version
            tls_private_key_file min_resync_period kube_api_qps kube_api_burst concurrent_deployment_syncs
            concurrent_endpoint_syncs concurrent_namespace_syncs concurrent_replicaset_syncs
            concurrent_service_syncs concurrent_resource_quota_syncs concurrent_serviceaccount_token_syncs
            concurrent_rc_syncs concurrent_job_syncs authentication_kubeconfig authorization_kubeconfig
            authorization_always_allow_paths external_cloud_volume_plugin endpoint_updates_batch_period
            enable_leader_migration
            """
        ),
        "log_format": "logging-format",
        "log_level": "v",
        "concurrent_horizontal_pod_austoscaler_syncs": "concurrent-horizontal-pod-autoscaler-syncs",
        "endpoint_slice_updates_batch_period": "endpointslice-updates-batch-period",
        "enable_profiling": "profiling",
        "enable_contention_profiling": "contention-profiling",
    },
    "KubeSchedulerConfig": {
        **_same_name(
            """
            master feature_gates kube_api_qps kube_api_burst authentication_kubeconfig authorization_kubeconfig
            authorization_always_allow_paths tls_cert_file tls_private_key_file
            """
        ),
        "log_format": "logging-format",
        "log_level": "v",
        "enable_profiling": "profiling",
        "enable_contention_profiling": "contention-profiling",
    },
    "LeaderElectionConfiguration": {
        **_same_name(
            """
            leader_elect leader_elect_lease_duration leader_elect_resource_lock leader_elect_resource_name
            leader_elect_resource_namespace leader_elect_retry_period
            """
        ),
        "leader_elect_renew_deadline_duration": "leader-elect-renew-deadline",
    },
    "KubeProxyConfig": {
        **_same_name(
            """
            cluster_cidr hostname_override bind_address master metrics_bind_address proxy_mode
            ipvs_exclude_cidrs ipvs_min_sync_period ipvs_scheduler ipvs_sync_period feature_gates
            conntrack_max_per_core conntrack_min
            """
        ),
        "log_level": "v",
    },
    "ContainerdConfig": {
        **_same_name(
            """
            address log_level root state
            """
        ),
    },
}
# Lists that are given as one option for each entry; all others are joined by commas.
REPEATED = frozenset({"oidc_required_claim", "service_account_key_file"})
# Fields that mean their zero when unset, and say so on the command line.
ALWAYS = frozenset(
    {("KubeAPIServerConfig", "secure_port"), ("KubeSchedulerConfig", "log_level"), ("KubeProxyConfig", "log_level")}
)
# The value of a field that is the component's own default, and therefore left out (not for fields in ALWAYS).
DEFAULTS = {
    "delete_collection_workers": "0",
    "log_format": "text",
    "log_level": "0",
    "max_mutating_requests_inflight": "0",
    "max_requests_inflight": "0",
    "nvidia_gp_us": "0",
}
