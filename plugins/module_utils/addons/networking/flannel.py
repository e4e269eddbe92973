# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""flannel, the network of pods (networking.flannel of kops)."""

from __future__ import annotations

import json
from typing import Any

from ...api.cluster import Cluster
from ...api.networking import FlannelNetworkingSpec
from ..conditions import network
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import config_map, kubernetes_object, service_account
from ..objects.pods import (
    config_map_volume,
    container_ports,
    field_variable,
    host_path,
    http_probe,
    mount,
    node_affinity,
    on_linux,
    requests,
    selinux_options,
    toleration,
    variables,
    xtables_lock,
)
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.workloads import daemon_set
from .selector import NETWORKING

NAMESPACE = "kube-flannel"
IMAGE = "ghcr.io/flannel-io/flannel:v0.28.9"
PLUGIN_IMAGE = "ghcr.io/flannel-io/flannel-cni-plugin:v1.9.1-flannel3"
_CONFIG = "kube-flannel-cfg"
_CONFIG_DIRECTORY = "/etc/kube-flannel/"
_NODE_CONFIG_DIRECTORY = "/etc/cni/net.d"
_PLUGINS = "/opt/cni/bin"
_APP = {"k8s-app": "flannel"}
_PODS = {"tier": "node", "app": "flannel"}
_CNI = {
    "name": "cbr0",
    "cniVersion": "0.3.1",
    "plugins": [
        {"type": "flannel", "delegate": {"hairpinMode": True, "isDefaultGateway": True}},
        {"type": "portmap", "capabilities": {"portMappings": True}},
    ],
}


_RULES = (
    rule("", "pods", "get"),
    rule("", "nodes", "get list watch"),
    rule("", "nodes/status", "patch"),
)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    cluster = context.cluster
    flannel = cluster.spec.networking.flannel or FlannelNetworkingSpec()
    configured = {
        "Network": cluster.spec.networking.non_masquerade_cidr,
        "EnableNFTables": False,
        "Backend": {"Type": flannel.backend or "udp"},
    }
    privileged = {**_APP, "pod-security.kubernetes.io/enforce": "privileged"}
    config = {"cni-conf.json": _json(_CNI) + "\n", "net-conf.json": _json(configured)}
    return [
        kubernetes_object("v1", "Namespace", NAMESPACE, labels=privileged),
        cluster_role("flannel", _APP, _RULES),
        cluster_role_binding("flannel", "flannel", account_subject("flannel", NAMESPACE), _APP),
        service_account("flannel", NAMESPACE, _APP),
        config_map(_CONFIG, NAMESPACE, {**_PODS, **_APP}, config),
        _daemon_set(cluster, flannel),
    ]


def _json(data: Any) -> str:
    return json.dumps(data, indent=2)


def _daemon_set(cluster: Cluster, flannel: FlannelNetworkingSpec) -> dict[str, Any]:
    pod = _pod(cluster, flannel)
    return daemon_set("kube-flannel-ds", NAMESPACE, pod, selector=_PODS, labels={**_PODS, **_APP})


def _pod(cluster: Cluster, flannel: FlannelNetworkingSpec) -> dict[str, Any]:
    config = mount("flannel-cfg", _CONFIG_DIRECTORY)
    return {
        "affinity": node_affinity([on_linux()]),
        "hostNetwork": True,
        "priorityClassName": "system-node-critical",
        "tolerations": [toleration(effect="NoSchedule")],
        "serviceAccountName": "flannel",
        "initContainers": [
            {
                "name": "install-cni-plugin",
                "image": PLUGIN_IMAGE,
                "command": ["cp"],
                "args": ["-f", "/flannel", f"{_PLUGINS}/flannel"],
                "volumeMounts": [mount("cni-plugin", _PLUGINS)],
            },
            {
                "name": "install-cni",
                "image": IMAGE,
                "command": ["/opt/bin/install-conf"],
                "args": [f"{_CONFIG_DIRECTORY}cni-conf.json", f"{_NODE_CONFIG_DIRECTORY}/10-flannel.conflist"],
                "volumeMounts": [mount("cni", _NODE_CONFIG_DIRECTORY), config],
            },
        ],
        "containers": [_container(cluster, flannel, config)],
        "volumes": [
            host_path("run", "/run/flannel"),
            host_path("cni-plugin", _PLUGINS),
            host_path("cni", _NODE_CONFIG_DIRECTORY),
            config_map_volume("flannel-cfg", _CONFIG),
            xtables_lock(),
        ],
    }


def _container(cluster: Cluster, flannel: FlannelNetworkingSpec, config: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": "kube-flannel",
        "image": IMAGE,
        "command": ["/opt/bin/flanneld"],
        "args": [
            "--ip-masq",
            "--kube-subnet-mgr",
            f"--iptables-resync={flannel.iptables_resync_seconds or 5}",
            "--healthz-port=8081",
        ],
        "ports": container_ports({"healthz": (8081, "TCP")}),
        "livenessProbe": http_probe("/healthz", "healthz", initialDelaySeconds=10, periodSeconds=30),
        "readinessProbe": http_probe("/readyz", "healthz", initialDelaySeconds=5, periodSeconds=10),
        "resources": requests(cpu="100m", memory="50Mi"),
        "securityContext": {
            "privileged": False,
            "capabilities": {"add": ["NET_ADMIN", "NET_RAW"]},
            **selinux_options(cluster),
        },
        "env": [
            field_variable("POD_NAME", "metadata.name"),
            field_variable("POD_NAMESPACE", "metadata.namespace"),
            *variables({"EVENT_QUEUE_DEPTH": "5000", "CONT_WHEN_CACHE_NOT_READY": "false"}),
        ],
        "volumeMounts": [
            mount("run", "/run/flannel"),
            config,
            mount("xtables-lock", "/run/xtables.lock"),
        ],
    }


ADDON = AddonDefinition(
    name="networking.flannel",
    condition=network("flannel"),
    build=_build,
    id="k8s-1.25",
    selector=NETWORKING,
    pruned=True,
)
