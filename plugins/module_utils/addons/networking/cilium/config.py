# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ConfigMap of Cilium: what its agents, its operator and its CNI plug-in are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....api.networking import CiliumGatewayAPISpec, CiliumIngressSpec, CiliumNetworkingSpec, HubbleSpec
from ....api.questions import is_ipv6_only
from ...context import AddonContext
from ...objects.core import config_map
from .config_constants import CONSTANTS
from .parts import (
    CONFIG,
    ENVOY_METRICS_PORT,
    ETCD_CLIENT_PORT,
    ETCD_CONFIG,
    ETCD_SECRETS,
    HUBBLE_METRICS_PORT,
    HUBBLE_PORT,
    HUBBLE_TLS,
    NAMESPACE,
    OPERATOR_HEALTH_PORT,
    OPERATOR_METRICS_PORT,
    uses_gateway_api,
    uses_hubble,
    uses_ingress,
)

_ENVOY_SECRETS = NAMESPACE


def settings(context: AddonContext, cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    """The ConfigMap. What spec.networking.cilium.extraConfig says counts last."""
    data: dict[str, str] = {
        **CONSTANTS,
        **_etcd(context, cilium),
        **_general(cilium),
        **_metrics(cilium),
        **_layer_7(cilium),
        **_addresses(context, cilium),
        **_routing(cilium),
        **_chaining(cilium),
        **_encryption(cilium),
        **_services(cilium),
        **(_hubble(cilium.hubble) if cilium.hubble and uses_hubble(cilium) else {}),
        **_ipam(context, cilium),
        **cilium.extra_config,
    }
    return config_map(CONFIG, NAMESPACE, {}, data)


def _flag(value: bool | None) -> str:
    return "true" if value else "false"


def _etcd(context: AddonContext, cilium: CiliumNetworkingSpec) -> dict[str, str]:
    """The client's configuration, where Cilium keeps its state in an etcd cluster of its own."""
    if not cilium.etcd_managed:
        return {}
    client = f"""---
endpoints:
  - https://{context.api_internal_name}:{ETCD_CLIENT_PORT}
trusted-ca-file: '{ETCD_SECRETS}/etcd-ca.crt'
key-file: '{ETCD_SECRETS}/etcd-client-cilium.key'
cert-file: '{ETCD_SECRETS}/etcd-client-cilium.crt'"""
    return {
        "kvstore": "etcd",
        "kvstore-opt": f'{{"etcd.config": "{ETCD_CONFIG}/etcd.config"}}',
        "etcd-config": client,
    }


def _general(cilium: CiliumNetworkingSpec) -> dict[str, str]:
    return {
        "cluster-name": cilium.cluster_name or "",
        **({"cluster-id": str(cilium.cluster_id)} if cilium.cluster_id else {}),
        "identity-allocation-mode": cilium.identity_allocation_mode or "",
        "identity-change-grace-period": cilium.identity_change_grace_period or "",
        "disable-endpoint-crd": _flag(cilium.disable_endpoint_crd),
        "debug": _flag(cilium.debug),
        "monitor-aggregation": cilium.monitor_aggregation or "",
        "preallocate-bpf-maps": _flag(cilium.preallocate_bpf_maps),
        "cni-exclusive": _flag(cilium.cni_exclusive),
        "enable-endpoint-health-checking": _flag(cilium.enable_endpoint_health_checking),
        "enable-host-firewall": _flag(cilium.enable_host_firewall),
        "tofqdns-dns-reject-response-code": cilium.to_fqd_ns_dns_reject_response_code or "",
    }


def _metrics(cilium: CiliumNetworkingSpec) -> dict[str, str]:
    if not cilium.enable_prometheus_metrics:
        return {}
    return {
        "enable-metrics": "true",
        "prometheus-serve-addr": f":{cilium.agent_prometheus_port}",
        "proxy-prometheus-port": str(ENVOY_METRICS_PORT),
        "operator-prometheus-serve-addr": f":{OPERATOR_METRICS_PORT}",
        "controller-group-metrics": "write-cni-file sync-host-ips sync-lb-maps-with-k8s-services",
        **({"metrics": " ".join(cilium.metrics)} if cilium.metrics else {}),
    }


def _layer_7(cilium: CiliumNetworkingSpec) -> dict[str, str]:
    """What Envoy does: policies, Ingress and the Gateway API."""
    found = {"enable-l7-proxy": _flag(cilium.enable_l7_proxy)}
    if uses_ingress(cilium) or uses_gateway_api(cilium):
        found["enable-envoy-config"] = "true"
        found["envoy-config-retry-interval"] = "15s"
        found["envoy-secrets-namespace"] = _ENVOY_SECRETS
    if cilium.ingress and uses_ingress(cilium):
        found.update(_ingress(cilium.ingress))
    if cilium.gateway_api and uses_gateway_api(cilium):
        found.update(_gateway_api(cilium.gateway_api))
    return found


def _ingress(ingress: CiliumIngressSpec) -> dict[str, str]:
    chosen = {
        "enforce-ingress-https": _optional_flag(ingress.enforce_https),
        "enable-ingress-secrets-sync": _optional_flag(ingress.enable_secrets_sync),
        "ingress-lb-annotation-prefixes": ingress.load_balancer_annotation_prefixes,
        "ingress-default-lb-mode": ingress.default_load_balancer_mode,
        "ingress-shared-lb-service-name": ingress.shared_load_balancer_service_name,
    }
    return {
        "enable-ingress-controller": "true",
        "enable-ingress-proxy-protocol": "false",
        "ingress-secrets-namespace": _ENVOY_SECRETS,
        "ingress-hostnetwork-enabled": "false",
        "ingress-hostnetwork-shared-listener-port": "8080",
        "ingress-hostnetwork-nodelabelselector": "",
        **_given(chosen),
    }


def _gateway_api(gateway: CiliumGatewayAPISpec) -> dict[str, str]:
    return {
        "enable-gateway-api": "true",
        "enable-gateway-api-proxy-protocol": "false",
        "enable-gateway-api-app-protocol": "false",
        "enable-gateway-api-alpn": "false",
        "gateway-api-xff-num-trusted-hops": "0",
        "gateway-api-service-externaltrafficpolicy": "Cluster",
        "gateway-api-secrets-namespace": _ENVOY_SECRETS,
        "gateway-api-hostnetwork-enabled": "false",
        "gateway-api-hostnetwork-nodelabelselector": "",
        **_given({"enable-gateway-api-secrets-sync": _optional_flag(gateway.enable_secrets_sync)}),
    }


def _optional_flag(value: bool | None) -> str | None:
    return None if value is None else _flag(value)


def _given(values: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _addresses(context: AddonContext, cilium: CiliumNetworkingSpec) -> dict[str, str]:
    ipv6 = is_ipv6_only(context.cluster)
    return {
        "enable-ipv4": _flag(not ipv6),
        "enable-ipv6": _flag(ipv6),
        "enable-ipv4-masquerade": _flag(cilium.masquerade),
        "enable-bpf-masquerade": _flag(cilium.enable_bpf_masquerade and not ipv6),
        "operator-api-serve-addr": f"{'[::1]' if ipv6 else '127.0.0.1'}:{OPERATOR_HEALTH_PORT}",
    }


def _routing(cilium: CiliumNetworkingSpec) -> dict[str, str]:
    """Packets between nodes: in a tunnel, or as the network between them routes them."""
    found = {"auto-direct-node-routes": _flag(cilium.auto_direct_node_routes)}
    if cilium.tunnel == "disabled":
        return {**found, "routing-mode": "native"}
    return {
        **found,
        "routing-mode": "tunnel",
        "tunnel-protocol": cilium.tunnel or "",
        "tunnel-source-port-range": "0-0",
        "service-no-backend-response": "reject",
    }


def _chaining(cilium: CiliumNetworkingSpec) -> dict[str, str]:
    """In a chain, another plug-in connects pods, and the kernel routes for them as without Cilium."""
    mode = cilium.chaining_mode
    if not mode:
        return {"dnsproxy-enable-transparent-mode": "true"}
    return {
        "cni-chaining-mode": mode,
        "enable-host-legacy-routing": "true",
        **({} if mode == "portmap" else {"enable-local-node-route": "false"}),
    }


def _encryption(cilium: CiliumNetworkingSpec) -> dict[str, str]:
    if not cilium.enable_encryption:
        return {}
    found = {"encrypt-node": _flag(cilium.node_encryption)}
    if cilium.encryption_type == "wireguard":
        return {**found, "enable-wireguard": "true"}
    if cilium.encryption_type != "ipsec":
        return found
    return {
        **found,
        "enable-ipsec": "true",
        "ipsec-key-file": "/etc/ipsec/keys",
        "enable-ipsec-key-watcher": "true",
        "ipsec-key-rotation-duration": "5m",
        "enable-ipsec-encrypted-overlay": "false",
    }


def _services(cilium: CiliumNetworkingSpec) -> dict[str, str]:
    """kube-proxy's part: Cilium takes all of it over together with node ports."""
    return {
        "kube-proxy-replacement": _flag(cilium.enable_node_port),
        "enable-node-port": _flag(cilium.enable_node_port),
        "bpf-lb-sock": _flag(cilium.bpf_lb_sock),
        "bpf-lb-sock-hostns-only": _flag(cilium.bpf_lb_sock_host_ns_only),
        "enable-service-topology": _flag(cilium.enable_service_topology),
        "enable-local-redirect-policy": _flag(cilium.enable_local_redirect_policy),
    }


def _hubble(hubble: HubbleSpec) -> dict[str, str]:
    found = {
        "enable-hubble": "true",
        "hubble-socket-path": "/var/run/cilium/hubble.sock",
        "hubble-network-policy-correlation-enabled": "true",
        "hubble-listen-address": f":{HUBBLE_PORT}",
        "hubble-disable-tls": "false",
        "hubble-tls-cert-file": f"{HUBBLE_TLS}/server.crt",
        "hubble-tls-key-file": f"{HUBBLE_TLS}/server.key",
        "hubble-tls-client-ca-files": f"{HUBBLE_TLS}/client-ca.crt",
    }
    if hubble.metrics:
        found["hubble-metrics"] = " ".join(hubble.metrics)
        found["hubble-metrics-server"] = f":{HUBBLE_METRICS_PORT}"
        found["hubble-metrics-server-enable-tls"] = "false"
        found["enable-hubble-open-metrics"] = "false"
    return found


def _ipam(context: AddonContext, cilium: CiliumNetworkingSpec) -> dict[str, str]:
    """Who gives pods their addresses; with eni, pods have addresses of the VPC, on interfaces of its nodes."""
    if not cilium.ipam:
        return {}
    found = {"ipam": cilium.ipam, "ipam-cilium-node-update-rate": "15s", "cluster-pool-ipv4-mask-size": "24"}
    if cilium.ipam == "eni":
        found["enable-endpoint-routes"] = "true"
        found["auto-create-cilium-node-resource"] = "true"
        found["eni-tags"] = context.cloud_labels
    return found
