# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cordon, drain and uncordon a node, and delete its Node object.

Which pods are evicted: as kubectl drain with kops' options (force, ignoring DaemonSets, deleting emptyDir volumes).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..base.errors import KopsError
from ..base.report import Report, Step
from .client import KubernetesClient, KubernetesError, Object

_MIRROR = "kubernetes.io/config.mirror"
_BLOCKED = 429
_STATES = ("cordoned", "drained", "schedulable", "absent")


class NotDrained(KopsError):
    """Pods are left on the node at the deadline."""


@dataclass(frozen=True)
class DrainOptions:
    """Limits of draining, in seconds.

    timeout: of all evictions; 0 means no limit. settle: pause after the last pod, so that clients notice its end.
    pause: between two polls. grace: period for the pods to end; less than 0 means each pod's own period.
    """

    timeout: float = 900
    settle: float = 5
    pause: float = 1
    grace: int = -1


def silent(line: str) -> None:
    """Report no progress."""


def set_node_state(
    client: KubernetesClient,
    name: str,
    state: str,
    options: DrainOptions | None = None,
    tell: Callable[[str], None] = silent,
) -> Report:
    """Change the state of a node: cordoned, drained (implies cordoned), schedulable, or absent (no Node object).

    A node that does not exist counts as drained and absent. A client in check mode changes nothing. Raises NotDrained
    if pods are left at the deadline; the message says why each of them is still there.
    """
    if state not in _STATES:
        raise KopsError(f"{state} is not a state of a node; known are {', '.join(_STATES)}")
    report = Report()
    path = client.kind("v1", "Node").path(name=name)
    node = client.find(path)
    if node is None:
        if state in ("cordoned", "schedulable"):
            raise KopsError(f"node {name} does not exist")
        return report
    if state == "absent":
        report.steps.append(_delete(client, path, name))
        return report
    report.steps.append(_cordon(client, path, node, state != "schedulable"))
    if state == "drained":
        report.steps += _Drain(client, node, options or DrainOptions(), tell).run()
    return report


def _delete(client: KubernetesClient, path: str, name: str) -> Step:
    if not client.check:
        client.delete(path)
    return Step(f"Node {name}", True, "present", None)


def _cordon(client: KubernetesClient, path: str, node: Object, cordoned: bool) -> Step:
    item = f"Node {node['metadata']['name']}"
    if bool(node.get("spec", {}).get("unschedulable")) == cordoned:
        return Step(item)
    if not client.check:
        client.patch(path, {"spec": {"unschedulable": True if cordoned else None}})
    states = ("schedulable", "cordoned") if cordoned else ("cordoned", "schedulable")
    return Step(item, True, *states)


class _Drain:
    """Eviction of the pods of one node."""

    def __init__(
        self, client: KubernetesClient, node: Object, options: DrainOptions, tell: Callable[[str], None]
    ) -> None:
        self.client = client
        self.name = node["metadata"]["name"]
        self.answers = _is_ready(node)
        self.options = options
        self.tell = tell
        self.blocked: dict[str, str] = {}

    def run(self) -> list[Step]:
        """Evict the pods and wait until they are gone. Returns one step for each pod."""
        pods = self._pods()
        steps = [Step(f"Pod {_title(pod)}", True, self.name, None) for pod in pods]
        if self.client.check or not pods:
            return steps
        end = time.monotonic() + self.options.timeout
        while pods:
            for pod in pods:
                self._evict(pod)
            left = self._pods()
            if len(left) < len(pods):
                self.tell(f"{self.name}: {len(left)} pods left")
            pods = left
            if not pods:
                break
            if self.options.timeout and time.monotonic() + self.options.pause > end:
                self._give_up(pods)
            time.sleep(self.options.pause)
        time.sleep(self.options.settle)
        return steps

    def _pods(self) -> list[Object]:
        """The pods that must be evicted and are not gone yet."""
        every = self.client.list(self.client.kind("v1", "Pod").path(), fieldSelector=f"spec.nodeName={self.name}")
        return [pod for pod in every if not _stays(pod) and (self.answers or not _is_going(pod))]

    def _evict(self, pod: Object) -> None:
        if _is_going(pod):
            return
        metadata = pod["metadata"]
        deletion: dict[str, Any] = {"preconditions": {"uid": metadata["uid"]}}
        if self.options.grace >= 0:
            deletion["gracePeriodSeconds"] = self.options.grace
        eviction = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
            "deleteOptions": deletion,
        }
        path = self.client.kind("v1", "Pod").path(metadata["namespace"], metadata["name"])
        self.blocked.pop(metadata["uid"], None)
        try:
            self.client.post(f"{path}/eviction", eviction, retried=False)
        except KubernetesError as error:
            # 404, 409: the pod is gone, or a new pod has its name.
            if error.status == _BLOCKED:
                self.blocked[metadata["uid"]] = str(error).rpartition(f"{_BLOCKED}: ")[2]
            elif error.status not in (404, 409):
                raise

    def _give_up(self, pods: list[Object]) -> None:
        lines = [
            f"node {self.name} is cordoned but not drained after {self.options.timeout:g} seconds; these pods are left:"
        ]
        for pod in pods:
            why = self.blocked.get(pod["metadata"]["uid"]) or "it was evicted but has not ended yet"
            lines.append(f"- pod {_title(pod)}: {why}")
        raise NotDrained("\n".join(lines))


def _stays(pod: Object) -> bool:
    """Whether a pod is not evicted: static pods, and pods of DaemonSets, which would be created again at once."""
    metadata = pod["metadata"]
    owners = metadata.get("ownerReferences") or ()
    of_daemon_set = any(owner.get("kind") == "DaemonSet" and owner.get("controller") for owner in owners)
    finished = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    return _MIRROR in (metadata.get("annotations") or {}) or (of_daemon_set and not finished)


def _is_going(pod: Object) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def _is_ready(node: Object) -> bool:
    """Whether the kubelet answers. If not, the end of pods is never confirmed, and it is no use to wait for it."""
    conditions = (node.get("status") or {}).get("conditions") or ()
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)


def _title(pod: Object) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
