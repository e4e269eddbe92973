# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller of Node objects: labels from instance groups, pod ranges, and Nodes whose instances are gone.

What kops-controller does (node_controller.go and awsipam.go of kops), and of the AWS cloud controller manager's node
lifecycle controller what is needed where that does not run. The cloud is asked once for all nodes, and only if
something has to be known: a Node is new, or not Ready, or the last answer is old.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

from ...base.errors import KopsError
from ...exchange.controllers import Wanted
from ...kubernetes.client import KubernetesClient, KubernetesError, Object
from ...kubernetes.nodes.instances import certain_id, claimed_id
from ...kubernetes.nodes.labels import label_node, own_fields
from ...kubernetes.nodes.readiness import is_ready, ready_condition
from ..cloud.instances import CloudInstance, CloudInstances
from ..system.waiting import say
from .controller import Controller, Work
from .wanted import WantedFile

# Labels that kops-controller removes from Nodes whose groups do not have them, whoever has set them.
ROLES = tuple(f"node-role.kubernetes.io/{role}" for role in ("api-server", "node", "control-plane"))
PERIOD = 10.0
# Seconds: the tags of instances are read again; the cloud is asked again for what it did not know; a Node is removed
# after its instance was found to be gone. By then the cloud controller manager has had many rounds to do it.
_OLD, _AGAIN, _GONE = 600.0, 60.0, 120.0
# Reading all Nodes of a large cluster takes long: so many times as long it is not done again.
_RESTS = 5
_GONE_MEANWHILE = (404, 409)


