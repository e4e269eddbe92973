# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calico's controllers: they free the addresses of nodes that are gone."""

from __future__ import annotations

from typing import Any

from ...objects.pods import on_control_plane, on_linux, toleration, variables
from ...objects.policy import disruption_budget
from ...objects.workloads import deployment
from .settings import CONTROLLERS, NAMESPACE, Settings

_APP = {"k8s-app": CONTROLLERS}
# Upstream does without an operator here, which then is Equal: the taints have no value.
_TAINTS = ("node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane")


def disruption_budget_of(settings: Settings) -> dict[str, Any]:
    """Lets the cluster autoscaler move them."""
    return disruption_budget(CONTROLLERS, NAMESPACE, _APP, _APP, maxUnavailable=1)


def deployment_of(settings: Settings) -> dict[str, Any]:
    """One of them works at a time."""
    made = deployment(
        CONTROLLERS,
        NAMESPACE,
        _pod(settings),
        selector=_APP,
        labels=_APP,
        replicas=1,
        strategy={"type": "Recreate"},
    )
    made["spec"]["template"]["metadata"].update(name=CONTROLLERS, namespace=NAMESPACE)
    return made


def _pod(settings: Settings) -> dict[str, Any]:
    return {
        "affinity": on_control_plane(on_linux(), old_label=True),
        "tolerations": [
            toleration("CriticalAddonsOnly"),
            *({"key": key, "effect": "NoSchedule"} for key in _TAINTS),
        ],
        "serviceAccountName": CONTROLLERS,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "priorityClassName": "system-cluster-critical",
        "containers": [_container(settings)],
    }


def _container(settings: Settings) -> dict[str, Any]:
    live, ready = (
        {"exec": {"command": ["/usr/bin/check-status", option]}, "periodSeconds": 10} for option in ("-l", "-r")
    )
    return {
        "name": CONTROLLERS,
        "image": settings.image("kube-controllers"),
        "imagePullPolicy": "IfNotPresent",
        "env": variables({"ENABLED_CONTROLLERS": "node,loadbalancer", "DATASTORE_TYPE": "kubernetes"}),
        "livenessProbe": {**live, "initialDelaySeconds": 10, "failureThreshold": 6, "timeoutSeconds": 10},
        "readinessProbe": ready,
        "securityContext": {"runAsNonRoot": True},
    }
