# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What brings traffic from outside to Cilium's Envoy: the classes of Ingress and Gateway, and Services."""

from __future__ import annotations

from typing import Any

from ....api.networking import CiliumIngressSpec, CiliumNetworkingSpec
from ...objects.core import kubernetes_object
from ...objects.services import port, service
from .parts import AGENT_PODS, ENVOY_METRICS_PORT, NAMESPACE, PART_OF, uses_gateway_api, uses_ingress

_SHARED_SERVICE = "cilium-ingress"
# A Service without endpoints is not translated: this one never answers, Envoy takes the traffic before.
_PLACEHOLDER_ADDRESS, _PLACEHOLDER_PORT = "192.192.192.192", 9999


def agent_service(cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """Envoy's metrics; kops has this Service only together with the Gateway API."""
    if not (uses_gateway_api(cilium) and cilium.enable_prometheus_metrics):
        return []
    labels = {**AGENT_PODS, "app.kubernetes.io/name": "cilium-agent", **PART_OF}
    ports = [port(ENVOY_METRICS_PORT, "envoy-metrics", "envoy-metrics", "TCP")]
    made = service("cilium-agent", NAMESPACE, ports, AGENT_PODS, labels, clusterIP="None", type="ClusterIP")
    made["metadata"]["annotations"] = {"prometheus.io/scrape": "true", "prometheus.io/port": str(ENVOY_METRICS_PORT)}
    return [made]


def shared_service(cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """The load balancer that all Ingress objects share."""
    name = _shared_name(cilium)
    if not name:
        return []
    ports = [port(80, name="http", protocol="TCP"), port(443, name="https", protocol="TCP")]
    spec = {"ports": ports, "type": "LoadBalancer", "externalTrafficPolicy": "Cluster"}
    labels = {"cilium.io/ingress": "true", **PART_OF}
    return [kubernetes_object("v1", "Service", name, namespace=NAMESPACE, labels=labels, spec=spec)]


def shared_endpoints(cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """The placeholder behind the shared load balancer."""
    name = _shared_name(cilium)
    if not name:
        return []
    subset = {"addresses": [{"ip": _PLACEHOLDER_ADDRESS}], "ports": [{"port": _PLACEHOLDER_PORT}]}
    return [kubernetes_object("v1", "Endpoints", name, namespace=NAMESPACE, subsets=[subset])]


def _shared_name(cilium: CiliumNetworkingSpec) -> str:
    """Of the load balancer that all Ingress objects share, "" where each has its own."""
    if not uses_ingress(cilium):
        return ""
    ingress = cilium.ingress or CiliumIngressSpec()
    shared = (ingress.default_load_balancer_mode or "shared") == "shared"
    return (ingress.shared_load_balancer_service_name or _SHARED_SERVICE) if shared else ""


def ingress_class(cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """By which Ingress objects choose Cilium."""
    if not uses_ingress(cilium):
        return []
    spec = {"controller": "cilium.io/ingress-controller"}
    return [kubernetes_object("networking.k8s.io/v1", "IngressClass", "cilium", spec=spec)]


def gateway_class(cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """By which Gateway objects choose Cilium."""
    if not uses_gateway_api(cilium):
        return []
    spec = {
        "controllerName": "io.cilium/gateway-controller",
        "description": "The default Cilium GatewayClass",
    }
    return [kubernetes_object("gateway.networking.k8s.io/v1", "GatewayClass", "cilium", spec=spec)]
