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

from ...base.errors import KopsError
from ...base.labels import CORDONED_FOR_UPDATE, NEEDS_UPDATE
from ...base.report import Report, Step
from ..addons.versions import needs_update
from ..client import KubernetesClient, Object
from .eviction import controller_of, evict, is_finished, is_going, is_static, title
from .old_pods import replace_old_pods
from .readiness import is_ready

# On a Node: cloud controllers send no traffic from load balancers to it.
_NO_TRAFFIC = "node.kubernetes.io/exclude-from-external-load-balancers"
# How often a drain says what it waits for, in seconds.
_REMINDER = 30.0
_STATES = ("cordoned", "drained", "schedulable", "absent")


class NotDrained(KopsError):
    """Pods are left on the node at the deadline."""


@dataclass(frozen=True)
class DrainOptions:
    """Limits of draining, in seconds.

    timeout: of all evictions; 0 means no limit. settle: pause after the last pod, so that clients notice its end.
    pause: between two polls. grace: period for the pods to end; less than 0 means each pod's own period.
    for_update: a rolling update cordons the node, and marks it, so that a later one can tell this node from those that
    an administrator has cordoned; only a marked node is uncordoned then. After that, the node no longer needs an update
    (versions.py). Of the pods of DaemonSets, those that only a rolling update replaces (old_pods.py) are deleted last.
    unreachable: nobody reaches the machine, and its Node object will be deleted. As soon as its kubelet is silent, too,
    pods that budgets hold are not waited for, since nobody can end them.
    leaves: the machine ends after that. No load balancer sends to it any more, and no pod is replaced on it.
    """

    timeout: float = 900
    settle: float = 5
    pause: float = 1
    grace: int = -1
    for_update: bool = False
    leaves: bool = False
    unreachable: bool = False


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
    report, options = Report(), options or DrainOptions()
    path = client.kind("v1", "Node").path(name=name)
    node = client.find(path)
    if node is None:
        if state in ("cordoned", "schedulable"):
            raise KopsError(f"node {name} does not exist")
        return report
    if state == "absent":
        report.steps.append(_delete(client, path, name))
        return report
    if state == "schedulable":
        report.steps.append(_uncordon(client, path, node, only_marked=options.for_update))
        if options.for_update:
            report.steps.append(_forget_need(client, path, node))
    else:
        report.steps.append(_cordon(client, path, node, options))
    if state == "drained":
        report.steps += _Drain(client, node, options, tell).run()
        if options.for_update and not options.leaves:
            report.steps += replace_old_pods(client, name, options.timeout, options.pause)
    return report


def _delete(client: KubernetesClient, path: str, name: str) -> Step:
    if not client.check:
        client.delete(path)
    return Step(f"Node {name}", True, "present", None)


def _cordon(client: KubernetesClient, path: str, node: Object, options: DrainOptions) -> Step:
    item = f"Node {node['metadata']['name']}"
    if options.leaves and not client.check:
        client.patch(path, {"metadata": {"labels": {_NO_TRAFFIC: ""}}})
    if is_cordoned(node):
        return Step(item)
    # One request: a node is never cordoned without its mark, at whatever moment the run is killed.
    time_of_mark = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()) if options.for_update else None
    _set_cordon(client, path, True, time_of_mark)
    return Step(item, True, "schedulable", "cordoned")


def _uncordon(client: KubernetesClient, path: str, node: Object, *, only_marked: bool) -> Step:
    step = Step(f"Node {node['metadata']['name']}")
    marked = CORDONED_FOR_UPDATE in (node["metadata"].get("annotations") or {})
    if marked or (is_cordoned(node) and not only_marked):
        _set_cordon(client, path, None, None)
        step.changed, step.before, step.after = True, "cordoned", "schedulable"
    return step


def _forget_need(client: KubernetesClient, path: str, node: Object) -> Step:
    step = Step(f"Update of node {node['metadata']['name']}", needs_update(node))
    if step.changed:
        step.before, step.after = "needed", "done"
        if not client.check:
            client.patch(path, {"metadata": {"annotations": {NEEDS_UPDATE: None}}})
    return step


