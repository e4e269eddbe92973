# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-apiserver as a static pod (kube_apiserver.go of nodeup)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import Any

from ....api.flags import options
from ....api.kube_apiserver import KubeAPIServerConfig
from ....api.questions import uses_none_dns
from ....statestore.pki import Subject
from ..certificates import Certificate
from ..context import CA_FILE, INTERNAL_IP, LOOPBACK, SRV, NodeContext
from ..draft import Draft
from ..families import families_by
from ..pods import StaticPod, http_probe, https_probe, logged, proxy_environment, tcp_probe
from ..system import hosts
from . import authentication
from .authentication import WEBHOOK_CONFIG
from .etcd import cluster_host

LOG = "/var/log/kube-apiserver.log"
DIRECTORY = f"{SRV}/kube-apiserver"
# The certificate by which the API server is a client of kubelets.
KUBELET_CLIENT = "kubelet-api"
# kops' name of the certificate with which the API server serves.
SERVING_CERTIFICATE = "master"
# The keyset that signs the tokens of service accounts.
_SIGNER = "service-account"
# What begins the name of an override of etcdServersOverrides -> the etcd cluster.
_OVERRIDES = {"/events": "events", "coordination.k8s.io/leases": "leases"}


def build(context: NodeContext, draft: Draft) -> None:
    """The pod with its certificates and files."""
    server = context.kube_api_server()
    draft.directory(DIRECTORY)
    # The API server answers requests for profiles unless it is told not to.
    server.enable_profiling = bool(server.enable_profiling)
    if not server.advertise_address and context.cloud.has_several_addresses:
        server.advertise_address = INTERNAL_IP
    authentication.build(context, draft, server)
    _build_encryption(context, draft, server)
    _build_service_accounts(draft, server)
    _build_clients(context, draft, server)
    draft.certificate(serving_certificate(context))
    server.client_ca_file = server.client_ca_file or CA_FILE
    server.tls_cert_file, server.tls_private_key_file = f"{DIRECTORY}/server.crt", f"{DIRECTORY}/server.key"
    if not context.is_control_plane:
        _use_etcd_of_others(context, server)
    if server.admission_control:
        server.enable_admission_plugins, server.admission_control = server.admission_control, []
    if server.audit_log_path and server.audit_log_path != "-":
        draft.directory(posixpath.dirname(server.audit_log_path), "0700")
    draft.log_file(LOG)
    elsewhere = [] if context.is_control_plane else hosts.restart_reasons(draft)
    for family, when in families_by("authorities"):
        draft.static_pod(pod(context, server, family.authorities), elsewhere, when)


def port(context: NodeContext) -> int:
    """The port of the host on which the API server serves."""
    server = context.cluster.spec.kube_api_server
    return (server.secure_port if server else None) or 443


def serving_certificate(context: NodeContext) -> Certificate:
    """The certificate of the API server: every name and address at which clients reach it."""
    spec = context.cluster.spec
    service = "kubernetes.default.svc"
    names = ["kubernetes", "kubernetes.default", service, f"{service}.{spec.cluster_dns_domain or 'cluster.local'}"]
    names += [spec.api.public_name] if spec.api.public_name else []
    names += [context.api_internal_name, *spec.api.additional_sans, *context.api_addresses]
    names += [context.kubernetes_service_address, LOOPBACK]
    names += [INTERNAL_IP] if context.cloud.serves_users_at_node_address else []
    return Certificate(
        SERVING_CERTIFICATE,
        Subject("kubernetes-master"),
        type="server",
        alternate_names=tuple(names),
        directory=DIRECTORY,
        file_name="server",
        # Who federates with the issuer of service account tokens looks for the whole chain.
        with_authority=True,
    )


def _build_encryption(context: NodeContext, draft: Draft, server: KubeAPIServerConfig) -> None:
    if not context.cluster.spec.encryption_config:
        return
    server.encryption_provider_config = f"{DIRECTORY}/encryptionconfig.yaml"
    draft.stored_file(server.encryption_provider_config, "secret/encryptionconfig")


def _build_service_accounts(draft: Draft, server: KubeAPIServerConfig) -> None:
    public, private = f"{DIRECTORY}/service-account.pub", f"{DIRECTORY}/service-account.key"
    draft.stored_file(public, f"public/{_SIGNER}")
    server.service_account_key_file = [*server.service_account_key_file, public]
    if server.service_account_signing_key_file is None:
        draft.stored_file(private, f"key/{_SIGNER}")
        server.service_account_signing_key_file = private


