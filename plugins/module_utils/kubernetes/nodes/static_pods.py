# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that kubelets run from files: which of them a node lacks although its kubelet works, and for how long."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..client import Object
from .eviction import is_static
from .readiness import is_ready, ready_condition

CONTROL_PLANE_LABEL = "node-role.kubernetes.io/control-plane"
# The pods of which kops' validation knows that each control plane has them (pkg/validation).
_APPS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


@dataclass(frozen=True)
class Lack:
    """What a node that is ready lacks. seconds: for how long, at most. missing: apps of which it has no pod.

    A pod also misses for a moment when its kubelet starts it anew, and nothing tells since when it does.
    """

    seconds: float
    reason: str
    missing: tuple[str, ...] = ()


def missing_apps(node: Object, pods: Sequence[Object]) -> list[str]:
    """Apps of the control plane that have no pod on a node; none of them is missing on other nodes."""
    if CONTROL_PLANE_LABEL not in (node["metadata"].get("labels") or {}):
        return []
    present = {_app_of(pod) for pod in pods if _node_of(pod) == node["metadata"]["name"]}
    return [app for app in _APPS if app not in present]


def lacks(nodes: Sequence[Object], pods: Sequence[Object], now: datetime.datetime) -> dict[str, Lack]:
    """Name of a node that is ready -> what it lacks, if it does. pods: of the namespace kube-system."""
    found = {}
    for node in nodes:
        name = str(node["metadata"]["name"])
        broken = [pod for pod in pods if _node_of(pod) == name and is_static(pod) and not is_ready(pod)]
        missing = tuple(missing_apps(node, pods))
        if not is_ready(node) or not (missing or broken):
            continue
        times = [_seconds_since(pod, now) for pod in broken]
        said = [f"its pod {pod['metadata']['name']} is not ready" for pod in broken]
        if missing:
            # Its kubelet could have run them since then.
            times.append(_seconds_since(node, now))
            said.insert(0, f"it has no pod {', '.join(missing)}")
        found[name] = Lack(max(times), "; ".join(said), missing)
    return found


def _seconds_since(obj: Object, now: datetime.datetime) -> float:
    """Since the condition Ready has changed, or the object was created; for ever if it says neither."""
    since = ready_condition(obj).get("lastTransitionTime") or obj["metadata"].get("creationTimestamp")
    if not since:
        return float("inf")
    return max(0.0, (now - datetime.datetime.fromisoformat(str(since).replace("Z", "+00:00"))).total_seconds())


def _app_of(pod: Mapping[str, Any]) -> str:
    return str((pod["metadata"].get("labels") or {}).get("k8s-app", ""))


def _node_of(pod: Mapping[str, Any]) -> str:
    return str((pod.get("spec") or {}).get("nodeName", ""))
