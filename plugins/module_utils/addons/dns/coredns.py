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
from ..objects.core import block_text, config_map, dns_ports, kubernetes_object, service_account
from ..objects.pods import container_ports, selinux_options
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule

NAME = "coredns.addons.k8s.io"
NAMESPACE = "kube-system"
_IMAGE = "registry.k8s.io/coredns/coredns:v1.14.2"
_AUTOSCALER = "coredns-autoscaler"
_AUTOSCALER_IMAGE = "registry.k8s.io/cpa/cluster-proportional-autoscaler:v1.9.0"
_NODES_PER_REPLICA = 16
_SCALING = (
    f'{{"linear":{{"coresPerReplica":256,"nodesPerReplica":{_NODES_PER_REPLICA},"preventSinglePointFailure":true}}}}'
)

_ADDON = {"k8s-addon": NAME}
_SERVICE = {"kubernetes.io/cluster-service": "true"}
_APP = {"k8s-app": "kube-dns"}
_BOOTSTRAPPING = {"kubernetes.io/bootstrapping": "rbac-defaults", **_ADDON}


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
        "system:coredns", "system:coredns", account_subject("coredns", NAMESPACE), _BOOTSTRAPPING
    )
    binding["metadata"]["annotations"] = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
    roles = [
        rule("", ("endpoints", "services", "pods", "namespaces"), ("list", "watch")),
        rule("discovery.k8s.io", ("endpointslices",), ("list", "watch")),
    ]
    mode = {"addonmanager.kubernetes.io/mode": "EnsureExists"}
    objects = [
        service_account("coredns", NAMESPACE, {**_SERVICE, **_ADDON}),
        cluster_role("system:coredns", _BOOTSTRAPPING, roles),
        binding,
        config_map("coredns", NAMESPACE, mode, {"Corefile": _corefile(cluster, dns)}),
        _deployment(cluster, dns, None if scales_itself else replicas(context.node_count)),
        _service(dns),
        _disruption_budget(),
    ]
    if scales_itself:
        objects += _autoscaler(cluster, dns)
    return objects


def replicas(nodes: int) -> int:
    """How many a cluster of so many nodes runs: one for every 16, and never the only one where there are more nodes."""
    return max(math.ceil(nodes / _NODES_PER_REPLICA), min(nodes, 2), 1)


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
    metadata: dict[str, Any] = {"labels": dict(_APP)}
    if dns.pod_annotations:
        metadata["annotations"] = dict(dns.pod_annotations)
    spec: dict[str, Any] = {
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": "10%"}},
        "selector": {"matchLabels": dict(_APP)},
        "template": {"metadata": metadata, "spec": _pod(cluster, dns)},
    }
    if count is not None:
        spec["replicas"] = count
    labels = {**_APP, "kubernetes.io/name": "CoreDNS", **_ADDON, **_SERVICE}
    return kubernetes_object("apps/v1", "Deployment", "coredns", namespace=NAMESPACE, labels=labels, spec=spec)


def _pod(cluster: Cluster, dns: KubeDNSConfig) -> dict[str, Any]:
    tolerations = _tolerations(dns)
    if runs_control_plane_only(cluster):
        roles = ("master", "control-plane")
        tolerations += [{"key": f"node-role.kubernetes.io/{role}", "operator": "Exists"} for role in roles]
    volumes: list[dict[str, Any]] = [{"name": "config-volume", "configMap": {"name": "coredns"}}]
    mounts = [{"name": "config-volume", "mountPath": "/etc/coredns", "readOnly": True}]
    if uses_none_dns(cluster):
        volumes.append({"name": "etc-hosts", "hostPath": {"path": "/etc/hosts", "type": "File"}})
        mounts.append({"name": "etc-hosts", "mountPath": "/rootfs/etc/hosts", "readOnly": True})
    return {
        "priorityClassName": "system-cluster-critical",
        "serviceAccountName": "coredns",
        "tolerations": tolerations,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        **_affinity(dns),
        "topologySpreadConstraints": _spread(cluster),
        "containers": [_container(cluster, dns, mounts)],
        "dnsPolicy": "Default",
        "volumes": volumes,
    }


