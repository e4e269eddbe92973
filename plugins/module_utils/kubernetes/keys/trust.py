# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that know the cluster's keys of before: found, and restarted node by node.

A pod gets the CAs of the API server and a token when it starts. The kubelet writes new ones to its files later, but
most programs read the CAs only once. So after a step of a rotation, pods are restarted that were created before the
control plane used its present keys. This moment is in a ConfigMap, together with a hash of the keys.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from ...base.errors import KopsError
from ...base.report import Report, Step
from ...base.tokens import signer_of
from ..client import KubernetesClient, Object
from ..nodes.drain import silent
from ..nodes.eviction import controller_of, evict, is_finished, is_going, is_static, title
from ..nodes.readiness import is_ready

NAMESPACE, NAME = "kube-system", "kops-cluster-keys"
# The controller manager keeps it in every namespace; pods mount it beside their token.
AUTHORITIES = "kube-root-ca.crt"
_PAUSE = 1.0
# The controller manager looks every 20 s for pods of nodes that are gone, and deletes them 40 s later; in seconds.
_COLLECTED = 120.0
_CERTIFICATE = "-----BEGIN CERTIFICATE-----"
# Controllers that say how many ready pods they have and want.
_COUNTED = ("DaemonSet", "ReplicaSet", "ReplicationController", "StatefulSet")


@dataclass(frozen=True)
class Keys:
    """What a control plane has recorded. keys: hash of its keys. since: when it used them at last (RFC 3339).

    Both are "" if nothing was recorded; since is also "" if the cluster had no other keys before.
    """

    keys: str = ""
    since: str = ""


@dataclass(frozen=True)
class RestartOptions:
    """timeout: seconds for the pods of one node to be replaced; 0 means no limit. pause: seconds between two polls."""

    timeout: float = 900
    pause: float = _PAUSE


def recorded(client: KubernetesClient) -> Keys:
    """What was recorded last."""
    found = client.find(client.kind("v1", "ConfigMap").path(NAMESPACE, NAME)) or {}
    data = found.get("data") or {}
    return Keys(data.get("keys", ""), data.get("since", ""))


