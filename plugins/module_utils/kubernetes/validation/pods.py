# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows that every node runs pods with a network: by one that is started there for a moment. (kops does not.)

A node with a broken network is Ready, and so are the pods that it had before, and those in the node's own network.
"""

from __future__ import annotations

import ipaddress
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Optional

from ...base.errors import KopsError
from ..addons.rollouts import are_rolled_out
from ..client import KubernetesClient, Object
from ..nodes.readiness import is_ready
from .cluster import Failure

NAMESPACE = "kube-system"
# On every pod of every validation; the value names the validation.
LABEL = "kubeops.kops/validation"
_PAUSE, _NODES_PAUSE = 0.1, 0.5
# Seconds; much more than a validation takes.
_LEFT_AFTER = 3600
_PARALLEL = 16
_DELETED_AT_ONCE = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}


@dataclass(frozen=True)
class PodProbe:
    """Which pods are started.

    image: of a program that waits; that of sandboxes is on all nodes already. "" means that no pods are started.
    network: the range of the pods' addresses, "" if it is not known. seconds: how long a pod may take to run.
    """

    image: str = ""
    network: str = ""
    seconds: float = 30


def pod_failures(client: KubernetesClient, nodes: Mapping[str, str], probe: PodProbe) -> list[Failure]:
    """Nodes that do not run a pod with an address of the network. The pods are deleted again.

    nodes: name -> its instance group. Raises KopsError if the API server does not answer.
    """
    path, run = client.kind("v1", "Pod").path(NAMESPACE), uuid.uuid4().hex

    def start(node: str) -> str:
        try:
            client.post(path, _pod(node, probe, run))
        except KopsError as error:
            return str(error)
        return ""

    try:
        with ThreadPoolExecutor(_PARALLEL) as pool:
            refused = {node: message for node, message in zip(nodes, pool.map(start, nodes)) if message}
        problems = {**refused, **dict(_problems(client, path, run, nodes.keys() - refused.keys(), probe))}
    finally:
        client.delete_all(path, _DELETED_AT_ONCE, labelSelector=f"{LABEL}={run}")
        _delete_left(client, path)
    return [
        Failure("Node", node, f"does not run pods with a network: {message}", nodes[node])
        for node, message in sorted(problems.items())
    ]


class Trial:
    """A pod on every node, while other things are done.

    It begins at once, and waits until all nodes are ready and the workloads are rolled out: pods that start during a
    rollout may have the network as it was before. What is wrong with a node is not told, as its validation finds it
    again. Without an image nothing is tried.
    succeeded: at the end, whether every node ran a pod; also False if some node was not ready until then.
    """

    def __init__(self, client: KubernetesClient, probe: PodProbe, workloads: Sequence[Object] = ()) -> None:
        self.succeeded = False
        self._client = client
        self._probe = probe
        self._pool = ThreadPoolExecutor(1)
        self._begin(workloads)

    def __enter__(self) -> Trial:
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        self._pool.shutdown()
        self.succeeded = self._trying.result()

    def begin_again(self) -> None:
        """Forget the pods until now: something was created, which no rollout of older pods can hide."""
        self._stop.set()
        self._begin(())

    def _begin(self, workloads: Sequence[Object]) -> None:
        self._stop = threading.Event()
        self._trying = self._pool.submit(self._try, self._stop, workloads)

    def _try(self, stop: threading.Event, workloads: Sequence[Object]) -> bool:
        if not self._probe.image:
            return False
        try:
            while True:
                nodes = list(self._client.list(self._client.kind("v1", "Node").path()))
                ready = all(is_ready(node) for node in nodes)
                if ready and are_rolled_out(self._client, workloads):
                    return not pod_failures(self._client, {node["metadata"]["name"]: "" for node in nodes}, self._probe)
                if stop.wait(_NODES_PAUSE):
                    return False
        except KopsError:
            return False


def _delete_left(client: KubernetesClient, path: str) -> None:
    """Delete what killed validations have left: their pods have ended by their deadline.

    Pods of validations that run at the same moment are younger.
    """
    before = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - _LEFT_AFTER))
    for pod in client.list(path, labelSelector=LABEL, fieldSelector="status.phase=Failed"):
        if pod["metadata"]["creationTimestamp"] < before:
            client.delete(f"{path}/{pod['metadata']['name']}", _DELETED_AT_ONCE)


def _pod(node: str, probe: PodProbe, run: str) -> Object:
    """A pod for a node, whatever its taints; it asks for nothing, so that it has room and passes strict policies."""
    container = {
        "name": "pause",
        "image": probe.image,
        "imagePullPolicy": "IfNotPresent",
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": 65535,
        },
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"generateName": "kops-validation-", "namespace": NAMESPACE, "labels": {LABEL: run}},
        "spec": {
            "nodeName": node,
            "containers": [container],
            "tolerations": [{"operator": "Exists"}],
            "restartPolicy": "Never",
            "activeDeadlineSeconds": int(probe.seconds) + 60,
            "terminationGracePeriodSeconds": 0,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        },
    }


def _problems(
    client: KubernetesClient, path: str, run: str, nodes: set[str], probe: PodProbe
) -> Iterator[tuple[str, str]]:
    """Nodes whose pod does not run in time, with the reason."""
    end = time.monotonic() + probe.seconds
    left = set(nodes)
    while left:
        pods = {pod["spec"]["nodeName"]: pod for pod in client.list(path, labelSelector=f"{LABEL}={run}")}
        for node in sorted(left & pods.keys()):
            problem = _problem(pods[node], probe)
            if problem is not None:
                left.remove(node)
            if problem:
                yield node, problem
        if not left:
            return
        if time.monotonic() + _PAUSE > end:
            break
        time.sleep(_PAUSE)
    for node in sorted(left):
        reason = _last_warning(client, pods[node]) if node in pods else "the pod was deleted by another client"
        yield node, f"the pod does not run after {probe.seconds:g} seconds{': ' if reason else ''}{reason}"


def _problem(pod: Object, probe: PodProbe) -> Optional[str]:
    """What is wrong with a pod, "" for nothing; None as long as it is not known."""
    status = pod.get("status") or {}
    phase, address = status.get("phase"), status.get("podIP")
    if phase == "Failed":
        reason = str(status.get("reason", ""))
        # OutOfpods, for example: the node runs as many pods as it may.
        return "" if reason.startswith("OutOf") else f"{reason} {status.get('message', '')}".strip()
    if phase != "Running" or not address:
        return None
    if probe.network and ipaddress.ip_address(address) not in ipaddress.ip_network(probe.network, strict=False):
        return f"a pod got the address {address}, which is not in {probe.network}; see the networks in /etc/cni/net.d"
    return ""


def _last_warning(client: KubernetesClient, pod: Object) -> str:
    """The last event of a pod that warns, "" if there is none."""
    path = f"/api/v1/namespaces/{NAMESPACE}/events"
    selector = f"involvedObject.uid={pod['metadata']['uid']},type=Warning"
    events = sorted(client.list(path, fieldSelector=selector), key=lambda event: str(event.get("lastTimestamp") or ""))
    return str(events[-1].get("message", "")) if events else ""
