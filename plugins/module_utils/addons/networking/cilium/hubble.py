# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hubble: its relay collects the flows of pods from the agents of all nodes."""

from __future__ import annotations

from typing import Any

from ....api.networking import CiliumNetworkingSpec
from ...objects.certificates import certificate
from ...objects.core import config_map, service_account
from ...objects.pods import config_map_volume, mount
from ...objects.services import port, service
from ...objects.workloads import deployment
from .parts import (
    AGENT_PODS,
    HUBBLE_METRICS_PORT,
    HUBBLE_PORT,
    NAMESPACE,
    PART_OF,
    RELAY,
    image,
    projected_secrets,
)

# The Issuer that a cluster has for this addon, by needsPKI in kops' index: it has the addon's name.
ISSUER = "networking.cilium.io"
_RELAY_PODS = {"k8s-app": RELAY}
_LABELS = {**_RELAY_PODS, "app.kubernetes.io/name": RELAY, **PART_OF}
_TLS = "/var/lib/hubble-relay/tls"
_RELAY_PORT, _RELAY_HEALTH_PORT = 4245, 4222
_CONFIG = "hubble-relay-config"
_CLIENT_CERTIFICATE, _SERVER_CERTIFICATE = "hubble-relay-client-certs", "hubble-server-certs"
_USER = 65532


def relay_account() -> dict[str, Any]:
    """Its service account: it never talks to the API server."""
    return {**service_account(RELAY, NAMESPACE), "automountServiceAccountToken": False}


def relay_config(cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    """Where it finds agents, and by which certificate."""
    config = f"""cluster-name: "{cilium.cluster_name}"
peer-service: "hubble-peer.kube-system.svc.cluster.local.:443"
listen-address: :{_RELAY_PORT}
gops: true
gops-port: "9893"
retry-timeout:
sort-buffer-len-max:
sort-buffer-drain-timeout:
tls-hubble-client-cert-file: {_TLS}/client.crt
tls-hubble-client-key-file: {_TLS}/client.key
tls-hubble-server-ca-files: {_TLS}/hubble-server-ca.crt

disable-server-tls: true
"""
    return config_map(_CONFIG, NAMESPACE, {}, {"config.yaml": config})


def hubble_services(cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """The relay for who watches flows, agents for metrics, and the agent of a node for the relay."""
    found = [service(RELAY, NAMESPACE, [port(80, "grpc", protocol="TCP")], _RELAY_PODS, _LABELS, type="ClusterIP")]
    if cilium.hubble and cilium.hubble.metrics:
        found.append(_metrics_service())
    peer = port(443, HUBBLE_PORT, "peer-service", "TCP")
    labels = {**AGENT_PODS, **PART_OF, "app.kubernetes.io/name": "hubble-peer"}
    found.append(service("hubble-peer", NAMESPACE, [peer], AGENT_PODS, labels, internalTrafficPolicy="Local"))
    return found


def _metrics_service() -> dict[str, Any]:
    name = "hubble-metrics"
    labels = {"k8s-app": "hubble", "app.kubernetes.io/name": "hubble", **PART_OF}
    ports = [port(HUBBLE_METRICS_PORT, name, name, "TCP")]
    made = service(name, NAMESPACE, ports, AGENT_PODS, labels, clusterIP="None", type="ClusterIP")
    scraped = {"prometheus.io/scrape": "true", "prometheus.io/port": str(HUBBLE_METRICS_PORT)}
    made["metadata"]["annotations"] = scraped
    return made


def relay(cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    """The Deployment of the relay."""
    return deployment(
        RELAY,
        NAMESPACE,
        _pod(cilium),
        selector=_RELAY_PODS,
        labels=_LABELS,
        pod_labels=_LABELS,
        replicas=2,
        strategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}},
    )


def _pod(cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    beside_agents = {"labelSelector": {"matchLabels": dict(AGENT_PODS)}, "topologyKey": "kubernetes.io/hostname"}
    files = {_CLIENT_CERTIFICATE: {"tls.crt": "client.crt", "tls.key": "client.key", "ca.crt": "hubble-server-ca.crt"}}
    return {
        "securityContext": {"fsGroup": _USER, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [_container(cilium)],
        "restartPolicy": "Always",
        "serviceAccountName": RELAY,
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 1,
        "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [beside_agents]}},
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "volumes": [
            config_map_volume("config", _CONFIG, items=[{"key": "config.yaml", "path": "config.yaml"}]),
            projected_secrets("tls", files),
        ],
    }


def _container(cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    return {
        "name": RELAY,
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "runAsGroup": _USER,
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "image": image(cilium, RELAY),
        "imagePullPolicy": "IfNotPresent",
        "command": [RELAY],
        "args": ["serve", *(["--debug"] if cilium.debug else [])],
        "ports": [{"name": "grpc", "containerPort": _RELAY_PORT}],
        "readinessProbe": _probe(timeoutSeconds=3),
        # Patient: it is only made anew if it stays without any agent.
        "livenessProbe": _probe(timeoutSeconds=10, initialDelaySeconds=10, periodSeconds=10, failureThreshold=12),
        "startupProbe": _probe(initialDelaySeconds=10, failureThreshold=20, periodSeconds=3),
        "volumeMounts": [mount("config", "/etc/hubble-relay", readOnly=True), mount("tls", _TLS, readOnly=True)],
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _probe(**settings: int) -> dict[str, Any]:
    return {"grpc": {"port": _RELAY_HEALTH_PORT}, **settings}


def hubble_certificates(cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """Certificates by which the relay and the agents know each other."""
    server = f"*.{(cilium.cluster_name or '').replace('.', '-')}.hubble-grpc.cilium.io"
    return [
        _certificate(_CLIENT_CERTIFICATE, "hubble-relay-client", ["client auth"]),
        _certificate(_SERVER_CERTIFICATE, server, ["server auth", "client auth"]),
    ]


def _certificate(name: str, subject: str, usages: list[str]) -> dict[str, Any]:
    return certificate(
        name,
        NAMESPACE,
        name,
        ISSUER,
        commonName=subject,
        dnsNames=[subject],
        duration="8760h0m0s",
        privateKey={"rotationPolicy": "Always"},
        isCA=False,
        usages=["signing", "key encipherment", *usages],
    )