def _build_clients(context: NodeContext, draft: Draft, server: KubeAPIServerConfig) -> None:
    """The certificates by which the API server is a client of etcd, of aggregated API servers and of kubelets."""
    etcd_ca, aggregator_ca = f"{DIRECTORY}/etcd-ca.crt", f"{DIRECTORY}/apiserver-aggregator-ca.crt"
    draft.authority(etcd_ca, "etcd-clients-ca")
    draft.authority(aggregator_ca, "apiserver-aggregator-ca")
    clients = {
        "etcd-client": ("kube-apiserver", "etcd-clients-ca"),
        "apiserver-aggregator": ("aggregator", "apiserver-aggregator-ca"),
        KUBELET_CLIENT: (KUBELET_CLIENT, "kubernetes-ca"),
    }
    for name, (common_name, signer) in clients.items():
        draft.certificate(Certificate(name, Subject(common_name), signer=signer, directory=DIRECTORY))
    server.etcd_ca_file, server.requestheader_client_ca_file = etcd_ca, aggregator_ca
    server.etcd_cert_file, server.etcd_key_file = _pair("etcd-client")
    server.proxy_client_cert_file, server.proxy_client_key_file = _pair("apiserver-aggregator")
    server.kubelet_client_certificate, server.kubelet_client_key = _pair(KUBELET_CLIENT)
    if context.on_metal:
        # Here, unlike in clouds, all kubelets have addresses that their certificates name. kops leaves it to the user.
        server.kubelet_certificate_authority = server.kubelet_certificate_authority or CA_FILE


def _pair(name: str) -> tuple[str, str]:
    return f"{DIRECTORY}/{name}.crt", f"{DIRECTORY}/{name}.key"


def _use_etcd_of_others(context: NodeContext, server: KubeAPIServerConfig) -> None:
    main = cluster_host(context, "main")
    server.etcd_servers = [url.replace(LOOPBACK, main) for url in server.etcd_servers]
    overrides = []
    for override in server.etcd_servers_overrides:
        etcd = next((name for start, name in _OVERRIDES.items() if override.startswith(start)), "")
        overrides.append(override.replace(LOOPBACK, cluster_host(context, etcd)) if etcd else override)
    server.etcd_servers_overrides = overrides


def pod(context: NodeContext, server: KubeAPIServerConfig, authorities: Iterable[str]) -> dict[str, Any]:
    """The manifest. authorities: directories with the certificates of public authorities."""
    flags = options(server)
    # The first issuer signs, so these come after it.
    flags += [f"--service-account-issuer={issuer}" for issuer in server.additional_service_account_issuers]
    command, arguments = logged("kube-apiserver", flags)
    secure, insecure = server.secure_port or 0, server.insecure_port or 0
    ports = [{"name": "https", "containerPort": secure, "hostPort": secure}]
    if insecure:
        ports.append({"name": "local", "containerPort": insecure, "hostPort": insecure})
    more: dict[str, Any] = {"ports": ports, **_probes(server)}
    environment = [*server.env, *proxy_environment(context)]
    made = StaticPod(
        "kube-apiserver",
        server.image or "",
        command,
        arguments,
        labels={"k8s-app": "kube-apiserver"},
        annotations=_annotations(context),
        requests={"cpu": server.cpu_request or "150m", "memory": server.memory_request},
        limits={"cpu": server.cpu_limit, "memory": server.memory_limit},
        more={**more, "env": environment} if environment else more,
    )
    made.mount("logfile", LOG, writable=True)
    made.mount_authorities(authorities)
    made.mount("kubernetesca", CA_FILE)
    made.mount("srvkapi", DIRECTORY)
    made.mount("srvsshproxy", "/srv/sshproxy")
    if server.audit_log_path and server.audit_log_path != "-":
        # The directory: a file that is mounted by itself cannot be renamed, as rotation does.
        made.mount("auditlogpathdir", posixpath.dirname(server.audit_log_path), writable=True)
    audit_directory = posixpath.dirname(server.audit_policy_file or "")
    if audit_directory and audit_directory != DIRECTORY:
        made.mount("auditconfigdir", audit_directory)
    if authentication.uses_webhook(context):
        made.mount("authn-config", WEBHOOK_CONFIG)
    return made.manifest(context)


def _probes(server: KubeAPIServerConfig) -> dict[str, Any]:
    """Probes of the kubelet, which are anonymous requests: where these are refused, a probe only connects."""
    timing = {
        "startupProbe": (
            "/livez",
            {"initialDelaySeconds": 10, "timeoutSeconds": 300, "failureThreshold": 30, "periodSeconds": 10},
        ),
        "livenessProbe": (
            "/livez",
            {"initialDelaySeconds": 10, "timeoutSeconds": 15, "failureThreshold": 8, "periodSeconds": 10},
        ),
        "readinessProbe": ("/healthz", {"timeoutSeconds": 15, "failureThreshold": 3, "periodSeconds": 1}),
    }
    if server.insecure_port:
        return {name: http_probe(server.insecure_port, path, **when) for name, (path, when) in timing.items()}
    secure = server.secure_port or 0
    if server.anonymous_auth is False:
        return {name: tcp_probe(secure, **when) for name, (_path, when) in timing.items()}
    return {name: https_probe(secure, path, **when) for name, (path, when) in timing.items()}


def _annotations(context: NodeContext) -> dict[str, str]:
    """By which dns-controller knows the names that are to lead here."""
    annotations = {"kubectl.kubernetes.io/default-container": "kube-apiserver"}
    api = context.cluster.spec.api
    if uses_none_dns(context.cluster):
        return annotations
    if api.load_balancer is None or not api.load_balancer.use_for_internal_api:
        annotations["dns.alpha.kubernetes.io/internal"] = context.api_internal_name
    if api.dns is not None and api.public_name:
        annotations["dns.alpha.kubernetes.io/external"] = api.public_name
    return annotations
