# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of addons that stay as they were before their DaemonSet changed, since it replaces none by itself (OnDelete).

In clouds, kops replaces the nodes. A host stays: there, a rolling update deletes these pods.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from ...base.errors import KopsError
from ...base.report import Step
from ..addons.pruned import NAME_LABEL
from ..client import KubernetesClient, Object
from .eviction import controller_of, is_going, title

# On a DaemonSet's pods and on its revisions: which template they have.
_TEMPLATE = "controller-revision-hash"


def old_pods(client: KubernetesClient) -> list[Object]:
    """Pods of addons whose DaemonSet has another template by now, and leaves them."""
    daemon_sets = client.list(client.kind("apps/v1", "DaemonSet").path(), labelSelector=NAME_LABEL)
    return [pod for obj in daemon_sets if _leaves_old_pods(obj) for pod in _old_pods_of(client, obj)]


def replace_old_pods(client: KubernetesClient, node: str, seconds: float, pause: float) -> list[Step]:
    """Delete those of a node, and wait until their DaemonSets have made others, whether these are ready or not.

    seconds: how long to wait; 0 means no limit. A client in check mode deletes none. Raises KopsError at the deadline.
    """
    pods = [pod for pod in old_pods(client) if _node_of(pod) == node]
    if pods and not client.check:
        for pod in pods:
            client.delete(_path_of_pods(client, pod["metadata"]["namespace"], pod["metadata"]["name"]))
        _await_others(client, node, pods, seconds, pause)
    return [Step(f"Pod {title(pod)}", True, node, None) for pod in pods]


def _await_others(client: KubernetesClient, node: str, pods: Sequence[Object], seconds: float, pause: float) -> None:
    end, left = time.monotonic() + seconds, list(pods)
    while True:
        present = list(client.list(_path_of_pods(client), fieldSelector=f"spec.nodeName={node}"))
        made = {_owner(pod) for pod in present} - {_owner(pod) for pod in present if _is_one_of(pod, pods)}
        left = [pod for pod in left if _owner(pod) not in made]
        if not left:
            return
        if seconds and time.monotonic() + pause > end:
            names = ", ".join(map(title, left))
            raise KopsError(f"node {node} has no pods in place of these after {seconds:g} seconds: {names}")
        time.sleep(pause)


def _is_one_of(pod: Object, pods: Sequence[Object]) -> bool:
    return pod["metadata"]["uid"] in {each["metadata"]["uid"] for each in pods}


def _owner(pod: Object) -> str:
    return str((controller_of(pod) or {}).get("uid", ""))


def _node_of(pod: Object) -> str:
    return str((pod.get("spec") or {}).get("nodeName", ""))


def _path_of_pods(client: KubernetesClient, *names: str) -> str:
    return client.kind("v1", "Pod").path(*names)


def _leaves_old_pods(daemon_set: Object) -> bool:
    """Whether it has any; also if its controller has not looked yet."""
    status = daemon_set.get("status") or {}
    if (daemon_set["spec"].get("updateStrategy") or {}).get("type") != "OnDelete":
        return False
    seen = status.get("observedGeneration", 0) >= daemon_set["metadata"].get("generation", 0)
    return not seen or status.get("updatedNumberScheduled", 0) < status.get("currentNumberScheduled", 0)


def _old_pods_of(client: KubernetesClient, daemon_set: Object) -> list[Object]:
    namespace, uid = daemon_set["metadata"]["namespace"], daemon_set["metadata"]["uid"]
    revisions = client.list(client.kind("apps/v1", "ControllerRevision").path(namespace))
    mine = [each for each in revisions if _owner(each) == uid]
    if not mine:
        return []
    newest = max(mine, key=lambda each: int(each["revision"]))["metadata"]["labels"][_TEMPLATE]
    pods = client.list(_path_of_pods(client, namespace))
    return [
        pod
        for pod in pods
        if _owner(pod) == uid and not is_going(pod) and (pod["metadata"].get("labels") or {}).get(_TEMPLATE) != newest
    ]
