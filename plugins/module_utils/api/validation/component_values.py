# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What API server, controller managers, scheduler and kube-proxy refuse when they start: their validation of options.

Which rule is for an option, its name or its type says, as the programs share most of them. kops checks none of it; a
control plane would be left whose pods end at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ...base.errors import FieldError
from ..addresses import parse_address, parse_cidr
from ..cluster import Cluster
from ..components import KubeProxyConfig
from ..fields import camel_case, fields_of, rules_of
from ..instance_group import InstanceGroup
from ..kube_apiserver import KubeAPIServerConfig
from ..kube_controller_manager import KubeControllerManagerConfig, LeaderElectionConfiguration
from ..scalars import Duration
from .problems import Problems, forbidden, invalid, one_of, required
from .syntax import (
    TLS_VERSIONS,
    validate_cipher_suites,
    validate_duration,
    validate_hostname_override,
    validate_share,
)
from .urls import parse_url

# Attribute of the specification -> manifest key.
COMPONENTS = {
    "kube_api_server": "kubeAPIServer",
    "kube_controller_manager": "kubeControllerManager",
    "kube_scheduler": "kubeScheduler",
    "kube_proxy": "kubeProxy",
    "cloud_controller_manager": "cloudControllerManager",
}
# Attribute -> least and greatest value; None for no limit. Others are at least 0 (well_formed.py).
RANGES: dict[str, tuple[int, int | None]] = {
    "audit_webhook_batch_buffer_size": (1, None),
    "audit_webhook_batch_max_size": (1, None),
    "node_cidr_mask_size": (1, 128),
}
CHOICES: dict[str, tuple[str, ...]] = {
    "audit_log_format": ("json", "legacy"),
    "audit_webhook_mode": ("batch", "blocking", "blocking-strict"),
    "cidr_allocator_type": ("RangeAllocator", "CloudAllocator", "IPAMFromCluster", "IPAMFromCloud"),
    "ipvs_scheduler": (
        *("rr", "wrr", "lc", "wlc", "fo", "ovf", "lblc", "lblcr"),
        *("sh", "dh", "sed", "nq", "mh", "twos"),
    ),
    "leader_elect_resource_lock": ("leases",),
    "storage_backend": ("etcd3",),
    "tls_min_version": TLS_VERSIONS,
}
_KUBELETS = {"kubelet": "kubelet", "control_plane_kubelet": "controlPlaneKubelet"}
# Component -> attributes whose options no supported version of Kubernetes has; with one, the program ends at once. More
# of the kubelet's, which kops refuses as well, are in kubelet.py.
GONE: dict[str, tuple[str, ...]] = {
    "KubeAPIServerConfig": (
        *("address", "audit_dynamic_configuration", "basic_auth_file", "etcd_quorum_read", "insecure_bind_address"),
        "insecure_port",
    ),
    "KubeControllerManagerConfig": ("pod_eviction_timeout", "horizontal_pod_autoscaler_use_rest_clients"),
    "KubeletConfigSpec": (
        *("allow_privileged", "babysit_daemons", "enable_custom_metrics", "image_pull_progress_deadline"),
        "reconcile_cidr",
    ),
}
# Values of the same kind, of options that are still there: what to write instead.
GONE_VALUES: dict[str, dict[str, dict[str, str]]] = {
    "KubeletConfigSpec": {"memory_swap_behavior": {"UnlimitedSwap": "LimitedSwap, or leave it out for no swap"}},
}
# Kubernetes 1.32 to 1.37; a plug-in that has gone ends the API server, too.
ADMISSION_PLUGINS = (
    *("AlwaysAdmit", "AlwaysDeny", "AlwaysPullImages", "CertificateApproval", "CertificateSigning"),
    *("CertificateSubjectRestriction", "ClusterTrustBundleAttest", "DefaultIngressClass", "DefaultStorageClass"),
    *("DefaultTolerationSeconds", "DenyServiceExternalIPs", "EventRateLimit", "ExtendedResourceToleration"),
    *("ImagePolicyWebhook", "JobValidation", "LimitPodHardAntiAffinityTopology", "LimitRanger"),
    *("MutatingAdmissionPolicy", "MutatingAdmissionWebhook", "NamespaceAutoProvision", "NamespaceExists"),
    *("NamespaceLifecycle", "NodeDeclaredFeatureValidator", "NodeRestriction"),
    *("OwnerReferencesPermissionEnforcement", "PersistentVolumeClaimResize", "PersistentVolumeLabel"),
    *("PodGroupProtection", "PodGroupWorkloadExists", "PodNodeSelector", "PodResizeValidator", "PodSecurity"),
    *("PodTolerationRestriction", "PodTopologyLabels", "Priority", "ResourceQuota", "RuntimeClass"),
    *("ServiceAccount", "StorageObjectInUseProtection", "TaintNodesByCondition", "ValidatingAdmissionPolicy"),
    "ValidatingAdmissionWebhook",
)
_PATHS = ("_file", "_kubeconfig", "_provider_config")
_ADDRESSES = ("address", "advertise_address", "bind_address", "insecure_bind_address")
_MOST_GOAWAY = 0.02
# The controller manager's limit of nodes: the ranges of nodes are so many bits longer than that of pods.
_MOST_NODE_BITS = 16
_DEFAULT_NODE_MASK = {4: 24, 6: 64}
# Seconds, of client-go: a lease, its renewal, and the pause between two attempts.
_LEASE, _RENEWAL, _PAUSE = Duration("15s"), Duration("10s"), Duration("2s")
_JITTER = 1.2


