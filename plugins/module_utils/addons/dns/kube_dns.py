# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-dns, the cluster's DNS before CoreDNS (kube-dns.addons.k8s.io of kops)."""

from __future__ import annotations

import json
from typing import Any

from ...api.cluster import KubeDNSConfig
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import config_map, dns_ports, service_account
from ..objects.pods import (
    config_map_volume,
    container_ports,
    http_probe,
    mount,
    preferably_apart,
    requests,
    toleration,
    variables,
)
from ..objects.policy import disruption_budget
from ..objects.services import service
from ..objects.workloads import deployment
from .proportional_autoscaler import autoscaler_of

_ADDON = "kube-dns.addons.k8s.io"
_NAME, _NAMESPACE = "kube-dns", "kube-system"
_APP = {"k8s-app": _NAME}
_LABELS = {"k8s-addon": _ADDON, **_APP, "kubernetes.io/cluster-service": "true"}
_IMAGES, _VERSION = "registry.k8s.io/k8s-dns-", "1.15.13"
_AUTOSCALER_IMAGE = "registry.k8s.io/cpa/cluster-proportional-autoscaler:v1.8.8"
_CONFIG = "kube-dns-config"
# Where the programs of a pod find each other.
_LOCAL_PORT, _HEALTH_PORT, _METRICS_PORT = 10053, 10054, 10055


def _is_chosen(context: AddonContext) -> bool:
    dns = context.cluster.spec.kube_dns
    return dns is not None and dns.provider == "KubeDNS"


def _build(context: AddonContext) -> list[dict[str, Any]]:
    dns = context.cluster.spec.kube_dns or KubeDNSConfig()
    critical = {"priorityClassName": "system-cluster-critical", "tolerations": [toleration("CriticalAddonsOnly")]}
    made = service(
        _NAME,
        _NAMESPACE,
        dns_ports(),
        _APP,
        {**_LABELS, "kubernetes.io/name": "KubeDNS"},
        clusterIP=dns.server_ip,
    )
    # kops writes it so that an update by other means than server-side apply is taken as well.
    made["metadata"]["resourceVersion"] = "0"
    return [
        *_config_map(dns),
        _deployment(dns),
        service_account(_NAME, _NAMESPACE, _LABELS),
        made,
        *autoscaler_of(_NAME, _ADDON, dns.cpa_image or _AUTOSCALER_IMAGE, **critical),
        disruption_budget(_NAME, _NAMESPACE, _APP, maxUnavailable="50%"),
    ]


def _config_map(dns: KubeDNSConfig) -> list[dict[str, Any]]:
    settings = {"upstreamNameservers": dns.upstream_nameservers, "stubDomains": dns.stub_domains}
    data = {
        name: json.dumps(value, separators=(",", ":"), sort_keys=True) + "\n"
        for name, value in settings.items()
        if value
    }
    return [config_map(_NAME, _NAMESPACE, {}, data)] if data else []


def _deployment(dns: KubeDNSConfig) -> dict[str, Any]:
    annotations = {"prometheus.io/scrape": "true", "prometheus.io/port": str(_METRICS_PORT)}
    pod = {
        "affinity": preferably_apart("k8s-app", _NAME, weight=1),
        "dnsPolicy": "Default",
        "priorityClassName": "system-cluster-critical",
        "serviceAccountName": _NAME,
        "volumes": [config_map_volume(_CONFIG, _NAME, optional=True)],
        "containers": [_kube_dns(dns), _dnsmasq(dns), _sidecar(dns)],
    }
    return deployment(
        _NAME,
        _NAMESPACE,
        pod,
        selector=_APP,
        labels=_LABELS,
        pod_annotations=annotations,
        strategy={"rollingUpdate": {"maxSurge": "10%", "maxUnavailable": 0}},
    )


def _kube_dns(dns: KubeDNSConfig) -> dict[str, Any]:
    """Answers names of the cluster."""
    return {
        "name": "kubedns",
        "image": f"{_IMAGES}kube-dns:{_VERSION}",
        "resources": requests(cpu="100m", memory="70Mi", limits={"memory": "170Mi"}),
        "livenessProbe": _alive("/healthcheck/kubedns"),
        "readinessProbe": http_probe("/readiness", 8081, scheme="HTTP", initialDelaySeconds=3, timeoutSeconds=5),
        "args": ["--config-dir=/kube-dns-config", f"--dns-port={_LOCAL_PORT}", f"--domain={dns.domain}.", "--v=2"],
        "env": variables({"PROMETHEUS_PORT": str(_METRICS_PORT)}),
        "ports": container_ports(
            {
                "dns-local": (_LOCAL_PORT, "UDP"),
                "dns-tcp-local": (_LOCAL_PORT, "TCP"),
                "metrics": (_METRICS_PORT, "TCP"),
            }
        ),
        "volumeMounts": [mount(_CONFIG, "/kube-dns-config")],
    }


def _dnsmasq(dns: KubeDNSConfig) -> dict[str, Any]:
    """Keeps answers, and forwards other names."""
    directory = "/etc/k8s/dns/dnsmasq-nanny"
    return {
        "name": "dnsmasq",
        "image": f"{_IMAGES}dnsmasq-nanny:{_VERSION}",
        "livenessProbe": _alive("/healthcheck/dnsmasq"),
        "args": [
            "-v=2",
            "-logtostderr",
            f"-configDir={directory}",
            "-restartDnsmasq=true",
            "--",
            "-k",
            f"--cache-size={dns.cache_max_size}",
            f"--dns-forward-max={dns.cache_max_concurrent}",
            "--no-negcache",
            "--log-facility=-",
            *(f"--server=/{zone}/127.0.0.1#{_LOCAL_PORT}" for zone in (dns.domain, "in-addr.arpa", "in6.arpa")),
            "--min-port=1024",
        ],
        "ports": container_ports({"dns": (53, "UDP"), "dns-tcp": (53, "TCP")}),
        "resources": requests(cpu="150m", memory="20Mi"),
        "volumeMounts": [mount(_CONFIG, directory)],
    }


def _sidecar(dns: KubeDNSConfig) -> dict[str, Any]:
    """Checks the other two, and has their metrics."""
    probed = {"kubedns": _LOCAL_PORT, "dnsmasq": 53}
    return {
        "name": "sidecar",
        "image": f"{_IMAGES}sidecar:{_VERSION}",
        "livenessProbe": _alive("/metrics"),
        "args": [
            "--v=2",
            "--logtostderr",
            *(
                f"--probe={name},127.0.0.1:{number},kubernetes.default.svc.{dns.domain},5,A"
                for name, number in probed.items()
            ),
        ],
        "ports": container_ports({"metrics": (_HEALTH_PORT, "TCP")}),
        "resources": requests(cpu="10m", memory="20Mi"),
    }


def _alive(path: str) -> dict[str, Any]:
    return http_probe(
        path,
        _HEALTH_PORT,
        scheme="HTTP",
        initialDelaySeconds=60,
        timeoutSeconds=5,
        successThreshold=1,
        failureThreshold=5,
    )


ADDON = AddonDefinition(name=_ADDON, condition=_is_chosen, build=_build, id="k8s-1.12")
