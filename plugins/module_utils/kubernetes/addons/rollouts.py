# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits until workloads have all their pods, updated and ready."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence

from ...base.errors import KopsError
from ..client import KubernetesClient, Object
from ..nodes.pressure import pressures
from ..nodes.readiness import is_ready, ready_condition
from .object_names import title
from .pruned import is_of_addon
from .room import make_room
from .selectors import selects
from .separate import has_no_host, keeps_apart

WORKLOADS = ("Deployment", "DaemonSet", "StatefulSet")
_PAUSE = 0.2
_ROOM_PAUSE = 2.0


def workloads(objects: Iterable[Object]) -> list[Object]:
    """The objects that run pods and whose rollout can be waited for."""
    return [obj for obj in objects if obj["kind"] in WORKLOADS]


def are_rolled_out(client: KubernetesClient, objects: Iterable[Object]) -> bool:
    """Whether the workloads are all there, and rolled out at this moment."""
    return not any(_lacks(client, obj) and not _too_few_hosts(client, obj) for obj in objects)


def await_rollouts(
    client: KubernetesClient, objects: Sequence[Object], seconds: float, tell: Callable[[str], None] | None = None
) -> list[str]:
    """Wait until the workloads are rolled out. tell: is called with a line whenever the missing pods change.

    Pods that share no host with each other are not waited for while there are fewer hosts; the result tells of
    them. Where every host runs an old pod of an addon of kops' own, old pods are taken away one by one; those of
    users and of channels are theirs. Nor are pods waited for on nodes whose kubelet is silent. Raises KopsError at
    the deadline. The message says what each workload lacks, why its pods do not run, and what nodes are short of.
    """
    start = time.monotonic()
    few: list[str] = []
    left, told, room = list(objects), "", start + _ROOM_PAUSE
    while True:
        lacking = {client.path_of(obj): _lacks(client, obj) for obj in left}
        left = [obj for obj in left if lacking[client.path_of(obj)]]
        short = {client.path_of(obj): _too_few_hosts(client, obj) for obj in left}
        silent = _silent_nodes(client) if left else ()
        for obj in left:
            short[client.path_of(obj)] = short[client.path_of(obj)] or _lacks_silent_nodes(client, obj, silent)
        few += filter(None, short.values())
        left = [obj for obj in left if not short[client.path_of(obj)]]
        if not left:
            return few
        line = "; ".join(sorted(lacking[client.path_of(obj)] for obj in left))
        if tell is not None and line != told:
            tell(line)
            told = line
        if time.monotonic() > room:
            _make_room(client, left)
            room = time.monotonic() + _ROOM_PAUSE
        if time.monotonic() + _PAUSE > start + seconds:
            break
        time.sleep(_PAUSE)
    lines = [f"not all workloads run after {seconds:g} seconds:"]
    for obj in left:
        lines += [f"- {lacking[client.path_of(obj)]}", *(f"  {reason}" for reason in _reasons(client, obj))]
    lines += [f"- {each}" for each in pressures(client.list(client.kind("v1", "Node").path()))]
    raise KopsError("\n".join(lines))


def await_running(client: KubernetesClient, objects: Sequence[Object], seconds: float) -> bool:
    """Wait until all pods of DaemonSets run, ready or not. Returns whether they do before the deadline."""
    end = time.monotonic() + seconds
    while not all(_runs(client, obj) for obj in objects):
        if time.monotonic() + _PAUSE > end:
            return False
        time.sleep(_PAUSE)
    return True


def _runs(client: KubernetesClient, obj: Object) -> bool:
    status = (client.find(client.path_of(obj)) or {}).get("status") or {}
    pods = _pods(client, obj)
    wanted = status.get("desiredNumberScheduled", 0)
    return 0 < wanted <= sum((pod.get("status") or {}).get("phase") == "Running" for pod in pods)


def _lacks(client: KubernetesClient, obj: Object) -> str:
    """What a workload lacks; "" if nothing."""
    found = client.find(client.path_of(obj))
    if found is None:
        return f"{title(obj)} does not exist any more"
    status = found.get("status") or {}
    if status.get("observedGeneration", 0) < found["metadata"].get("generation", 0):
        return f"{title(found)} was not processed by its controller yet"
    wanted, updated, ready = counts_of(found)
    if updated < wanted:
        return f"{title(found)} has {updated} of {wanted} pods updated"
    # As long as there are old pods, they are among those that are ready.
    if old := _old(found):
        return f"{title(found)} has {old} old pods left"
    if ready < wanted:
        return f"{title(found)} has {ready} of {wanted} pods ready"
    return ""


def _old(found: Object) -> int:
    """How many pods of a Deployment are left from before its last change."""
    status = found.get("status") or {}
    is_deployment = found["kind"] == "Deployment"
    return max(0, status.get("replicas", 0) - status.get("updatedReplicas", 0)) if is_deployment else 0