class NodeKeeper:
    """What is known of the Nodes. clock: seconds that only grow."""

    def __init__(
        self,
        client: KubernetesClient,
        cloud: CloudInstances,
        wanted: Callable[[], Wanted],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.client, self.cloud, self.wanted, self.clock = client, cloud, wanted, clock
        self._instances: dict[str, CloudInstance] = {}
        self._read: float | None = None
        self._rest = -math.inf
        # Nodes (by uid) of which the last answer did not say all that has to be known.
        self._open: set[str] = set()
        # uid of a Node -> since when its instance has been gone, and it not Ready.
        self._gone: dict[str, float] = {}

    def round(self) -> None:
        """Make all Nodes right. A Node that cannot be changed does not keep others from it. Raises KopsError."""
        if self.clock() < self._rest:
            return
        wanted = self.wanted()
        nodes = [node for node in self._nodes() if not node["metadata"].get("deletionTimestamp")]
        self._refresh(nodes, wanted)
        failures = []
        for node in nodes:
            try:
                self._keep(node, wanted)
            except KubernetesError as error:
                if error.status not in _GONE_MEANWHILE:
                    failures.append(str(error))
        self._gone = {uid: since for uid, since in self._gone.items() if uid in {_uid(node) for node in nodes}}
        if failures:
            raise KopsError("; ".join(failures))

    def _nodes(self) -> list[Object]:
        """All Nodes. In pages, of which little is kept: a Node says 10 KB, most of it about images."""
        began = self.clock()
        found = [_shortened(node) for node in self.client.list("/api/v1/nodes")]
        self._rest = self.clock() + _RESTS * (self.clock() - began)
        return found

    def _refresh(self, nodes: list[Object], wanted: Wanted) -> None:
        """Ask the cloud if its last answer does not do."""
        age = _OLD if self._read is None else self.clock() - self._read
        unknown = {_uid(node) for node in nodes if self._is_open(node, wanted)}
        if age >= _OLD or unknown - self._open or (unknown and age >= _AGAIN):
            found, own = self.cloud.all(), self.cloud.own_id()
            if own not in found or not found[own].runs:
                raise KopsError(
                    f"the cloud's answer is not believed: it names {len(found)} instances of the cluster, "
                    f"but not {own}, which asks"
                )
            self._instances, self._read = found, self.clock()
        self._open = unknown

    def _is_open(self, node: Object, wanted: Wanted) -> bool:
        """Whether a question to the cloud may tell something new about it."""
        instance = self._instance(node)
        if instance is None or not instance.group or not is_ready(node):
            return True
        return wanted.pod_ranges and not _has_pod_range(node) and not instance.pod_range

    def _instance(self, node: Object) -> CloudInstance | None:
        """By its name, which is in the certificate of its kubelet. A Node says itself what its provider's id is."""
        name = node["metadata"]["name"]
        found = self._instances.get(name)
        if found is None:
            named = (each for each in self._instances.values() if each.host_name == name and not each.is_terminated)
            found = next(named, None)
        return found if found is not None and claimed_id(node, self.cloud.ids) in ("", found.id) else None

    def _keep(self, node: Object, wanted: Wanted) -> None:
        instance = self._instance(node)
        if instance is not None and instance.runs:
            self._gone.pop(_uid(node), None)
            if instance.group:
                self._label(node, instance, wanted)
            if wanted.pod_ranges and instance.pod_range and not _has_pod_range(node):
                self._assign(node, instance.pod_range)
        elif instance is None or instance.is_terminated:
            self._remove(node)
        else:
            # A stopped instance comes back.
            self._gone.pop(_uid(node), None)

    def _label(self, node: Object, instance: CloudInstance, wanted: Wanted) -> None:
        step = label_node(self.client, node, labels_of(instance, wanted), ROLES)
        if step.changed:
            say(f"labels of node {node['metadata']['name']} are those of group {instance.group}")

    def _assign(self, node: Object, pod_range: str) -> None:
        metadata = node["metadata"]
        spec = {"podCIDR": pod_range, "podCIDRs": [pod_range]}
        self.client.patch(f"/api/v1/nodes/{metadata['name']}", {"metadata": {"uid": metadata["uid"]}, "spec": spec})
        say(f"node {metadata['name']} has the range {pod_range} for its pods")

    def _remove(self, node: Object) -> None:
        """Remove it if its instance is gone, it is not Ready, and both have been so for long enough."""
        name, uid = node["metadata"]["name"], _uid(node)
        instance_id = certain_id(node, self.cloud.ids)
        if not instance_id or is_ready(node):
            self._gone.pop(uid, None)
            return
        since = self._gone.setdefault(uid, self.clock())
        # At least one answer of the cloud is newer than the first one that did not have it.
        if self.clock() - since < _GONE or self._read is None or self._read - since < _GONE / 2:
            return
        if self.cloud.existing([instance_id]):
            del self._gone[uid]
            return
        fresh = self.client.find(f"/api/v1/nodes/{name}")
        if fresh is None or _uid(fresh) != uid or is_ready(fresh):
            return
        precondition = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": uid}}
        if self.client.delete(f"/api/v1/nodes/{name}", precondition):
            say(f"node {name} is removed: instance {instance_id} is gone, and the cloud's controller has left its Node")


def labels_of(instance: CloudInstance, wanted: Wanted) -> dict[str, str]:
    """The labels of an instance's Node: those of its group today, else those that its tags had when it was started."""
    known = wanted.labels.get(instance.group)
    return {**instance.labels, **(instance.tagged_labels if known is None else known)}


def _shortened(node: Object) -> Object:
    """What is asked of it here."""
    metadata, spec = node["metadata"], node.get("spec") or {}
    kept = {name: metadata[name] for name in ("name", "uid", "labels", "deletionTimestamp") if name in metadata}
    return {
        "metadata": {**kept, "managedFields": own_fields(metadata)},
        "spec": {name: spec[name] for name in ("providerID", "podCIDRs") if name in spec},
        "status": {"conditions": [*filter(None, [ready_condition(node)])]},
    }


def _has_pod_range(node: Object) -> bool:
    return bool((node.get("spec") or {}).get("podCIDRs"))


def _uid(node: Mapping[str, Any]) -> str:
    return str(node["metadata"]["uid"])


def _start(work: Work) -> Callable[[], None]:
    wanted = WantedFile(work.settings.store, work.store.read)
    return NodeKeeper(work.client, work.instance.cluster_instances(work.settings.cluster), wanted.get).round


CONTROLLER = Controller("nodes", PERIOD, _start)