def record(
    client: KubernetesClient, keys: str, authorities: str, *, wait: float = 120, pause: float = _PAUSE
) -> tuple[Step, Keys]:
    """Record that the whole control plane uses these keys. Must be called when it does. Returns what is recorded then.

    keys: their hash. authorities: the CAs of the API server, PEM. First all namespaces must have got these from the
    controller manager. wait: seconds for that. Raises KopsError that names the namespaces which have other ones.
    """
    before = recorded(client)
    step = Step(f"ConfigMap {NAMESPACE}/{NAME}")
    if before.keys == keys:
        return step, before
    _await_authorities(client, authorities, 0 if client.check else wait, pause)
    # With one CA and no record, the cluster has just been made. With several, an older version, or a user who deleted
    # the ConfigMap, has left a rotation unfinished, and each pod may be older than the newest CA.
    is_first = not before.keys and authorities.count(_CERTIFICATE) <= 1
    now = Keys(keys, "" if is_first else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    metadata = {"name": NAME, "namespace": NAMESPACE}
    client.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": asdict(now)})
    step.changed, step.before, step.after = True, {"keys": before.keys} if before.keys else None, {"keys": keys}
    return step, now


def outdated(client: KubernetesClient, keys: Keys) -> list[Object]:
    """Running pods that were created before the control plane used the recorded keys, by node and name."""
    if not keys.since:
        return []
    pods = client.list(client.kind("v1", "Pod").path())
    # Times are whole seconds: of the same second counts as before.
    old = [pod for pod in pods if _knows_keys(pod) and pod["metadata"].get("creationTimestamp", "") <= keys.since]
    return sorted(old, key=lambda pod: (_node_of(pod), title(pod)))


def node_names(client: KubernetesClient) -> list[str]:
    """The names of all nodes, whoever knows which keys they have."""
    return sorted(node["metadata"]["name"] for node in client.list(client.kind("v1", "Node").path()))


def restart_outdated(
    client: KubernetesClient,
    keys: Keys,
    options: RestartOptions | None = None,
    tell: Callable[[str], None] = silent,
) -> Report:
    """Evict the outdated pods of one node after the other, and wait each time until they are replaced.

    Pods that nothing would create again stay, and so do those of nodes that are not ready; outdated() still returns
    them. Those of nodes that are gone have ended; this waits until the garbage collector deletes them. Budgets
    (PodDisruptionBudgets) are kept. A client in check mode changes nothing. Raises KopsError at the deadline of a
    node; running it again continues.
    """
    report, options = Report(), options or RestartOptions()
    nodes = list(client.list(client.kind("v1", "Node").path()))
    ready = [node["metadata"]["name"] for node in nodes if is_ready(node)]
    pods = [pod for pod in outdated(client, keys) if controller_of(pod)]
    for node in ready:
        mine = [pod for pod in pods if _node_of(pod) == node]
        report.steps += [Step(f"Pod {title(pod)}", True, node, None) for pod in mine]
        if mine and not client.check:
            tell(f"{node}: {len(mine)} pods are restarted")
            _Replacement(client, node, mine, options).run()
    gone = {_node_of(pod) for pod in pods}.difference(node["metadata"]["name"] for node in nodes)
    if gone and not client.check:
        _await_collection(client, [pod for pod in pods if _node_of(pod) in gone], options, tell)
    return report


def _await_collection(
    client: KubernetesClient, pods: Sequence[Object], options: RestartOptions, tell: Callable[[str], None]
) -> None:
    """Wait until pods of nodes that are gone are deleted, but no longer than the garbage collector takes."""
    tell(f"waiting until pods of nodes that are gone are deleted: {', '.join(title(pod) for pod in pods)}")
    end, left = time.monotonic() + _COLLECTED, list(pods)
    while left and time.monotonic() < end:
        time.sleep(options.pause)
        found = [client.find(client.path_of(pod)) for pod in left]
        left = [pod for pod, now in zip(left, found) if now and now["metadata"]["uid"] == pod["metadata"]["uid"]]


class _Replacement:
    """Replaces pods of one node."""

    def __init__(self, client: KubernetesClient, node: str, pods: Sequence[Object], options: RestartOptions) -> None:
        self.client = client
        self.node = node
        self.options = options
        self.left = {pod["metadata"]["uid"]: pod for pod in pods}
        self.lacked = [(pod, self._missing(pod)) for pod in pods]
        self.blocked: dict[str, str] = {}

    def run(self) -> None:
        """Evict, and wait until all are gone, and their controllers lack no more pods than before."""
        end = time.monotonic() + self.options.timeout
        while True:
            for uid, pod in self.left.items():
                if not is_going(pod):
                    self.blocked[uid] = evict(self.client, pod)
            # Also for the controllers, which must notice first that pods are gone.
            time.sleep(self.options.pause)
            path = self.client.kind("v1", "Pod").path()
            present = self.client.list(path, fieldSelector=f"spec.nodeName={self.node}")
            self.left = {pod["metadata"]["uid"]: pod for pod in present if pod["metadata"]["uid"] in self.left}
            lacking = [] if self.left else [pod for pod, before in self.lacked if self._missing(pod) > before]
            if not self.left and not lacking:
                return
            if self.options.timeout and time.monotonic() > end:
                self._give_up(lacking)

    def _missing(self, pod: Object) -> int:
        """How many ready pods its controller lacks; 0 where this cannot be told."""
        controller = controller_of(pod) or {}
        if controller.get("kind") not in _COUNTED:
            return 0
        kind = self.client.kind(controller["apiVersion"], controller["kind"])
        found = self.client.find(kind.path(pod["metadata"]["namespace"], controller["name"])) or {}
        spec, status = found.get("spec") or {}, found.get("status") or {}
        if controller["kind"] == "DaemonSet":
            return int(status.get("desiredNumberScheduled", 0)) - int(status.get("numberReady", 0))
        return int(spec.get("replicas", 0)) - int(status.get("readyReplicas", 0))

    def _give_up(self, lacking: Sequence[Object]) -> None:
        lines = [f"the pods of node {self.node} are not restarted after {self.options.timeout:g} seconds:"]
        for uid, pod in self.left.items():
            lines.append(f"- pod {title(pod)}: {self.blocked.get(uid) or 'it was evicted but has not ended yet'}")
        lines += [f"- pod {title(pod)}: it has ended, but no pod in its place is ready" for pod in lacking]
        raise KopsError("\n".join(lines))


def _await_authorities(client: KubernetesClient, wanted: str, wait: float, pause: float) -> None:
    end = time.monotonic() + wait
    while True:
        others = sorted(name for name, text in given_authorities(client).items() if text.strip() != wanted.strip())
        if not others or client.check:
            return
        if time.monotonic() + pause > end:
            raise KopsError(
                f"the controller manager has not given the cluster's CAs to the pods of these namespaces (ConfigMap"
                f" {AUTHORITIES}) after {wait:g} seconds: {', '.join(others)}"
            )
        time.sleep(pause)


def given_authorities(client: KubernetesClient) -> dict[str, str]:
    """The CAs of the API server that new pods get, as PEM, by namespace."""
    path = client.kind("v1", "ConfigMap").path()
    found = client.list(path, fieldSelector=f"metadata.name={AUTHORITIES}")
    return {each["metadata"]["namespace"]: (each.get("data") or {}).get("ca.crt", "") for each in found}


def token_keys(client: KubernetesClient) -> dict[str, str]:
    """The ids of the keys that have signed the tokens in Secrets, by the Secret's namespace and name.

    These tokens never end, and nothing signs them again.
    """
    path = client.kind("v1", "Secret").path()
    found = {}
    for secret in client.list(path, fieldSelector="type=kubernetes.io/service-account-token"):
        token = base64.b64decode((secret.get("data") or {}).get("token", ""))
        if token:
            found[title(secret)] = signer_of(token.decode(errors="replace"))
    return found


def _knows_keys(pod: Object) -> bool:
    """Whether the pod runs, and has got a token or the CAs of the API server."""
    if is_static(pod) or is_finished(pod) or is_going(pod) or not _node_of(pod):
        return False
    volumes = (pod.get("spec") or {}).get("volumes") or ()
    sources = [source for volume in volumes for source in (volume.get("projected") or {}).get("sources") or ()]
    return any(
        "serviceAccountToken" in source or (source.get("configMap") or {}).get("name") == AUTHORITIES
        for source in sources
    )


def _node_of(pod: Object) -> str:
    return str((pod.get("spec") or {}).get("nodeName") or "")
