# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evicts pods: they are deleted as far as their PodDisruptionBudgets allow it."""

from __future__ import annotations

from typing import Any

from ..client import KubernetesClient, KubernetesError, Object

_BLOCKED = 429
# The pod is gone, or a new pod has its name.
_GONE = (404, 409)
_MIRROR = "kubernetes.io/config.mirror"


def evict(client: KubernetesClient, pod: Object, grace: int = -1) -> str:
    """Ask for the eviction of a pod. Returns why it is refused for now, "" if it is not.

    grace: seconds for the pod to end; less than 0 means the pod's own period. Raises KubernetesError.
    """
    metadata = pod["metadata"]
    deletion: dict[str, Any] = {"preconditions": {"uid": metadata["uid"]}}
    if grace >= 0:
        deletion["gracePeriodSeconds"] = grace
    eviction = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
        "deleteOptions": deletion,
    }
    path = client.kind("v1", "Pod").path(metadata["namespace"], metadata["name"])
    try:
        client.post(f"{path}/eviction", eviction, retried=False)
    except KubernetesError as error:
        if error.status == _BLOCKED:
            return str(error).rpartition(f"{_BLOCKED}: ")[2]
        if error.status not in _GONE:
            raise
    return ""


def controller_of(pod: Object) -> Object | None:
    """The reference to the object that creates the pod anew (a ReplicaSet, a DaemonSet), None if there is none."""
    owners = pod["metadata"].get("ownerReferences") or ()
    return next((owner for owner in owners if owner.get("controller")), None)


def is_static(pod: Object) -> bool:
    """Whether the kubelet runs the pod from a file: the API server only has an image of it."""
    return _MIRROR in (pod["metadata"].get("annotations") or {})


def is_going(pod: Object) -> bool:
    """Whether the pod is being deleted."""
    return "deletionTimestamp" in pod["metadata"]


def is_finished(pod: Object) -> bool:
    """Whether the pod's programs have ended for good."""
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def title(pod: Object) -> str:
    """The pod in messages."""
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