def _container(cluster: Cluster, dns: KubeDNSConfig, mounts: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": "coredns",
        "image": dns.core_dns_image or _IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "resources": {
            "limits": {"memory": dns.memory_limit},
            "requests": {"cpu": dns.cpu_request, "memory": dns.memory_request},
        },
        "args": ["-conf", "/etc/coredns/Corefile"],
        "volumeMounts": mounts,
        "ports": container_ports({"dns": (53, "UDP"), "dns-tcp": (53, "TCP"), "metrics": (9153, "TCP")}),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"add": ["NET_BIND_SERVICE"], "drop": ["all"]},
            "readOnlyRootFilesystem": True,
            **selinux_options(cluster),
        },
        "livenessProbe": {
            "httpGet": {"path": "/health", "port": 8080, "scheme": "HTTP"},
            "initialDelaySeconds": 60,
            "timeoutSeconds": 5,
            "successThreshold": 1,
            "failureThreshold": 5,
        },
        "readinessProbe": {
            "periodSeconds": 5,
            "timeoutSeconds": 5,
            "failureThreshold": 1,
            "httpGet": {"path": "/ready", "port": 8181, "scheme": "HTTP"},
        },
    }


def _spread(cluster: Cluster) -> list[dict[str, Any]]:
    by_host = {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "nodeTaintsPolicy": "Honor",
        "labelSelector": {"matchLabels": dict(_APP)},
    }
    by_zone = {
        "maxSkew": 1,
        "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": dict(_APP)},
    }
    # Hosts of bare metal have no label of a zone.
    return [by_host] if cloud_of(cluster) is METAL else [by_zone, by_host]


def _service(dns: KubeDNSConfig) -> dict[str, Any]:
    metrics = {"name": "metrics", "port": 9153, "protocol": "TCP"}
    spec = {"selector": dict(_APP), "clusterIP": dns.server_ip, "ports": [*dns_ports(), metrics]}
    labels = {**_ADDON, **_APP, **_SERVICE, "kubernetes.io/name": "CoreDNS"}
    service = kubernetes_object("v1", "Service", "kube-dns", namespace=NAMESPACE, labels=labels, spec=spec)
    service["metadata"]["annotations"] = {"prometheus.io/port": "9153", "prometheus.io/scrape": "true"}
    # kops writes it so that an update by other means than server-side apply is taken as well.
    service["metadata"]["resourceVersion"] = "0"
    return service


def _disruption_budget() -> dict[str, Any]:
    spec = {
        "selector": {"matchLabels": dict(_APP)},
        "maxUnavailable": "33%",
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    }
    return kubernetes_object("policy/v1", "PodDisruptionBudget", "kube-dns", namespace=NAMESPACE, spec=spec)


def _autoscaler(cluster: Cluster, dns: KubeDNSConfig) -> list[dict[str, Any]]:
    """What keeps the number of replicas in step with the nodes."""
    app = {"k8s-app": _AUTOSCALER}
    rules = [
        rule("", ("nodes",), ("list", "watch")),
        rule("", ("replicationcontrollers/scale",), ("get", "update")),
        rule(("extensions", "apps"), ("deployments/scale", "replicasets/scale"), ("get", "update")),
        rule("", ("configmaps",), ("get", "create")),
    ]
    pod: dict[str, Any] = {
        "containers": [
            {
                "name": "autoscaler",
                "image": dns.cpa_image or _AUTOSCALER_IMAGE,
                "resources": {"requests": {"cpu": "20m", "memory": "10Mi"}},
                "command": [
                    "/cluster-proportional-autoscaler",
                    f"--namespace={NAMESPACE}",
                    f"--configmap={_AUTOSCALER}",
                    "--target=Deployment/coredns",
                    f"--default-params={_SCALING}",
                    "--logtostderr=true",
                    "--v=2",
                ],
            }
        ],
        "tolerations": _tolerations(dns),
        "serviceAccountName": _AUTOSCALER,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        **_affinity(dns),
    }
    if not runs_control_plane_only(cluster):
        pod["priorityClassName"] = "system-cluster-critical"
    spec = {"selector": {"matchLabels": app}, "template": {"metadata": {"labels": dict(app)}, "spec": pod}}
    labels = {**_ADDON, **app, **_SERVICE}
    return [
        service_account(_AUTOSCALER, NAMESPACE, _ADDON),
        cluster_role(_AUTOSCALER, _ADDON, rules),
        cluster_role_binding(_AUTOSCALER, _AUTOSCALER, account_subject(_AUTOSCALER, NAMESPACE), _ADDON),
        kubernetes_object("apps/v1", "Deployment", _AUTOSCALER, namespace=NAMESPACE, labels=labels, spec=spec),
    ]


def _tolerations(dns: KubeDNSConfig) -> list[Any]:
    return list(dns.tolerations) or [{"key": "CriticalAddonsOnly", "operator": "Exists"}]


def _affinity(dns: KubeDNSConfig) -> dict[str, Any]:
    return {"affinity": dns.affinity} if dns.affinity else {}


ADDON = AddonDefinition(name=NAME, condition=_is_chosen, build=_build, id="k8s-1.12")