def validate_component_values(cluster: Cluster) -> Problems:
    """The values of the options of all components of the control plane, and of kube-proxy."""
    found: Problems = []
    for attribute, key in COMPONENTS.items():
        component, path = getattr(cluster.spec, attribute), f"spec.{key}"
        if component is None:
            continue
        found += _values(component, path)
        election = getattr(component, "leader_election", None)
        if election is not None:
            found += _values(election, f"{path}.leaderElection")
            found += _leader_election(election, f"{path}.leaderElection")
        if isinstance(component, KubeAPIServerConfig):
            found += _api_server(component, path)
            found += _admission_plugins(component, path)
        if isinstance(component, KubeControllerManagerConfig):
            found += _controller_manager(component, path)
        if isinstance(component, KubeProxyConfig):
            found += _proxy(component, path)
    return found + list(_oidc(cluster)) + list(_ranges_of_nodes(cluster))


def _admission_plugins(server: KubeAPIServerConfig, path: str) -> Problems:
    """The names of plug-ins. An API server ends at once with one that it does not know."""
    return [
        each
        for key, plugins in (
            ("appendAdmissionPlugins", server.append_admission_plugins),
            ("enableAdmissionPlugins", server.enable_admission_plugins),
            ("disableAdmissionPlugins", server.disable_admission_plugins),
        )
        for index, plugin in enumerate(plugins)
        for each in one_of(f"{path}.{key}[{index}]", plugin, ADMISSION_PLUGINS)
    ]


def validate_gone(cluster: Cluster, groups: Iterable[InstanceGroup]) -> Iterator[FieldError]:
    """Options that programs had once, and do not start with now. kops passes them on."""
    for attribute, key in (*COMPONENTS.items(), *_KUBELETS.items()):
        yield from _gone(getattr(cluster.spec, attribute), f"spec.{key}", "")
    for group in groups:
        yield from _gone(group.spec.kubelet, "spec.kubelet", str(group.metadata.name or ""))


def _gone(component: Any, path: str, group: str) -> Iterator[FieldError]:
    gone = GONE.get(type(component).__name__, ())
    for declared in fields_of(type(component)) if gone else ():
        attribute = declared.name
        if attribute in gone and getattr(component, attribute) not in (None, ""):
            at = f"{path}.{rules_of(declared).key or camel_case(attribute)}"
            yield replace(forbidden(at, "Kubernetes no longer has this option; remove it"), group=group)
    for attribute, values in GONE_VALUES.get(type(component).__name__, {}).items():
        value = getattr(component, attribute)
        if value in values:
            message = f"Kubernetes no longer has this value; write {values[value]}"
            yield replace(invalid(f"{path}.{camel_case(attribute)}", value, message), group=group)


def _values(component: Any, path: str) -> Iterator[FieldError]:
    for declared in fields_of(type(component)):
        name, value = declared.name, getattr(component, declared.name)
        if value is None or value == "":
            continue
        at = f"{path}.{rules_of(declared).key or camel_case(name)}"
        if name in CHOICES:
            yield from one_of(at, value, CHOICES[name])
        elif name == "cluster_cidr" and not isinstance(component, KubeControllerManagerConfig):
            ranges = value.split(",")
            if any(parse_cidr(each.strip()) is None for each in ranges) or len(ranges) > 2:
                yield invalid(at, value, "must be a CIDR, or one of IPv4 and one of IPv6")
        elif name in _ADDRESSES:
            if parse_address(value) is None:
                yield invalid(at, value, "must be an IP address")
        elif name == "tls_cipher_suites":
            yield from validate_cipher_suites(value, at)
        elif name in RANGES:
            least, most = RANGES[name]
            if value < least or (most is not None and value > most):
                yield invalid(at, value, f"must be at least {least}" if most is None else f"must be {least} to {most}")
        elif name.endswith(_PATHS) and isinstance(value, str) and not value.startswith("/"):
            yield invalid(at, value, "must be an absolute path: the program has no directory of its own")


