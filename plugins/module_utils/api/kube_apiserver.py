# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: kube apiserver (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .fields import api_type, field
from .scalars import JSON, Duration, Int32, Quantity


@api_type
class KubeAPIServerConfig:
    """``Cluster.spec.kubeAPIServer``."""

    image: str | None = field(plain=True)
    disable_basic_auth: bool | None = None
    log_format: str | None = field(plain=True)
    log_level: Int32 | None = field(plain=True)
    cloud_provider: str | None = field(plain=True)
    compaction_interval: Duration | None = None
    secure_port: Int32 | None = field(plain=True)
    insecure_port: Int32 | None = None
    address: str | None = field(plain=True)
    advertise_address: str | None = field(plain=True)
    bind_address: str | None = field(plain=True)
    insecure_bind_address: str | None = field(plain=True)
    enable_bootstrap_token_auth: bool | None = None
    enable_aggregator_routing: bool | None = None
    admission_control: list[str] = field(default_factory=list)
    append_admission_plugins: list[str] = field(default_factory=list)
    enable_admission_plugins: list[str] = field(default_factory=list)
    disable_admission_plugins: list[str] = field(default_factory=list)
    admission_control_config_file: str | None = field(plain=True)
    service_cluster_ip_range: str | None = field(key="serviceClusterIPRange", plain=True)
    service_node_port_range: str | None = field(plain=True)
    etcd_servers: list[str] = field(default_factory=list)
    etcd_servers_overrides: list[str] = field(default_factory=list)
    etcd_ca_file: str | None = field(key="etcdCAFile", plain=True)
    etcd_cert_file: str | None = field(plain=True)
    etcd_key_file: str | None = field(plain=True)
    basic_auth_file: str | None = field(plain=True)
    client_ca_file: str | None = field(key="clientCAFile", plain=True)
    tls_cert_file: str | None = field(plain=True)
    tls_private_key_file: str | None = field(plain=True)
    tls_cipher_suites: list[str] = field(default_factory=list)
    tls_min_version: str | None = field(plain=True)
    token_auth_file: str | None = field(plain=True)
    allow_privileged: bool | None = None
    api_server_count: Int32 | None = None
    runtime_config: dict[str, str] = field(default_factory=dict)
    kubelet_client_certificate: str | None = field(plain=True)
    kubelet_certificate_authority: str | None = field(plain=True)
    kubelet_client_key: str | None = field(plain=True)
    anonymous_auth: bool | None = None
    kubelet_preferred_address_types: list[str] = field(default_factory=list)
    storage_backend: str | None = None
    oidc_username_claim: str | None = field(hidden=True)
    oidc_username_prefix: str | None = field(hidden=True)
    oidc_groups_claim: str | None = field(hidden=True)
    oidc_groups_prefix: str | None = field(hidden=True)
    oidc_issuer_url: str | None = field(hidden=True)
    oidc_client_id: str | None = field(hidden=True)
    oidc_required_claim: list[str] = field(default_factory=list, hidden=True)
    oidc_ca_file: str | None = field(key="oidcCAFile")
    authentication_config_file: str | None = field(plain=True)
    proxy_client_cert_file: str | None = None
    proxy_client_key_file: str | None = None
    audit_log_format: str | None = None
    audit_log_path: str | None = None
    audit_log_max_age: Int32 | None = None
    audit_log_max_backups: Int32 | None = None
    audit_log_max_size: Int32 | None = None
    audit_policy_file: str | None = field(plain=True)
    audit_webhook_batch_buffer_size: Int32 | None = None
    audit_webhook_batch_max_size: Int32 | None = None
    audit_webhook_batch_max_wait: Duration | None = None
    audit_webhook_batch_throttle_burst: Int32 | None = None
    audit_webhook_batch_throttle_enable: bool | None = None
    audit_webhook_batch_throttle_qps: Quantity | None = None
    audit_webhook_config_file: str | None = field(plain=True)
    audit_webhook_initial_backoff: Duration | None = None
    audit_webhook_mode: str | None = field(plain=True)
    authentication_token_webhook_config_file: str | None = None
    authentication_token_webhook_cache_ttl: Duration | None = None
    authorization_mode: str | None = None
    authorization_webhook_config_file: str | None = None
    authorization_webhook_cache_authorized_ttl: Duration | None = field(key="authorizationWebhookCacheAuthorizedTTL")
    authorization_webhook_cache_unauthorized_ttl: Duration | None = field(
        key="authorizationWebhookCacheUnauthorizedTTL"
    )
    authorization_rbac_super_user: str | None = field(key="authorizationRBACSuperUser")
    encryption_provider_config: str | None = None
    experimental_encryption_provider_config: str | None = None
    requestheader_username_headers: list[str] = field(default_factory=list)
    requestheader_group_headers: list[str] = field(default_factory=list)
    requestheader_extra_header_prefixes: list[str] = field(default_factory=list)
    requestheader_client_ca_file: str | None = field(key="requestheaderClientCAFile", plain=True)
    requestheader_allowed_names: list[str] = field(default_factory=list)
    feature_gates: dict[str, str] = field(default_factory=dict)
    goaway_chance: str | None = field(plain=True)
    max_requests_inflight: Int32 | None = field(plain=True)
    max_mutating_requests_inflight: Int32 | None = field(plain=True)
    http2_max_streams_per_connection: Int32 | None = None
    etcd_quorum_read: bool | None = None
    request_timeout: Duration | None = None
    storage_initialization_timeout: Duration | None = None
    min_request_timeout: Int32 | None = None
    watch_cache: bool | None = None
    watch_cache_sizes: list[str] = field(default_factory=list)
    service_account_key_file: list[str] = field(default_factory=list)
    service_account_signing_key_file: str | None = None
    service_account_issuer: str | None = None
    additional_service_account_issuers: list[str] = field(default_factory=list)
    service_account_jwksuri: str | None = field(key="serviceAccountJWKSURI")
    api_audiences: list[str] = field(default_factory=list)
    cpu_request: Quantity | None = None
    cpu_limit: Quantity | None = None
    memory_request: Quantity | None = None
    memory_limit: Quantity | None = None
    event_ttl: Duration | None = field(key="eventTTL")
    audit_dynamic_configuration: bool | None = None
    enable_profiling: bool | None = None
    enable_contention_profiling: bool | None = None
    cors_allowed_origins: list[str] = field(default_factory=list)
    strict_transport_security_directives: list[str] = field(default_factory=list)
    default_not_ready_toleration_seconds: int | None = None
    default_unreachable_toleration_seconds: int | None = None
    delete_collection_workers: int | None = field(plain=True)
    env: list[JSON] = field(default_factory=list)
