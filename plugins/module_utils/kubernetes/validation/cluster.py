# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates a cluster and returns all failures at once (pkg/validation of kops; what kops does not check is marked)."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...base.labels import INSTANCE_GROUP
from ..addons.rollouts import WORKLOADS, pod_problems
from ..addons.separate import has_no_host
from ..addons.versions import needs_update
from ..client import KubernetesClient, Object
from ..controllers import ADDONS
from ..nodes.drain import cordoned_for_update
from ..nodes.eviction import controller_of, is_static, title
from ..nodes.old_pods import old_pods
from ..nodes.readiness import is_ready, ready_condition, ready_status
from ..nodes.static_pods import missing_apps
from .addons import Workload, missing_workloads, unhealthy_addons
from .controllers import failing_controllers

_CRITICAL = ("system-cluster-critical", "system-node-critical")
_ROLES = {"ControlPlane": "control-plane", "APIServer": "apiserver", "Node": "node", "Bastion": "bastion"}


@dataclass(frozen=True)
class Failure:
    """One failed condition. message: follows its kind and name, and does not repeat them.

    group: the instance group it belongs to, "" if none. node: the node whose own failure it is, so that replacing or
    mending this node may end it; "" if it is of none.
    """

    kind: str
    name: str
    message: str
    group: str = ""
    node: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}: {self.message}"

    def as_dict(self) -> dict[str, str]:
        """The failure as plain data."""
        return {"kind": self.kind, "name": self.name, "message": self.message, "instance_group": self.group}


@dataclass(frozen=True)
class Group:
    """An instance group. size: its minimum number of nodes. nodes: their names, if known.

    launched: name of a node -> when its machine was launched, as far as the cloud says it.
    """

    name: str
    role: str = "Node"
    size: int = 0
    nodes: Sequence[str] = ()
    launched: Mapping[str, datetime.datetime] = field(default_factory=dict)


@dataclass
class Validation:
    """The result. nodes: name, role, instance_group, ready ("True", "False", "Unknown"), version, cordoned_for_update
    (see drain.cordoned_for_update), needs_update (see versions.py) and old_pods (names, see old_pods.py) of each node.
    warnings: what is odd, but no failure. addresses: of the nodes -> their names.
    """

    failures: list[Failure] = field(default_factory=list)
    nodes: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    addresses: dict[str, str] = field(default_factory=dict)

    @property
    def failing(self) -> dict[str, list[str]]:
        """Name of a node -> what fails of it."""
        found: dict[str, list[str]] = {}
        for each in self.failures:
            if each.node:
                found.setdefault(each.node, []).append(each.message if each.kind == "Node" else str(each))
        return found


