# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calico on each node: it installs the CNI plugin, then its agent sets up routes and enforces policies."""

from __future__ import annotations

from typing import Any

from ...objects.pods import (
    container_ports,
    field_variable,
    host_path,
    mount,
    requests,
    toleration,
    variables,
    xtables_lock,
)
from ...objects.workloads import daemon_set
from .environment import METRICS_PORT, from_config, of_agent
from .settings import API_SERVER, NAMESPACE, NODE, Settings

_APP = {"k8s-app": NODE}
_PRIVILEGED = {"securityContext": {"privileged": True}}
_NODE_NAME = field_variable("KUBERNETES_NODE_NAME", "spec.nodeName")
_PLUGINS = mount("cni-bin-dir", "/host/opt/cni/bin")
_CREATED = "DirectoryOrCreate"


def daemon_set_of(settings: Settings) -> dict[str, Any]:
    """One after the other: while a node's agent restarts, changes of policies wait."""
    update = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}
    return daemon_set(NODE, NAMESPACE, _pod(settings), selector=_APP, labels=_APP, updateStrategy=update)


def _pod(settings: Settings) -> dict[str, Any]:
    return {
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "hostNetwork": True,
        "tolerations": [
            toleration(effect="NoSchedule"),
            toleration("CriticalAddonsOnly"),
            toleration(effect="NoExecute"),
        ],
        "serviceAccountName": NODE,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        # The sooner it is gone, the sooner its successor is there.
        "terminationGracePeriodSeconds": 0,
        "priorityClassName": "system-node-critical",
        "initContainers": [
            *([] if settings.ipv6 else [_upgrade(settings)]),
            _install(settings),
            _bootstrap(settings),
        ],
        "containers": [_agent(settings)],
        "volumes": _volumes(settings),
    }


def _container(name: str, image: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "image": image, "imagePullPolicy": "IfNotPresent", **_PRIVILEGED, **more}


def _from_api_server() -> list[dict[str, Any]]:
    return [{"configMapRef": {"name": API_SERVER, "optional": True}}]


def _upgrade(settings: Settings) -> dict[str, Any]:
    """Takes over the addresses that pods got before Calico assigned them."""
    return _container(
        "upgrade-ipam",
        settings.image("cni"),
        command=["/opt/cni/bin/calico-ipam", "-upgrade"],
        envFrom=_from_api_server(),
        env=[_NODE_NAME, from_config("CALICO_NETWORKING_BACKEND", "calico_backend")],
        volumeMounts=[mount("host-local-net-dir", "/var/lib/cni/networks"), _PLUGINS],
    )


def _install(settings: Settings) -> dict[str, Any]:
    """Installs the plugin and its configuration."""
    return _container(
        "install-cni",
        settings.image("cni"),
        command=["/opt/cni/bin/install"],
        envFrom=_from_api_server(),
        env=[
            *variables({"CNI_CONF_NAME": "10-calico.conflist"}),
            from_config("CNI_NETWORK_CONFIG", "cni_network_config"),
            _NODE_NAME,
            from_config("CNI_MTU", "veth_mtu"),
            *variables({"SLEEP": "false"}),
        ],
        volumeMounts=[_PLUGINS, mount("cni-net-dir", "/host/etc/cni/net.d")],
    )


def _bootstrap(settings: Settings) -> dict[str, Any]:
    """Mounts what eBPF needs, so that the mounts outlive the container; without eBPF, its failure does no harm."""
    shared = {"mountPropagation": "Bidirectional"}
    return _container(
        "ebpf-bootstrap",
        settings.image("node"),
        command=["calico-node", "-init", "-best-effort"],
        volumeMounts=[
            mount("sys-fs", "/sys/fs", **shared),
            mount("var-run-calico", "/var/run/calico", **shared),
            mount("nodeproc", "/nodeproc", readOnly=True),
        ],
    )


def _agent(settings: Settings) -> dict[str, Any]:
    calico = settings.calico
    ports = {}
    if calico.prometheus_metrics_enabled:
        ports["ports"] = container_ports({"metrics": (calico.prometheus_metrics_port or METRICS_PORT, "TCP")})
    return _container(
        NODE,
        settings.image("node"),
        envFrom=_from_api_server(),
        env=of_agent(settings),
        resources=requests(cpu=calico.cpu_request or "250m"),
        lifecycle={"preStop": {"exec": {"command": ["/bin/calico-node", "-shutdown"]}}},
        livenessProbe={**_probe(settings, "live"), "initialDelaySeconds": 10, "failureThreshold": 6},
        readinessProbe=_probe(settings, "ready"),
        **ports,
        volumeMounts=[
            mount("cni-net-dir", "/host/etc/cni/net.d", readOnly=False),
            mount("lib-modules", "/lib/modules", readOnly=True),
            mount("xtables-lock", "/run/xtables.lock", readOnly=False),
            mount("var-run-calico", "/var/run/calico", readOnly=False),
            mount("var-lib-calico", "/var/lib/calico", readOnly=False),
            mount("policysync", "/var/run/nodeagent"),
            mount("bpffs", "/sys/fs/bpf"),
            mount("cni-log-dir", "/var/log/calico/cni", readOnly=True),
        ],
    )


def _probe(settings: Settings, question: str) -> dict[str, Any]:
    """Whether Felix, and where routes are told by BGP, BIRD, are as they should be."""
    bird = [f"-bird{'6' if settings.ipv6 else ''}-{question}"] if settings.uses_bgp else []
    command = ["/bin/calico-node", f"-felix-{question}", *bird]
    return {"exec": {"command": command}, "periodSeconds": 10, "timeoutSeconds": 10}


def _volumes(settings: Settings) -> list[dict[str, Any]]:
    return [
        host_path("lib-modules", "/lib/modules"),
        host_path("var-run-calico", "/var/run/calico", _CREATED),
        host_path("var-lib-calico", "/var/lib/calico", _CREATED),
        xtables_lock(),
        host_path("sys-fs", "/sys/fs/", _CREATED),
        host_path("bpffs", "/sys/fs/bpf", "Directory"),
        host_path("nodeproc", "/proc"),
        host_path("cni-bin-dir", "/opt/cni/bin", _CREATED),
        host_path("cni-net-dir", "/etc/cni/net.d"),
        host_path("cni-log-dir", "/var/log/calico/cni"),
        *([] if settings.ipv6 else [host_path("host-local-net-dir", "/var/lib/cni/networks")]),
        host_path("policysync", "/var/run/nodeagent", _CREATED),
    ]
