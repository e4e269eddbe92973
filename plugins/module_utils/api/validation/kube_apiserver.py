# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.kubeAPIServer."""

from __future__ import annotations

import posixpath

from ..clouds import AWS, cloud_of
from ..cluster import Cluster
from ..kube_apiserver import KubeAPIServerConfig
from .problems import Problems, forbidden, invalid, one_of, required

AUTHORIZATION_MODES = ("ABAC", "Webhook", "Node", "RBAC", "AlwaysAllow", "AlwaysDeny")
_LAST_PORT = 65535


def validate_kube_apiserver(cluster: Cluster, server: KubeAPIServerConfig, strict: bool, path: str) -> Problems:
    """API server flags that contradict each other, the cluster, or today's Kubernetes."""
    found = _validate_admission(server, path)
    if server.authentication_config_file and _has_oidc_options(cluster):
        found.append(
            forbidden(
                f"{path}.authenticationConfigFile",
                "cannot be used together with spec.authentication.oidc; move those options into the file",
            )
        )
    if server.enable_bootstrap_token_auth:
        found.append(forbidden(f"{path}.enableBootstrapTokenAuth", "nodes do not join by bootstrap tokens; remove it"))
    if (server.proxy_client_cert_file is None) != (server.proxy_client_key_file is None):
        found.append(forbidden(path, "proxyClientCertFile and proxyClientKeyFile go together: give both or none"))
    ports = server.service_node_port_range or ""
    if not _is_port_range(ports):
        found.append(
            invalid(
                f"{path}.serviceNodePortRange", ports, f"must be first-last, up to {_LAST_PORT}, such as 30000-32767"
            )
        )
    if server.authorization_mode is not None:
        found += _validate_authorization(cluster, server, server.authorization_mode, path)
    found += one_of(f"{path}.logFormat", server.log_format or None, ("text", "json"))
    found += _validate_audit(server, f"{path}.auditWebhookConfigFile")
    services = cluster.spec.networking.service_cluster_ip_range or ""
    own = server.service_cluster_ip_range or ""
    if own != services and (strict or own):
        found.append(
            forbidden(f"{path}.serviceClusterIPRange", f"must equal spec.networking.serviceClusterIPRange {services}")
        )
    return found


def _validate_admission(server: KubeAPIServerConfig, path: str) -> Problems:
    found: Problems = []
    if server.admission_control:
        at = f"{path}.admissionControl"
        if server.disable_admission_plugins:
            found.append(forbidden(at, "cannot be used together with disableAdmissionPlugins"))
        found.append(forbidden(at, "is now enableAdmissionPlugins"))
    for key, plugins in (
        ("enableAdmissionPlugins", server.enable_admission_plugins),
        ("admissionControl", server.admission_control),
    ):
        if "PodSecurityPolicy" in plugins:
            found.append(forbidden(f"{path}.{key}", "PodSecurityPolicy is no longer a part of Kubernetes; remove it"))
    return found


def _has_oidc_options(cluster: Cluster) -> bool:
    oidc = cluster.spec.authentication.oidc if cluster.spec.authentication else None
    return oidc is not None and any(value not in (None, [], {}) for value in vars(oidc).values())


def _validate_authorization(cluster: Cluster, server: KubeAPIServerConfig, mode: str, path: str) -> Problems:
    found: Problems = []
    if "Webhook" in mode and server.authorization_webhook_config_file is None:
        found.append(
            required(f"{path}.authorizationWebhookConfigFile", "authorization mode Webhook needs its configuration")
        )
    if cluster.spec.authorization is None or cluster.spec.authorization.rbac is None:
        return found
    at, modes = f"{path}.authorizationMode", mode.split(",")
    for name in modes:
        found += one_of(at, name, AUTHORIZATION_MODES)
    if cloud_of(cluster) is AWS and not {"Node", "RBAC"} <= set(modes):
        found.append(required(at, "on AWS the list must hold both Node and RBAC"))
    return found


def _validate_audit(server: KubeAPIServerConfig, path: str) -> Problems:
    policy, webhook = server.audit_policy_file, server.audit_webhook_config_file
    if not webhook:
        return []
    if not policy:
        return [invalid(path, webhook, "needs an audit policy: set auditPolicyFile too")]
    if posixpath.dirname(policy) != posixpath.dirname(webhook):
        return [invalid(path, webhook, f"must be in the directory of auditPolicyFile, {posixpath.dirname(policy)}")]
    return []


def _is_port_range(text: str) -> bool:
    """Kubernetes' notation: first-last, first+count, or one port; empty means none."""
    text = text.strip()
    if not text:
        return True
    for separator in "-+":
        first, found, last = text.partition(separator)
        if found:
            break
    numbers = [first, last] if found else [text]
    if not all(number.strip().isascii() and number.strip().isdigit() for number in numbers):
        return False
    low = int(numbers[0])
    high = int(numbers[-1]) + (low if found == "+" else 0)
    return low <= high <= _LAST_PORT