def _api_server(server: KubeAPIServerConfig, path: str) -> Iterator[FieldError]:
    if server.audit_log_path and server.audit_log_path != "-" and not server.audit_log_path.startswith("/"):
        yield invalid(f"{path}.auditLogPath", server.audit_log_path, "must be an absolute path, or - for the pod's log")
    if server.goaway_chance:
        yield from validate_share(server.goaway_chance, f"{path}.goawayChance", _MOST_GOAWAY)
    issuers = [(f"{path}.serviceAccountIssuer", server.service_account_issuer or "")]
    issuers += [
        (f"{path}.additionalServiceAccountIssuers[{index}]", issuer)
        for index, issuer in enumerate(server.additional_service_account_issuers)
    ]
    for at, issuer in issuers:
        if any(each.isspace() for each in issuer) or (":" in issuer and not _is_url(issuer, ())):
            yield invalid(at, issuer, "must be a URL, for example https://example.com, or a word without ':'")
    if server.service_account_jwksuri and not _is_url(server.service_account_jwksuri, ("https",)):
        yield invalid(f"{path}.serviceAccountJWKSURI", server.service_account_jwksuri, "must be a URL with https://")
    if server.oidc_issuer_url and not _is_url(server.oidc_issuer_url, ("https",)):
        yield invalid(f"{path}.oidcIssuerURL", server.oidc_issuer_url, "must be a URL with https://")


def _oidc(cluster: Cluster) -> Iterator[FieldError]:
    oidc = cluster.spec.authentication.oidc if cluster.spec.authentication else None
    if oidc is None:
        return
    at = "spec.authentication.oidc"
    if oidc.issuer_url and not _is_url(oidc.issuer_url, ("https",)):
        yield invalid(f"{at}.issuerURL", oidc.issuer_url, "must be a URL with https://")
    if bool(oidc.issuer_url) != bool(oidc.client_id):
        key, other = ("clientID", "issuerURL") if oidc.issuer_url else ("issuerURL", "clientID")
        yield required(f"{at}.{key}", f"is needed with {other}")


def _controller_manager(manager: KubeControllerManagerConfig, path: str) -> Iterator[FieldError]:
    if manager.min_resync_period:
        yield from validate_duration(manager.min_resync_period, f"{path}.minResyncPeriod")


def _ranges_of_nodes(cluster: Cluster) -> Iterator[FieldError]:
    """The controller manager divides the range of pods among nodes, unless pods have addresses of the cloud."""
    networking = cluster.spec.networking
    manager = cluster.spec.kube_controller_manager or KubeControllerManagerConfig()
    of_cloud = networking.amazon_vpc or (networking.cilium and networking.cilium.ipam == "eni")
    if of_cloud or manager.allocate_node_cidrs is False:
        return
    path, cidr = "spec.networking.podCIDR", networking.pod_cidr or manager.cluster_cidr or ""
    pods, mask = parse_cidr(cidr), manager.node_cidr_mask_size
    if pods is None:
        return
    size = mask or _DEFAULT_NODE_MASK[pods.version]
    least, most = pods.prefixlen, min(pods.prefixlen + _MOST_NODE_BITS, pods.max_prefixlen)
    if least <= size <= most:
        return
    value: object = cidr
    if mask is not None:
        path, value = "spec.kubeControllerManager.nodeCIDRMaskSize", mask
    yield invalid(path, value, f"nodes get ranges of /{size} of the pods' {pods}; these can be /{least} to /{most}")


def _proxy(proxy: KubeProxyConfig, path: str) -> Iterator[FieldError]:
    if proxy.metrics_bind_address and not _is_endpoint(proxy.metrics_bind_address):
        yield invalid(
            f"{path}.metricsBindAddress", proxy.metrics_bind_address, "must be an IP address, or address:port"
        )
    yield from validate_hostname_override(proxy.hostname_override or "", f"{path}.hostnameOverride")
    least, usual = proxy.ipvs_min_sync_period, proxy.ipvs_sync_period or Duration("30s")
    if least is not None and least.seconds > usual.seconds:
        yield forbidden(f"{path}.ipvsMinSyncPeriod", f"{least} must not be longer than ipvsSyncPeriod, {usual}")


def _leader_election(election: LeaderElectionConfiguration, path: str) -> Iterator[FieldError]:
    lease = election.leader_elect_lease_duration or _LEASE
    renewal = election.leader_elect_renew_deadline_duration or _RENEWAL
    pause = election.leader_elect_retry_period or _PAUSE
    if election.leader_elect is False:
        return
    if lease.seconds <= renewal.seconds:
        message = f"{lease} must be longer than leaderElectRenewDeadlineDuration, {renewal}"
        yield forbidden(f"{path}.leaderElectLeaseDuration", message)
    if renewal.seconds <= _JITTER * pause.seconds:
        message = f"{renewal} must be longer than {_JITTER} times leaderElectRetryPeriod, {pause}"
        yield forbidden(f"{path}.leaderElectRenewDeadlineDuration", message)


def _is_url(text: str, schemes: tuple[str, ...]) -> bool:
    url = parse_url(text)
    return url is not None and bool(url.scheme) and (not schemes or (url.scheme in schemes and bool(url.netloc)))


def _is_endpoint(text: str) -> bool:
    """An address, or an address and a port as Go writes it: 10.0.0.1:80, [fd00::1]:80."""
    if parse_address(text) is not None:
        return True
    host, _colon, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    return parse_address(host) is not None and port.isascii() and port.isdigit() and int(port) <= 65535
