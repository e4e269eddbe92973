# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cluster API's own kinds: which fields of theirs are ours, and how objects are called."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ...api.cloud_names import safe_cluster_name, truncate
from ...base import labels
from ...statestore.objects import LABEL_CLUSTER
from .components import COMPONENTS, kubelet_arguments, kubelet_settings, labels_of
from .rows import Row, number_of, text_of
from .versions import CORE

CLUSTER_NAME, DEPLOYMENT_NAME = f"{CORE}/cluster-name", f"{CORE}/deployment-name"
# Another program sees to an infrastructure object with it, and its provider does not.
MANAGED_BY = f"{CORE}/managed-by"
US = "kubeops.kops"
# What the specification says besides.
CARRIED = f"{US}/manifest"
# On which the autoscaler of Cluster API reads its limits.
_AUTOSCALER = f"{CORE}/cluster-api-autoscaler-node-group"
API_PORT = 443
LONGEST = 63

_NODE = "spec.template.spec.joinConfiguration.nodeRegistration"


def with_v(version: Any) -> str:
    """A version of Kubernetes as Cluster API writes it."""
    return f"v{str(version).removeprefix('v')}"


CLUSTER = (
    Row("spec.podCIDR", "spec.clusterNetwork.pods.cidrBlocks[0]"),
    Row("spec.serviceClusterIPRange", "spec.clusterNetwork.services.cidrBlocks[0]"),
    Row("spec.clusterDNSDomain", "spec.clusterNetwork.serviceDomain"),
)
CONTROL_PLANE = (
    *COMPONENTS,
    Row("spec.kubernetesVersion", "spec.version", with_v, lambda said: str(said).removeprefix("v")),
    Row("spec.additionalSans", "spec.kubeadmConfigSpec.clusterConfiguration.apiServer.certSANs"),
)
DEPLOYMENT = (
    Row("spec.minSize", "spec.replicas"),
    # Without a limit of an autoscaler, a deployment has the number that it says.
    Row("spec.maxSize", "spec.replicas", lambda _size: None),
    Row("spec.minSize", f"metadata.annotations[{_AUTOSCALER}-min-size]", text_of, number_of),
    Row("spec.maxSize", f"metadata.annotations[{_AUTOSCALER}-max-size]", text_of, number_of),
    Row("spec.rollingUpdate.maxSurge", "spec.rollout.strategy.rollingUpdate.maxSurge"),
    Row("spec.rollingUpdate.maxUnavailable", "spec.rollout.strategy.rollingUpdate.maxUnavailable"),
)


def _taint(text: str) -> dict[str, str]:
    name, _colon, effect = text.partition(":")
    key, _equals, value = name.partition("=")
    return {"key": key, "effect": effect, **({"value": value} if value else {})}


def taint_text(taint: Mapping[str, Any]) -> str:
    """A taint as a specification has it."""
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint.get('key')}{value}:{taint.get('effect')}"


# A node's labels and its kubelet's settings are arguments of one program, so one row has both.
REGISTRATION = (
    Row(
        "spec.taints",
        f"{_NODE}.taints",
        lambda taints: [_taint(each) for each in taints],
        lambda taints: [taint_text(each) for each in taints],
    ),
)
REGISTRATION_ARGUMENTS = f"{_NODE}.kubeletExtraArgs"


def registration_arguments(spec: Mapping[str, Any]) -> dict[str, str]:
    """The arguments of the kubelets of an instance group. The cloud says what a node is, as for all providers."""
    nodes = spec.get("nodeLabels") or {}
    given = {"node-labels": ",".join(f"{key}={nodes[key]}" for key in sorted(nodes))} if nodes else {}
    return {"cloud-provider": "external", **given, **kubelet_arguments(spec.get("kubelet") or {})}


def read_registration(given: Mapping[str, str]) -> dict[str, Any]:
    """The part of an instance group that such arguments are."""
    parts = {"nodeLabels": labels_of(given), "kubelet": kubelet_settings(given)}
    return {key: value for key, value in parts.items() if value}


def cluster_name(name: str) -> str:
    """What the objects of a cluster are called: their names are values of labels, and often names of machines."""
    return truncate(safe_cluster_name(name), LONGEST)


def deployment_name(cluster: str, group: str) -> str:
    """The MachineDeployment of an instance group."""
    return truncate(f"{cluster_name(cluster)}-{group}", LONGEST)


def by_content(name: str, content: Any) -> str:
    """The name of an object that never changes: another content is another object, by which machines are replaced."""
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]
    return f"{truncate(name, LONGEST - len(digest) - 1)}-{digest}"


def own_labels(cluster: str, group: str = "") -> dict[str, str]:
    """By which an object is known again, in Cluster API and here."""
    named = {labels.INSTANCE_GROUP: group} if group else {}
    return {CLUSTER_NAME: cluster_name(cluster), LABEL_CLUSTER: cluster, **named}
