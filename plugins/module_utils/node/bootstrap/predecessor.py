# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' own server, in a cluster that kops made: the pods of the DaemonSet kops-controller, which want the same port.

Control planes that kops made keep their pods: instances that nodeup has booted ask these. Ours get none: the DaemonSet
is deleted without its pods, and then the pod that this node may have got already. What the pods need goes with the last
of them.
Source: upup/models/cloudup/resources/addons/kops-controller.addons.k8s.io of kops.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ...base.errors import KopsError
from ...kubernetes.client import KubernetesClient
from ...kubernetes.connection import RetryPolicy

_NAMESPACE = "kube-system"
_SET = f"/apis/apps/v1/namespaces/{_NAMESPACE}/daemonsets/kops-controller"
_PODS = f"/api/v1/namespaces/{_NAMESPACE}/pods"
_SELECTOR = "k8s-app=kops-controller"
_CONFIG_MAP = f"/api/v1/namespaces/{_NAMESPACE}/configmaps/kops-controller"
_RBAC = "/apis/rbac.authorization.k8s.io/v1"
# Whatever else there is of it. The ConfigMap is last: as long as it is there, there may be more.
_NEEDED = {
    "ServiceAccount": f"/api/v1/namespaces/{_NAMESPACE}/serviceaccounts/kops-controller",
    "ClusterRoleBinding": f"{_RBAC}/clusterrolebindings/kops-controller",
    "ClusterRole": f"{_RBAC}/clusterroles/kops-controller",
    "RoleBinding": f"{_RBAC}/namespaces/{_NAMESPACE}/rolebindings/kops-controller",
    "Role": f"{_RBAC}/namespaces/{_NAMESPACE}/roles/kops-controller",
    "Lease": f"/apis/coordination.k8s.io/v1/namespaces/{_NAMESPACE}/leases/kops-controller-leader",
    "ConfigMap": _CONFIG_MAP,
}
_WITHOUT_PODS = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Orphan"}
_ATTEMPT = RetryPolicy(deadline=10, timeout=5)
_FIRST_PAUSE, _LAST_PAUSE = 2.0, 60.0


def make_room(client: KubernetesClient, node: str) -> list[str]:
    """Remove kops' server from a node of ours. Returns what it has removed. Raises KopsError."""
    removed = []
    found = client.find(_SET)
    if found is not None and not found["metadata"].get("deletionTimestamp"):
        client.delete(_SET, {**_WITHOUT_PODS, "preconditions": {"uid": found["metadata"]["uid"]}})
        removed.append("DaemonSet kops-controller, without its pods")
    for pod in client.list(_PODS, labelSelector=_SELECTOR, fieldSelector=f"spec.nodeName={node}"):
        name = pod["metadata"]["name"]
        if not pod["metadata"].get("deletionTimestamp") and client.delete(f"{_PODS}/{name}"):
            removed.append(f"pod {name}")
    return removed


def remove_rest(client: KubernetesClient) -> list[str] | None:
    """Remove what the pods of kops' server needed; None as long as there are any. Raises KopsError.

    A DaemonSet that is there again is left alone, with all that it needs: somebody goes back to kops.
    """
    found = client.find(_SET)
    if found is not None:
        return None if found["metadata"].get("deletionTimestamp") else []
    if client.find(_CONFIG_MAP) is None:
        return []
    if any(True for _pod in client.list(_PODS, labelSelector=_SELECTOR)):
        return None
    return [kind for kind, path in _NEEDED.items() if client.delete(path)]


def keep_room(kubeconfig: str, node: str, say: Callable[[str], None], settled: int = 3) -> None:
    """Make room until there was nothing to remove for so many times: a pod may just be on its way to the node.

    Then remove the rest, which waits until the last control plane of kops has gone.
    """
    pause, quiet, rest = _FIRST_PAUSE, 0, None
    while rest is None:
        try:
            client = KubernetesClient.from_kubeconfig(kubeconfig, retry=_ATTEMPT)
            try:
                removed = make_room(client, node) if quiet < settled else []
                rest = remove_rest(client) if quiet >= settled else None
            finally:
                client.close()
            for each in removed:
                say(f"removed kops' own server from this node: {each}")
            for kind in rest or ():
                say(f"removed what kops' own server needed: {kind}")
            quiet = 0 if removed else quiet + 1
        except KopsError:  # The API server of a node that boots comes later than this server.
            pass
        time.sleep(pause)
        pause = min(2 * pause, _LAST_PAUSE)
