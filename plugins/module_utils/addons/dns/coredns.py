# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CoreDNS, the cluster's DNS (coredns.addons.k8s.io of kops).

kops lets the cluster-proportional-autoscaler set the number of replicas. On bare metal, nodes come and go by runs of
this collection only, which know how many there are: there the Deployment says its number itself, by the autoscaler's
own rule, and nothing more has to run. A cluster that names spec.kubeDNS.cpaImage gets the autoscaler.
"""

from __future__ import annotations

import math
from typing import Any

from ...api.clouds import METAL, cloud_of
from ...api.cluster import Cluster, KubeDNSConfig
from ...api.questions import is_ipv6_only, runs_control_plane_only, uses_none_dns
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import block_text, config_map, dns_ports, service_account
from ..objects.pods import (
    config_map_volume,
    container_ports,
    host_path,
    http_probe,
    mount,
    requests,
    selinux_options,
    spread,
    toleration,
)
from ..objects.policy import disruption_budget
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.services import port, service
from ..objects.workloads import deployment
from .proportional_autoscaler import NODES_PER_REPLICA, autoscaler_of

NAME = "coredns.addons.k8s.io"
_OBJECT, NAMESPACE = "coredns", "kube-system"
_IMAGE = "registry.k8s.io/coredns/coredns:v1.14.2"
_AUTOSCALER_IMAGE = "registry.k8s.io/cpa/cluster-proportional-autoscaler:v1.9.0"

_ADDON = {"k8s-addon": NAME}
_SERVICE = {"kubernetes.io/cluster-service": "true"}
_LINUX = {"kubernetes.io/os": "linux"}
_APP = {"k8s-app": "kube-dns"}
_BOOTSTRAPPING = {"kubernetes.io/bootstrapping": "rbac-defaults", **_ADDON}
_RULES = (
    rule("", "endpoints services pods namespaces", "list watch"),
    rule("discovery.k8s.io", "endpointslices", "list watch"),
)


def _is_chosen(context: AddonContext) -> bool:
    """Also by default; but where addon operators are on, one of them installs CoreDNS."""
    dns = context.cluster.spec.kube_dns
    provider = (dns.provider if dns else None) or "CoreDNS"
    return provider == "CoreDNS" and "UseAddonOperators" not in context.features


def _build(context: AddonContext) -> list[dict[str, Any]]:
    cluster = context.cluster
    dns = cluster.spec.kube_dns or KubeDNSConfig()
    scales_itself = cloud_of(cluster) is not METAL or bool(dns.cpa_image)
    binding = cluster_role_binding(
        "system:coredns", "system:coredns", account_subject(_OBJECT, NAMESPACE), _BOOTSTRAPPING
    )
    binding["metadata"]["annotations"] = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
    mode = {"addonmanager.kubernetes.io/mode": "EnsureExists"}
    objects = [
        service_account(_OBJECT, NAMESPACE, {**_SERVICE, **_ADDON}),
        cluster_role("system:coredns", _BOOTSTRAPPING, _RULES),
        binding,
        config_map(_OBJECT, NAMESPACE, mode, {"Corefile": _corefile(cluster, dns)}),
        _deployment(cluster, dns, None if scales_itself else replicas(context.node_count)),
        _service(dns),
        disruption_budget("kube-dns", NAMESPACE, _APP, maxUnavailable="33%", unhealthyPodEvictionPolicy="AlwaysAllow"),
    ]
    if scales_itself:
        objects += _autoscaler(cluster, dns)
    return objects


def replicas(nodes: int) -> int:
    """How many a cluster of so many nodes runs: one for every 16, and never the only one where there are more nodes."""
    return max(math.ceil(nodes / NODES_PER_REPLICA), min(nodes, 2), 1)


def _corefile(cluster: Cluster, dns: KubeDNSConfig) -> str:
    if dns.external_core_file:
        return block_text(dns.external_core_file)
    upstream = " ".join(dns.upstream_nameservers) or "/etc/resolv.conf"
    hosts = ""
    if uses_none_dns(cluster):
        hosts = f"    hosts /rootfs/etc/hosts {cluster.metadata.name} {{\n      ttl 30\n      fallthrough\n    }}\n"
    dns64 = "    dns64\n" if is_ipv6_only(cluster) else ""
    return f""".:53 {{
    errors
    health {{
      lameduck 10s
    }}
    ready
    kubernetes {dns.domain}. in-addr.arpa ip6.arpa {{
      pods insecure
      fallthrough in-addr.arpa ip6.arpa
      ttl 30
    }}
{hosts}    prometheus :9153
    forward . {upstream} {{
      max_concurrent 1000
    }}
    cache 30
    loop
    reload
    loadbalance
{dns64}}}"""


def _deployment(cluster: Cluster, dns: KubeDNSConfig, count: int | None) -> dict[str, Any]:
    more: dict[str, Any] = {} if count is None else {"replicas": count}
    return deployment(
        _OBJECT,
        NAMESPACE,
        _pod(cluster, dns),
        selector=_APP,
        labels={**_APP, "kubernetes.io/name": "CoreDNS", **_ADDON, **_SERVICE},
        pod_annotations=dns.pod_annotations,
        strategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": "10%"}},
        **more,
    )


def _pod(cluster: Cluster, dns: KubeDNSConfig) -> dict[str, Any]:
    tolerations = _tolerations(dns)
    if runs_control_plane_only(cluster):
        tolerations += [toleration(f"node-role.kubernetes.io/{role}") for role in ("master", "control-plane")]
    volumes = [config_map_volume("config-volume", _OBJECT)]
    mounts = [mount("config-volume", "/etc/coredns", readOnly=True)]
    if uses_none_dns(cluster):
        volumes.append(host_path("etc-hosts", "/etc/hosts", "File"))
        mounts.append(mount("etc-hosts", "/rootfs/etc/hosts", readOnly=True))
    return {
        "priorityClassName": "system-cluster-critical",
        "serviceAccountName": _OBJECT,
        "tolerations": tolerations,
        "nodeSelector": dict(_LINUX),
        **_affinity(dns),
        "topologySpreadConstraints": _spread(cluster),
        "containers": [_container(cluster, dns, mounts)],
        "dnsPolicy": "Default",
        "volumes": volumes,
    }


def _container(cluster: Cluster, dns: KubeDNSConfig, mounts: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": _OBJECT,
        "image": dns.core_dns_image or _IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "resources": requests(cpu=dns.cpu_request, memory=dns.memory_request, limits={"memory": dns.memory_limit}),
        "args": ["-conf", "/etc/coredns/Corefile"],
        "volumeMounts": mounts,
        "ports": container_ports({"dns": (53, "UDP"), "dns-tcp": (53, "TCP"), "metrics": (9153, "TCP")}),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"add": ["NET_BIND_SERVICE"], "drop": ["all"]},
            "readOnlyRootFilesystem": True,
            **selinux_options(cluster),
        },
        "livenessProbe": http_probe(
            "/health",
            8080,
            scheme="HTTP",
            initialDelaySeconds=60,
            timeoutSeconds=5,
            successThreshold=1,
            failureThreshold=5,
        ),
        "readinessProbe": http_probe(
            "/ready", 8181, scheme="HTTP", periodSeconds=5, timeoutSeconds=5, failureThreshold=1
        ),
    }


def _spread(cluster: Cluster) -> list[dict[str, Any]]:
    by_zone, by_host = spread(_APP)
    by_host["nodeTaintsPolicy"] = "Honor"
    # Hosts of bare metal have no label of a zone.
    return [by_host] if cloud_of(cluster) is METAL else [by_zone, by_host]


def _service(dns: KubeDNSConfig) -> dict[str, Any]:
    ports = [*dns_ports(), port(9153, name="metrics", protocol="TCP")]
    labels = {**_ADDON, **_APP, **_SERVICE, "kubernetes.io/name": "CoreDNS"}
    made = service("kube-dns", NAMESPACE, ports, _APP, labels, clusterIP=dns.server_ip)
    made["metadata"]["annotations"] = {"prometheus.io/port": "9153", "prometheus.io/scrape": "true"}
    # kops writes it so that an update by other means than server-side apply is taken as well.
    made["metadata"]["resourceVersion"] = "0"
    return made


def _autoscaler(cluster: Cluster, dns: KubeDNSConfig) -> list[dict[str, Any]]:
    """What keeps the number of replicas in step with the nodes."""
    pod = {"tolerations": _tolerations(dns), "nodeSelector": dict(_LINUX), **_affinity(dns)}
    if not runs_control_plane_only(cluster):
        pod["priorityClassName"] = "system-cluster-critical"
    return autoscaler_of(_OBJECT, NAME, dns.cpa_image or _AUTOSCALER_IMAGE, **pod)


def _tolerations(dns: KubeDNSConfig) -> list[Any]:
    return list(dns.tolerations) or [toleration("CriticalAddonsOnly")]


def _affinity(dns: KubeDNSConfig) -> dict[str, Any]:
    return {"affinity": dns.affinity} if dns.affinity else {}


ADDON = AddonDefinition(name=NAME, condition=_is_chosen, build=_build, id="k8s-1.12")