def validate(
    client: KubernetesClient,
    groups: Sequence[Group],
    *,
    max_unready_nodes: int = 0,
    leaving: Collection[str] = (),
    unfinished_updates: bool = True,
    workloads: Sequence[Workload] = (),
) -> Validation:
    """Check the nodes and system pods of a cluster, as the API server reports them.

    max_unready_nodes: so many worker nodes may be missing or not ready, and their pods too. leaving: names of nodes
    that are left out, or will be replaced or mended, of which nothing is expected. unfinished_updates: whether a node
    that an interrupted rolling update has left cordoned is a failure. workloads: that addons must have, whatever there
    is. Raises KopsError if the API server does not answer.
    """
    nodes = {node["metadata"]["name"]: node for node in client.list(client.kind("v1", "Node").path())}
    members = {group.name: members_of(group, groups, nodes) for group in groups}
    group_of = {name: group.name for group in groups for name in members[group.name]}
    tolerated = _tolerated(groups, members, nodes, max_unready_nodes).union(leaving)
    found, old = Validation(), old_pods(client)
    for group in groups:
        found.failures += _of_group(group, members[group.name], nodes, tolerated)
    for name, node in sorted(nodes.items()):
        found.nodes.append(_row(node, group_of.get(name, ""), groups, old))
        found.addresses |= {each["address"]: name for each in (node.get("status") or {}).get("addresses") or ()}
        if unfinished_updates and name not in leaving:
            found.failures += _unfinished_update(node, group_of.get(name, ""))
    pods = list(client.list(client.kind("v1", "Pod").path()))
    ready = [node for name, node in nodes.items() if is_ready(node) and name not in leaving]
    # kops fails for them: a cluster with a single worker would never be valid.
    idle = [pod for pod in pods if _is_without_host(pod, pods, list(nodes.values()))]
    found.warnings += [
        f"pod {title(pod)} waits for another host, as it shares none with others of its kind"
        for pod in idle
        if pod["metadata"]["namespace"] == "kube-system" or pod["spec"].get("priorityClassName") in _CRITICAL
    ]
    # Of a node whose kubelet is silent, the node itself is the failure: nothing can be known of its pods.
    excused = tolerated | {name for name in group_of if name in nodes and ready_status(nodes[name]) == "Unknown"}
    away = [pod for pod in pods if (pod.get("spec") or {}).get("nodeName") in excused]
    present = [each for kind in WORKLOADS for each in client.list(client.kind("apps/v1", kind).path())]
    unhealthy = [*missing_workloads(present, workloads), *unhealthy_addons(present, pods, group_of, [*idle, *away])]
    found.failures += [Failure("Addon", each.addon, each.message, each.group) for each in unhealthy]
    found.failures += [
        Failure("Addon" if name == ADDONS else "Controller", name, message)
        for name, message in failing_controllers(client)
    ]
    found.failures += _of_pods([pod for pod in pods if pod not in idle], group_of, excused)
    found.failures += _missing_static_pods(pods, ready, group_of)
    return found


def members_of(group: Group, groups: Sequence[Group], nodes: Mapping[str, Object]) -> list[str]:
    """Names of a group's nodes: the given ones, and nodes with the group's label that no other group names."""
    elsewhere = {name for other in groups if other is not group for name in other.nodes}
    labelled = [
        name
        for name, node in nodes.items()
        if (node["metadata"].get("labels") or {}).get(INSTANCE_GROUP) == group.name and name not in elsewhere
    ]
    return sorted({*group.nodes, *labelled})


def _tolerated(
    groups: Sequence[Group], members: Mapping[str, Sequence[str]], nodes: Mapping[str, Object], limit: int
) -> set[str]:
    workers = [name for group in groups if group.role == "Node" for name in members[group.name]]
    launched = {name: moment for group in groups for name, moment in group.launched.items()}
    unready = {
        name
        for name in workers
        if name not in nodes or not is_ready(nodes[name]) or _is_older(nodes[name], launched.get(name))
    }
    return unready if len(unready) <= limit else set()


def _of_group(
    group: Group, members: Sequence[str], nodes: Mapping[str, Object], tolerated: set[str]
) -> Iterable[Failure]:
    if group.role == "Bastion":
        return
    if len(members) < group.size:
        message = f"has too few nodes: {len(members)} instead of {group.size}"
        yield Failure("InstanceGroup", group.name, message, group.name)
    for name in members:
        if name in tolerated:
            continue
        if name not in nodes:
            yield Failure("Machine", name, "has not joined the cluster yet", group.name, name)
            continue
        if _is_older(nodes[name], group.launched.get(name)):
            message = "has not joined the cluster yet; what its Node says is older"
            yield Failure("Machine", name, message, group.name, name)
            continue
        status = ready_status(nodes[name])
        if status != "True":
            yield Failure("Node", name, "is not ready", group.name, name)
        elif _condition(nodes[name], "NetworkUnavailable") == "True":
            yield Failure("Node", name, "has no network for pods yet", group.name, name)


def _is_older(node: Object, launched: datetime.datetime | None) -> bool:
    """Whether a Node was last heard of before its machine was launched.

    Then it is that of a former machine of this name, which counts as ready for 50 s after its end. A kubelet says how
    it is at its start.
    """
    heard = ready_condition(node).get("lastHeartbeatTime")
    if launched is None or not heard:
        return False
    return datetime.datetime.fromisoformat(str(heard).replace("Z", "+00:00")) < launched


