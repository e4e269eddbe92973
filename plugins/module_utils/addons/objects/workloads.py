# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deployments, DaemonSets and StatefulSets, with the template of their pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from .core import Labels, kubernetes_object


def deployment(name: str, namespace: str, pod: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A Deployment; for the arguments see workload."""
    return workload("Deployment", name, namespace, pod, **more)


def daemon_set(name: str, namespace: str, pod: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A DaemonSet; for the arguments see workload."""
    return workload("DaemonSet", name, namespace, pod, **more)


def stateful_set(name: str, namespace: str, pod: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A StatefulSet; for the arguments see workload."""
    return workload("StatefulSet", name, namespace, pod, **more)


def workload(
    kind: str,
    name: str,
    namespace: str,
    pod: Mapping[str, Any],
    *,
    selector: Labels,
    labels: Optional[Labels] = None,
    pod_labels: Optional[Labels] = None,
    pod_annotations: Optional[Mapping[str, str]] = None,
    **spec: Any,
) -> dict[str, Any]:
    """An object that keeps pods running.

    pod: the specification of its pods. selector: the labels by which it finds them. labels: its own. pod_labels: of its
    pods; None: those of the selector. spec: other fields of its specification, such as replicas.
    """
    metadata: dict[str, Any] = {"labels": dict(selector if pod_labels is None else pod_labels)}
    if pod_annotations:
        metadata["annotations"] = dict(pod_annotations)
    specification = {
        **spec,
        "selector": {"matchLabels": dict(selector)},
        "template": {"metadata": metadata, "spec": dict(pod)},
    }
    return kubernetes_object("apps/v1", kind, name, namespace=namespace, labels=labels, spec=specification)
