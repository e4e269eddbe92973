# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A DNS cache on each node (nodelocaldns.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.cluster import Cluster, KubeDNSConfig, NodeLocalDNSConfig
from ...api.questions import is_ipv6_only
from ..conditions import is_enabled
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import block_text, config_map, dns_ports, service_account
from ..objects.pods import (
    config_map_volume,
    container_ports,
    http_probe,
    mount,
    requests,
    selinux_options,
    toleration,
    xtables_lock,
)
from ..objects.services import service
from ..objects.workloads import daemon_set

_NAMESPACE = "kube-system"
_OBJECT = "node-local-dns"
_UPSTREAM = "kube-dns-upstream"
_HEALTH_PORT = 3989
_METRICS_PORT = 9253
_MODE = {"addonmanager.kubernetes.io/mode": "Reconcile"}
_SERVICE = {"kubernetes.io/cluster-service": "true"}
_APP = {"k8s-app": _OBJECT}
# The cache itself puts addresses in their place.
_CLUSTER_SERVERS = "__PILLAR__CLUSTER__DNS__"
_UPSTREAM_SERVERS = "__PILLAR__UPSTREAM__SERVERS__"


def _is_enabled(context: AddonContext) -> bool:
    """Only beside CoreDNS."""
    dns = context.cluster.spec.kube_dns
    return dns is not None and (dns.provider or "CoreDNS") == "CoreDNS" and is_enabled(dns.node_local_dns)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    cluster = context.cluster
    dns = cluster.spec.kube_dns or KubeDNSConfig()
    cache = dns.node_local_dns or NodeLocalDNSConfig()
    upstream_labels = {"k8s-app": "kube-dns", **_SERVICE, **_MODE, "kubernetes.io/name": "KubeDNSUpstream"}
    return [
        service_account(_OBJECT, _NAMESPACE, {**_SERVICE, **_MODE}),
        service(_UPSTREAM, _NAMESPACE, dns_ports(targets=True), {"k8s-app": "kube-dns"}, upstream_labels),
        config_map(_OBJECT, _NAMESPACE, _MODE, {"Corefile": _corefile(cluster, dns, cache)}),
        _daemon_set(cluster, cache),
    ]


def _corefile(cluster: Cluster, dns: KubeDNSConfig, cache: NodeLocalDNSConfig) -> str:
    if cache.external_core_file:
        return block_text(cache.external_core_file)
    proxy = cluster.spec.kube_proxy
    servers = dns.server_ip if proxy is not None and proxy.proxy_mode == "ipvs" else _CLUSTER_SERVERS
    cluster_servers = ["forward . " + str(servers) + " {", "  force_tcp", "}"]
    own = ["cache {", "  success 9984 30", "  denial 9984 5", "}"]
    host = f"[{cache.local_ip}]" if ":" in (cache.local_ip or "") else cache.local_ip
    zones = [_zone(f"{dns.domain}:53", cache, own, cluster_servers, [f"health {host}:{_HEALTH_PORT}"])]
    plain = ["cache 30"]
    if cache.forward_to_kube_dns:
        zones.append(_zone(".:53", cache, plain, cluster_servers, []))
    else:
        zones += [_zone(f"{zone}:53", cache, plain, cluster_servers, []) for zone in ("in-addr.arpa", "ip6.arpa")]
        dns64 = ["dns64"] if is_ipv6_only(cluster) else []
        zones.append(_zone(".:53", cache, plain, [f"forward . {_UPSTREAM_SERVERS}"], dns64))
    return block_text("".join(zones) + (cache.additional_config or ""))


def _zone(name: str, cache: NodeLocalDNSConfig, caching: list[str], forward: list[str], last: list[str]) -> str:
    metrics = f"prometheus :{_METRICS_PORT}"
    lines = ["errors", *caching, "reload", "loop", f"bind {cache.local_ip}", *forward, metrics, *last]
    return f"{name} {{\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


def _daemon_set(cluster: Cluster, cache: NodeLocalDNSConfig) -> dict[str, Any]:
    annotations = {"prometheus.io/port": str(_METRICS_PORT), "prometheus.io/scrape": "true", **cache.pod_annotations}
    return daemon_set(
        _OBJECT,
        _NAMESPACE,
        _pod(cluster, cache),
        selector=_APP,
        labels={**_APP, **_SERVICE, **_MODE},
        pod_annotations=annotations,
        # A cache that is replaced leaves its node without DNS for a moment; a node's own replacement does not.
        updateStrategy={"type": "OnDelete"},
    )


def _pod(cluster: Cluster, cache: NodeLocalDNSConfig) -> dict[str, Any]:
    everywhere = [toleration(effect=effect) for effect in ("NoExecute", "NoSchedule")]
    return {
        "priorityClassName": "system-node-critical",
        "serviceAccountName": _OBJECT,
        "hostNetwork": True,
        "dnsPolicy": "Default",
        "tolerations": [toleration("CriticalAddonsOnly"), *everywhere],
        "containers": [_container(cluster, cache)],
        "volumes": [
            xtables_lock(),
            config_map_volume("kube-dns-config", "kube-dns", optional=True),
            config_map_volume("config-volume", _OBJECT, items=[{"key": "Corefile", "path": "Corefile.base"}]),
        ],
    }


def _container(cluster: Cluster, cache: NodeLocalDNSConfig) -> dict[str, Any]:
    return {
        "name": "node-cache",
        "image": cache.image,
        "resources": requests(cpu=cache.cpu_request, memory=cache.memory_request),
        "args": [
            f"-localip={cache.local_ip}",
            "-conf=/etc/Corefile",
            f"-upstreamsvc={_UPSTREAM}",
            "-setupiptables=false",
        ],
        "securityContext": {"capabilities": {"add": ["NET_ADMIN"]}, **selinux_options(cluster)},
        "ports": container_ports({"dns": (53, "UDP"), "dns-tcp": (53, "TCP"), "metrics": (_METRICS_PORT, "TCP")}),
        "livenessProbe": http_probe(
            "/health", _HEALTH_PORT, host=cache.local_ip or "", initialDelaySeconds=60, timeoutSeconds=5
        ),
        "volumeMounts": [
            mount("xtables-lock", "/run/xtables.lock", readOnly=False),
            mount("config-volume", "/etc/coredns"),
            mount("kube-dns-config", "/etc/kube-dns"),
        ],
    }


ADDON = AddonDefinition(
    name="nodelocaldns.addons.k8s.io",
    condition=_is_enabled,
    build=_build,
    id="k8s-1.12",
    needs_rolling_update="all",
)
