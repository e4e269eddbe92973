# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of pods that several addons have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...api.cluster import Cluster
from ...api.scalars import Quantity


def container_ports(ports: Mapping[str, tuple[int, str]]) -> list[dict[str, Any]]:
    """Ports of a container: name -> (number, protocol)."""
    return [{"containerPort": number, "name": name, "protocol": protocol} for name, (number, protocol) in ports.items()]


_CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
# Its name before Kubernetes 1.20; some upstreams still have it.
_MASTER = "node-role.kubernetes.io/master"


def on_control_plane(*more: dict[str, Any], old_label: bool = False) -> dict[str, Any]:
    """The affinity of pods that run on the control plane only.

    more: what its nodes need besides, such as on_linux(). old_label: the role may have its old name as well.
    """
    names = (_CONTROL_PLANE, _MASTER) if old_label else (_CONTROL_PLANE,)
    return node_affinity(*([expression(name), *more] for name in names))


def node_affinity(*alternatives: list[dict[str, Any]]) -> dict[str, Any]:
    """The affinity of pods that run on nodes of which everything in one of the alternatives is true."""
    terms = {"nodeSelectorTerms": [{"matchExpressions": conditions} for conditions in alternatives]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def expression(key: str, operator: str = "Exists", *values: str) -> dict[str, Any]:
    """What a label has to be: a condition for node_affinity, and of selectors."""
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def spread(selector: Mapping[str, str]) -> list[dict[str, Any]]:
    """How pods with these labels are spread: over zones where possible, and each on a host of its own."""
    return [
        _spread_by("topology.kubernetes.io/zone", "ScheduleAnyway", selector),
        _spread_by("kubernetes.io/hostname", "DoNotSchedule", selector),
    ]


def _spread_by(topology: str, otherwise: str, selector: Mapping[str, str]) -> dict[str, Any]:
    labels = {"matchLabels": dict(selector)}
    return {"maxSkew": 1, "topologyKey": topology, "whenUnsatisfiable": otherwise, "labelSelector": labels}


def preferably_apart(key: str, value: str, weight: int = 100) -> dict[str, Any]:
    """The affinity of pods that are on different hosts if possible. key, value: the label by which they are known."""
    term = {
        "labelSelector": {"matchExpressions": [expression(key, "In", value)]},
        "topologyKey": "kubernetes.io/hostname",
    }
    preferred = [{"podAffinityTerm": term, "weight": weight}]
    return {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}


def preferred_nodes(*conditions: dict[str, Any], weight: int = 1) -> dict[str, Any]:
    """Which nodes pods rather run on: a part of nodeAffinity."""
    preference = {"weight": weight, "preference": {"matchExpressions": list(conditions)}}
    return {"preferredDuringSchedulingIgnoredDuringExecution": [preference]}


def control_plane_tolerations() -> list[dict[str, Any]]:
    """Tolerations of the taints of the control plane, the former one too."""
    return [toleration(role) for role in (_CONTROL_PLANE, _MASTER)]


def on_linux() -> dict[str, Any]:
    """What nodes that run Linux have: a condition for node_affinity."""
    return expression("kubernetes.io/os", "In", "linux")


def toleration(key: str = "", effect: str = "", **more: Any) -> dict[str, Any]:
    """A toleration of taints, whatever their value. No key: of all keys. No effect: of all effects."""
    optional = {"key": key, "effect": effect}
    return {**{name: value for name, value in optional.items() if value}, "operator": "Exists", **more}


def variables(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Environment variables: name -> value."""
    return [{"name": name, "value": value} for name, value in values.items()]


def field_variable(name: str, path: str, **more: str) -> dict[str, Any]:
    """An environment variable with a field of the pod, such as spec.nodeName. more: such as apiVersion."""
    return {"name": name, "valueFrom": {"fieldRef": {**more, "fieldPath": path}}}


def secret_variable(name: str, secret: str, key: str, **more: Any) -> dict[str, Any]:
    """An environment variable with a value of a Secret. more: such as optional."""
    return {"name": name, "valueFrom": {"secretKeyRef": {**more, "name": secret, "key": key}}}


def config_map_variable(name: str, config_map: str, key: str, **more: Any) -> dict[str, Any]:
    """An environment variable with a value of a ConfigMap. more: such as optional."""
    return {"name": name, "valueFrom": {"configMapKeyRef": {**more, "name": config_map, "key": key}}}


def mount(volume: str, path: str, **more: Any) -> dict[str, Any]:
    """A volume in a container. more: such as readOnly or mountPropagation."""
    return {"name": volume, "mountPath": path, **more}


def host_path(name: str, path: str, kind: str | None = None) -> dict[str, Any]:
    """A volume with a path of the node. kind: its type; None: not given."""
    return {"name": name, "hostPath": {"path": path, **({} if kind is None else {"type": kind})}}


def empty_dir(name: str, **more: Any) -> dict[str, Any]:
    """A volume that lives as long as its pod. more: such as medium or sizeLimit."""
    return {"name": name, "emptyDir": more}


def config_map_volume(name: str, config_map: str, **more: Any) -> dict[str, Any]:
    """A volume with the files of a ConfigMap. more: such as items or optional."""
    return {"name": name, "configMap": {"name": config_map, **more}}


def secret_volume(name: str, secret: str, **more: Any) -> dict[str, Any]:
    """A volume with the files of a Secret. more: such as items, optional or defaultMode."""
    return {"name": name, "secret": {"secretName": secret, **more}}


def http_probe(path: str, port: int | str, *, scheme: str = "", host: str = "", **settings: int) -> dict[str, Any]:
    """A probe by HTTP. settings: such as periodSeconds."""
    optional = {name: value for name, value in {"scheme": scheme, "host": host}.items() if value}
    return {"httpGet": {"path": path, "port": port, **optional}, **settings}


def requests(*, limits: Mapping[str, Any] | None = None, **wanted: Any) -> dict[str, Any]:
    """The resources of a container: what it requests (cpu, memory), and its limits.

    A quantity of the specification that is a whole number is one, as kops' templates have it without quotes; where they
    have quotes, give its text.
    """
    return {"requests": _amounts(wanted), **({"limits": _amounts(limits)} if limits else {})}


def _amounts(values: Mapping[str, Any]) -> dict[str, Any]:
    whole = {name: isinstance(value, Quantity) and value.isdigit() for name, value in values.items()}
    return {name: int(value) if whole[name] else value for name, value in values.items()}


def xtables_lock() -> dict[str, Any]:
    """The volume by which all processes that change iptables wait for each other."""
    return host_path("xtables-lock", "/run/xtables.lock", "FileOrCreate")


def selinux_options(cluster: Cluster) -> dict[str, Any]:
    """What a security context needs besides to write to the host where containerd labels containers."""
    containerd = cluster.spec.containerd
    if containerd is None or not containerd.selinux_enabled:
        return {}
    return {"seLinuxOptions": {"type": "spc_t", "level": "s0"}}