def _unfinished_update(node: Object, group: str) -> Iterable[Failure]:
    name, since = node["metadata"]["name"], cordoned_for_update(node)
    if since:
        message = (
            f"was cordoned at {since} by a rolling update that has not finished with it;"
            " if none is running, kubeops.kops.rolling_update continues with this node"
        )
        yield Failure("Node", name, message, group, name)


def _condition(node: Object, kind: str) -> str:
    conditions = (node.get("status") or {}).get("conditions") or ()
    return next((str(each.get("status")) for each in conditions if each.get("type") == kind), "")


def _row(node: Object, group: str, groups: Sequence[Group], old: Sequence[Object]) -> dict[str, Any]:
    role, name = next((each.role for each in groups if each.name == group), ""), node["metadata"]["name"]
    return {
        "name": name,
        "role": _ROLES.get(role, "node"),
        "instance_group": group,
        "ready": ready_status(node),
        "cordoned_for_update": cordoned_for_update(node),
        "needs_update": needs_update(node),
        "old_pods": sorted(title(pod) for pod in old if (pod.get("spec") or {}).get("nodeName") == name),
        "version": (node.get("status") or {}).get("nodeInfo", {}).get("kubeletVersion", ""),
    }


def _is_without_host(pod: Object, pods: Sequence[Object], nodes: Sequence[Object]) -> bool:
    """Whether nothing is wrong with a pod but that the cluster has too few hosts for it."""
    if (pod.get("status") or {}).get("phase") != "Pending":
        return False
    namespace = pod["metadata"]["namespace"]
    return has_no_host(pod, [each for each in pods if each["metadata"]["namespace"] == namespace], nodes)


def _of_pods(pods: Sequence[Object], group_of: Mapping[str, str], tolerated: set[str]) -> Iterable[Failure]:
    """Critical pods that do not run as they should."""
    working = {_daemon_set(pod) for pod in pods if is_ready(pod)}
    for pod in pods:
        spec, status = pod.get("spec") or {}, pod.get("status") or {}
        priority, phase, node = spec.get("priorityClassName"), status.get("phase"), spec.get("nodeName", "")
        if priority not in _CRITICAL or phase == "Succeeded" or node in tolerated:
            continue
        group = group_of.get(node, "") if priority == "system-node-critical" else ""
        waiting = [each["name"] for each in status.get("containerStatuses") or () if not each.get("ready")]
        if phase == "Pending":
            message = "is pending"
        elif phase == "Unknown":
            message = "is in an unknown state"
        elif waiting:
            message = f"is not ready ({', '.join(waiting)})"
        else:
            continue
        why = "; ".join(problem.partition(": ")[2] for problem in pod_problems(pod))
        full = f"{message}: {why}" if why else message
        # Where a DaemonSet has no pod that works, it is hardly the fault of the nodes.
        of_node = is_static(pod) or _daemon_set(pod) in working - {""}
        yield Failure("Pod", title(pod), full, group, node if of_node else "")


def _daemon_set(pod: Object) -> str:
    """The identity of the DaemonSet that a pod is of, "" if of none."""
    owner = controller_of(pod)
    return str(owner.get("uid", "")) if owner is not None and owner.get("kind") == "DaemonSet" else ""


def _missing_static_pods(
    pods: Sequence[Object], ready: Sequence[Object], group_of: Mapping[str, str]
) -> Iterable[Failure]:
    of_system = [pod for pod in pods if pod["metadata"]["namespace"] == "kube-system"]
    for node in ready:
        name = node["metadata"]["name"]
        for app in missing_apps(node, of_system):
            yield Failure("Node", name, f"has no pod {app}", group_of.get(name, ""), name)


def groups_from(data: Sequence[Mapping[str, Any]]) -> list[Group]:
    """Groups from plain data: name, role, size, nodes."""
    return [Group(each["name"], each["role"], each["size"], tuple(each["nodes"])) for each in data]
