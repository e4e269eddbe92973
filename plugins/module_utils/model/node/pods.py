# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Static pods: what the manifests of the control plane and of kube-proxy have in common.

Source: pkg/kubemanifest and nodeup/pkg/model of kops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...api.components import KubeSchedulerConfig
from ...api.kube_controller_manager import KubeControllerManagerConfig
from ...api.scalars import Quantity
from .context import NodeContext
from .system import egress_proxy


@dataclass
class StaticPod:
    """A pod of one container that runs in the host's network.

    command: of the container. arguments: its args. more: other fields of the container (probes, ports, environment).
    """

    name: str
    image: str
    command: Sequence[str]
    arguments: Sequence[str]
    priority: str = "system-cluster-critical"
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    requests: Mapping[str, Quantity | str | None] = field(default_factory=dict)
    limits: Mapping[str, Quantity | str | None] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    mounts: list[dict[str, Any]] = field(default_factory=list)
    volumes: list[dict[str, Any]] = field(default_factory=list)

    def mount(self, name: str, path: str, *, writable: bool = False, inside: str = "", kind: str = "") -> None:
        """Mount a path of the host. inside: the path in the container, if another. kind: Kubernetes' hostPath.type."""
        mount: dict[str, Any] = {"name": name, "mountPath": inside or path}
        self.mounts.append(mount if writable else {**mount, "readOnly": True})
        host_path = {"path": path, "type": kind} if kind else {"path": path}
        self.volumes.append({"name": name, "hostPath": host_path})

    def mount_authorities(self, directories: Iterable[str]) -> None:
        """Mount what a distribution trusts."""
        for path in directories:
            self.mount(path.replace("/", ""), path)

    def manifest(self, context: NodeContext) -> dict[str, Any]:
        """The pod as plain data."""
        metadata: dict[str, Any] = {"name": self.name, "namespace": "kube-system", "labels": dict(self.labels)}
        if self.annotations:
            metadata["annotations"] = dict(self.annotations)
        container = {
            "name": self.name,
            "image": context.image(self.image),
            "command": list(self.command),
            "args": list(self.arguments),
            "resources": _resources(requests=self.requests, limits=self.limits),
            "volumeMounts": self.mounts,
            **self.more,
        }
        spec: dict[str, Any] = {
            "containers": [container],
            "hostNetwork": True,
            "priorityClassName": self.priority,
            "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}],
            "volumes": self.volumes,
        }
        if context.containerd.selinux_enabled:
            # Lets the pod read what it mounts; without SELinux it means nothing.
            spec["securityContext"] = {"seLinuxOptions": {"type": "spc_t", "level": "s0"}}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def elected_pod(
    name: str,
    settings: KubeControllerManagerConfig | KubeSchedulerConfig,
    flags: Sequence[str],
    port: int,
    environment: Sequence[Mapping[str, str]],
) -> StaticPod:
    """The pod of a component that elects a leader: the controller manager or the scheduler."""
    command, arguments = logged(name, sorted(flags))
    more: dict[str, Any] = {"livenessProbe": https_probe(port, "/healthz", initialDelaySeconds=15, timeoutSeconds=15)}
    return StaticPod(
        name,
        settings.image or "",
        command,
        arguments,
        labels={"k8s-app": name},
        requests={"cpu": settings.cpu_request or "100m", "memory": settings.memory_request},
        limits={"cpu": settings.cpu_limit, "memory": settings.memory_limit},
        more={**more, "env": list(environment)} if environment else more,
    )


def logged(name: str, options: Sequence[str]) -> tuple[list[str], list[str]]:
    """Command and arguments of a Kubernetes component that logs to a file of the host, too."""
    arguments = [f"--log-file=/var/log/{name}.log", "--also-stdout", f"/usr/local/bin/{name}", *options]
    return ["/go-runner"], arguments


def https_probe(port: int, path: str, **more: int) -> dict[str, Any]:
    """A probe that asks a port of the host by HTTPS."""
    return {"httpGet": {"host": "127.0.0.1", "path": path, "port": port, "scheme": "HTTPS"}, **more}


def http_probe(port: int, path: str, **more: int) -> dict[str, Any]:
    """A probe that asks a port of the host by HTTP."""
    return {"httpGet": {"host": "127.0.0.1", "path": path, "port": port}, **more}


def tcp_probe(port: int, **more: int) -> dict[str, Any]:
    """A probe that only connects to a port of the host."""
    return {"tcpSocket": {"host": "127.0.0.1", "port": port}, **more}


def proxy_environment(context: NodeContext) -> list[dict[str, str]]:
    """The environment of a component that reaches the world through spec.networking.egressProxy."""
    return [{"name": name, "value": value} for name, value in egress_proxy.variables(context).items()]


def _resources(**kinds: Mapping[str, Quantity | str | None]) -> dict[str, dict[str, str]]:
    given = {
        kind: {name: str(amount) for name, amount in amounts.items() if amount is not None}
        for kind, amounts in kinds.items()
    }
    return {kind: amounts for kind, amounts in given.items() if amounts}
