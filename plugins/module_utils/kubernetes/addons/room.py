# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Room for the new pods of a Deployment whose old pods are on every host that the new ones may be on.

Such a Deployment has no more hosts than pods, and its pods share no host. It would wait for ever: a new pod for the
host of an old one, and the controller for the new pod, before it deletes an old one.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..client import KubernetesClient, Object
from .separate import has_no_host

_REVISION = "deployment.kubernetes.io/revision"
_HASH = "pod-template-hash"


def make_room(client: KubernetesClient, deployment: Object, pods: Sequence[Object], nodes: Sequence[Object]) -> bool:
    """Take one old pod away if new ones have no host, and those that have one are ready. Returns whether it did.

    deployment: as the API server has it. pods: all of its namespace. The ReplicaSet of the old pods gets one less, as
    the controller itself would do it, which does not give it back.
    """
    sets = _sets(client, deployment)
    revision = (deployment["metadata"].get("annotations") or {}).get(_REVISION)
    new = [each for each in sets if (each["metadata"].get("annotations") or {}).get(_REVISION) == revision]
    old = [each for each in sets if each not in new and _wanted(each) > 0]
    if not new or not old or not all(map(_is_settled, sets)):
        return False
    present = [pod for pod in pods if _belongs(pod, new[0])]
    waiting = [pod for pod in present if has_no_host(pod, pods, nodes)]
    available = (new[0].get("status") or {}).get("availableReplicas", 0)
    if not waiting or available < len(present) - len(waiting):
        return False
    client.patch(client.path_of(old[0]), {"spec": {"replicas": _wanted(old[0]) - 1}})
    return True


def _sets(client: KubernetesClient, deployment: Object) -> list[Object]:
    path = client.kind("apps/v1", "ReplicaSet").path(deployment["metadata"]["namespace"])
    uid = deployment["metadata"]["uid"]
    return [
        each
        for each in client.list(path)
        if any(owner.get("uid") == uid for owner in each["metadata"].get("ownerReferences") or ())
    ]


def _wanted(replica_set: Object) -> int:
    return int(replica_set["spec"].get("replicas", 1))


def _is_settled(replica_set: Object) -> bool:
    """Whether it has as many pods as it should, so that an earlier change has had its effect."""
    status = replica_set.get("status") or {}
    seen = status.get("observedGeneration", 0) >= replica_set["metadata"].get("generation", 0)
    return seen and status.get("replicas", 0) == _wanted(replica_set)


def _belongs(pod: Object, replica_set: Object) -> bool:
    labels = pod["metadata"].get("labels") or {}
    ours = (replica_set["metadata"].get("labels") or {}).get(_HASH)
    return labels.get(_HASH) == ours and not pod["metadata"].get("deletionTimestamp")