def _set_cordon(client: KubernetesClient, path: str, cordoned: bool | None, time_of_mark: str | None) -> None:
    if not client.check:
        annotations = {CORDONED_FOR_UPDATE: time_of_mark}
        client.patch(path, {"spec": {"unschedulable": cordoned}, "metadata": {"annotations": annotations}})


def is_cordoned(node: Object) -> bool:
    """Whether no new pods are scheduled to the node."""
    return bool((node.get("spec") or {}).get("unschedulable"))


def cordoned_for_update(node: Object) -> str:
    """When a rolling update has cordoned a node that is still cordoned (RFC 3339); "" for all other nodes."""
    annotations = node["metadata"].get("annotations") or {}
    return str(annotations.get(CORDONED_FOR_UPDATE, "")) if is_cordoned(node) else ""


class _Drain:
    """Eviction of the pods of one node."""

    def __init__(
        self, client: KubernetesClient, node: Object, options: DrainOptions, tell: Callable[[str], None]
    ) -> None:
        self.client = client
        self.name = node["metadata"]["name"]
        self.answers = is_ready(node)
        self.options = options
        self.tell = tell
        self.blocked: dict[str, str] = {}

    def run(self) -> list[Step]:
        """Evict the pods and wait until they are gone. Returns one step for each pod."""
        pods = self._pods()
        steps = [Step(f"Pod {title(pod)}", True, self.name, None) for pod in pods]
        if self.client.check or not pods:
            return steps
        started = reminded = time.monotonic()
        end = started + self.options.timeout
        while pods:
            for pod in pods:
                self._evict(pod)
            self._ask_kubelet()
            if self.options.unreachable and not self.answers:
                self.tell(f"{self.name}: its kubelet is silent, so these pods are not waited for: {_titles(pods)}")
                return steps
            left = self._pods()
            if len(left) < len(pods):
                self.tell(f"{self.name}: {len(left)} pods left")
            pods = left
            if not pods:
                break
            if time.monotonic() - reminded >= _REMINDER:
                reminded = time.monotonic()
                self.tell(
                    f"{self.name}: not drained after {reminded - started:.0f} s; {'; '.join(self._holding(pods))}"
                )
            if self.options.timeout and time.monotonic() + self.options.pause > end:
                self._give_up(pods)
            time.sleep(self.options.pause)
        time.sleep(self.options.settle)
        return steps

    def _pods(self) -> list[Object]:
        """The pods that must be evicted and are not gone yet."""
        every = self.client.list(self.client.kind("v1", "Pod").path(), fieldSelector=f"spec.nodeName={self.name}")
        return [pod for pod in every if not _stays(pod) and (self.answers or not is_going(pod))]

    def _ask_kubelet(self) -> None:
        """Whether the node is ready still: its machine may end meanwhile."""
        if self.answers:
            node = self.client.find(self.client.kind("v1", "Node").path(name=self.name))
            self.answers = node is not None and is_ready(node)

    def _evict(self, pod: Object) -> None:
        if not is_going(pod):
            self.blocked[pod["metadata"]["uid"]] = evict(self.client, pod, self.options.grace)

    def _give_up(self, pods: list[Object]) -> None:
        lines = [
            f"node {self.name} is cordoned but not drained after {self.options.timeout:g} seconds; these pods are left:"
        ]
        lines += [f"- {line}" for line in self._holding(pods)]
        raise NotDrained("\n".join(lines))

    def _holding(self, pods: list[Object]) -> list[str]:
        """Why each of the pods is still there."""
        silent = "it was evicted but has not ended yet"
        return [f"pod {title(pod)}: {self.blocked.get(pod['metadata']['uid']) or silent}" for pod in pods]


def _titles(pods: list[Object]) -> str:
    return ", ".join(map(title, pods))


def _stays(pod: Object) -> bool:
    """Whether a pod is not evicted: static pods, and pods of DaemonSets, which would be created again at once."""
    controller = controller_of(pod)
    of_daemon_set = controller is not None and controller.get("kind") == "DaemonSet"
    return is_static(pod) or (of_daemon_set and not is_finished(pod))
