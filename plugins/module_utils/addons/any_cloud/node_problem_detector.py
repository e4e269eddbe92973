# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node-problem-detector, which reports what is wrong with a node (node-problem-detector.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.components import NodeProblemDetectorConfig
from ..conditions import enabled
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import service_account
from ..objects.pods import field_variable, host_path, mount, node_affinity, on_linux, requests, toleration
from ..objects.rbac import account_subject, cluster_role_binding
from ..objects.workloads import daemon_set

_NAME, _NAMESPACE = "node-problem-detector", "kube-system"
_APP = {"app": _NAME}
# What it watches. Volume -> path on the node, the volume's type, path in the container, other fields of the mount.
_READ_ONLY = {"readOnly": True}
_WATCHED: dict[str, tuple[str, str | None, str, dict[str, Any]]] = {
    "log": ("/var/log/", None, "/var/log", _READ_ONLY),
    "kmsg": ("/dev/kmsg", None, "/dev/kmsg", _READ_ONLY),
    "localtime": ("/etc/localtime", "FileOrCreate", "/etc/localtime", _READ_ONLY),
    "machine-id": ("/etc/machine-id", "File", "/etc/machine-id", _READ_ONLY),
    "systemd": ("/run/systemd/system/", "", "/run/systemd/system", {}),
    "dbus": ("/var/run/dbus/", "", "/var/run/dbus/", {"mountPropagation": "Bidirectional"}),
}
_MONITORS = {
    "system-log-monitor": ("kernel-monitor", "systemd-monitor"),
    "custom-plugin-monitor": ("kernel-monitor-counter", "systemd-monitor-counter"),
    "system-stats-monitor": ("system-stats-monitor",),
}


def _build(context: AddonContext) -> list[dict[str, Any]]:
    spec = context.cluster.spec.node_problem_detector or NodeProblemDetectorConfig()
    account = account_subject(_NAME, _NAMESPACE)
    return [
        service_account(_NAME, _NAMESPACE, _APP),
        cluster_role_binding(_NAME, f"system:{_NAME}", account, _APP),
        daemon_set(_NAME, _NAMESPACE, _pod(spec), selector=_APP, labels=_APP),
    ]


def _pod(spec: NodeProblemDetectorConfig) -> dict[str, Any]:
    limits = {"memory": spec.memory_limit, **({"cpu": spec.cpu_limit} if spec.cpu_limit else {})}
    container = {
        "name": _NAME,
        "image": spec.image,
        "command": [f"/{_NAME}", "--logtostderr", *(_monitor(kind, names) for kind, names in _MONITORS.items())],
        "securityContext": {"privileged": True},
        "resources": requests(cpu=spec.cpu_request, memory=spec.memory_request, limits=limits),
        "env": [field_variable("NODE_NAME", "spec.nodeName")],
        "volumeMounts": [mount(name, path, **more) for name, (_host, _kind, path, more) in _WATCHED.items()],
    }
    return {
        "affinity": node_affinity([on_linux()]),
        "containers": [container],
        "priorityClassName": "system-node-critical",
        "serviceAccountName": _NAME,
        "volumes": [host_path(name, path, kind) for name, (path, kind, *_mount) in _WATCHED.items()],
        "tolerations": [
            toleration(effect="NoExecute"),
            toleration(effect="NoSchedule"),
            toleration("CriticalAddonsOnly"),
        ],
    }


def _monitor(kind: str, names: tuple[str, ...]) -> str:
    return f"--config.{kind}=" + ",".join(f"/config/{name}.json" for name in names)


ADDON = AddonDefinition(
    name="node-problem-detector.addons.k8s.io",
    condition=enabled("node_problem_detector"),
    build=_build,
    id="k8s-1.17",
    pruned=True,
)