def _too_few_hosts(client: KubernetesClient, obj: Object) -> str:
    """What to tell of a workload that lacks nothing but hosts, as its pods share none; "" of others."""
    found = client.find(client.path_of(obj)) if keeps_apart(_template(obj)) else None
    if found is None:
        return ""
    wanted, updated, ready = counts_of(found)
    if updated < wanted or _old(found) or not 0 < ready < wanted:
        return ""
    pods, nodes = _around(client, obj)
    if sum(has_no_host(pod, pods, nodes) for pod in _pods(client, obj)) < wanted - ready:
        return ""
    return f"{title(found)} runs {ready} of {wanted} pods: no two of them share a host, and no other host takes them"


def _silent_nodes(client: KubernetesClient) -> set[str]:
    """Nodes of which nobody has heard for a while. A new one has not said that it is ready, but it does speak."""
    nodes = client.list(client.kind("v1", "Node").path())
    return {node["metadata"]["name"] for node in nodes if ready_condition(node).get("status") == "Unknown"}


def _lacks_silent_nodes(client: KubernetesClient, obj: Object, silent: Collection[str]) -> str:
    """What to tell of a workload that lacks no pods but those on silent nodes; "" of others."""
    found = client.find(client.path_of(obj)) if silent else None
    if found is None:
        return ""
    pods = [pod for pod in _pods(client, obj) if pod["spec"].get("nodeName") in silent and not is_ready(pod)]
    wanted, updated, ready = counts_of(found)
    if not pods or _old(found) or wanted - min(updated, ready) > len(pods):
        return ""
    names = ", ".join(sorted({pod["spec"]["nodeName"] for pod in pods}))
    return f"{title(found)} runs {ready} of {wanted} pods: the others are on {names}, whose kubelet is silent"


def _make_room(client: KubernetesClient, objects: Iterable[Object]) -> None:
    for obj in objects:
        if obj["kind"] != "Deployment" or not is_of_addon(obj) or not keeps_apart(_template(obj)):
            continue
        found = client.find(client.path_of(obj))
        if found is not None:
            make_room(client, found, *_around(client, obj))


def _template(obj: Object) -> Object:
    return (obj.get("spec") or {}).get("template") or {}


def _around(client: KubernetesClient, obj: Object) -> tuple[list[Object], list[Object]]:
    """All pods of a workload's namespace, and all nodes."""
    pods = client.list(client.kind("v1", "Pod").path(obj["metadata"].get("namespace", "default")))
    return list(pods), list(client.list(client.kind("v1", "Node").path()))


def counts_of(found: Object) -> tuple[int, int, int]:
    """How many pods a workload should have, how many are updated, how many are ready."""
    spec, status = found["spec"], found.get("status") or {}
    if found["kind"] == "DaemonSet":
        wanted = status.get("desiredNumberScheduled", 0)
        ready = status.get("numberAvailable", 0)
    else:
        wanted = spec.get("replicas", 1)
        ready = status.get("availableReplicas", 0)
    # With OnDelete, the controller does not replace old pods: they are replaced when a user deletes them.
    if (spec.get("updateStrategy") or {}).get("type") == "OnDelete":
        return wanted, wanted, ready
    updated = status.get("updatedNumberScheduled" if found["kind"] == "DaemonSet" else "updatedReplicas", 0)
    return wanted, updated, ready


def _reasons(client: KubernetesClient, obj: Object) -> list[str]:
    """Why pods of a workload are not ready."""
    return [reason for pod in _pods(client, obj) for reason in pod_problems(pod)]


def _pods(client: KubernetesClient, obj: Object) -> list[Object]:
    """The pods that a workload's selector finds."""
    labels = obj["spec"]["selector"].get("matchLabels") or {}
    selector = ",".join(f"{name}={value}" for name, value in labels.items())
    path = client.kind("v1", "Pod").path(obj["metadata"].get("namespace", "default"))
    return [pod for pod in client.list(path, labelSelector=selector) if selects(obj, pod)]


def pod_problems(pod: Object) -> list[str]:
    """Why a pod is not ready, as its status says."""
    name, status = pod["metadata"]["name"], pod.get("status") or {}
    found = []
    for container in [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]:
        state = container.get("state") or {}
        for kind in ("waiting", "terminated"):
            reason = state.get(kind) or {}
            if reason and reason.get("reason") not in ("PodInitializing", "Completed"):
                text = " ".join(filter(None, (reason.get("reason"), reason.get("message"))))
                found.append(f"pod {name}, container {container['name']}: {text}")
    found += [
        f"pod {name}: {condition.get('reason', '')} {condition.get('message', '')}".rstrip()
        for condition in status.get("conditions") or ()
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False"
    ]
    return found
