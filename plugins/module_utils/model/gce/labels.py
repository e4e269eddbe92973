# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels of objects in Google Cloud, and network tags of instances: by them kops, Kubernetes and we know what is ours.

Source: upup/pkg/fi/cloudup/gce/labels.go and pkg/model/context.go of kops.
"""

from __future__ import annotations

import re
import string

from ...api.cloud_names import safe_cluster_name
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...completion.gce.questions import role_tag
from .. import autoscaler
from ..context import ModelContext, role_directory

CLUSTER = "k8s-io-cluster-name"
INSTANCE_GROUP = "k8s-io-instance-group"
ROLE_PREFIX = "k8s-io-role-"
ETCD_PREFIX = "k8s-io-etcd-"
NAME = "name"

# Roles as labels and network tags spell them.
CONTROL_PLANE, API_SERVER, NODE, BASTION = "control-plane", "apiserver", "node", "bastion"
# What the control plane was called before; its labels and tags stay beside the new ones.
MASTER = "master"

# What Google Cloud takes: letters of any script that are no capitals.
_KEY, _VALUE = re.compile(r"(?!\d)[\w-]*"), re.compile(r"[\w-]*")
_CHARACTERS = "lower-case letters, digits, '_' and '-'"

_PLAIN = frozenset((string.digits + string.ascii_lowercase).encode())


def encode(text: str) -> str:
    """Text as a label's value: like percent-encoding, with hyphens."""
    return "".join(chr(byte) if byte in _PLAIN else f"-{byte:02x}" for byte in text.encode())


def of_cluster(cluster: Cluster) -> dict[str, str]:
    """The label of whatever belongs to the cluster."""
    return {CLUSTER: safe_cluster_name(str(cluster.metadata.name))}


def of_forwarding_rule(cluster: Cluster, name: str) -> dict[str, str]:
    """Labels of a load balancer's rule."""
    return {**of_cluster(cluster), NAME: name}


def of_etcd_disk(cluster: Cluster, etcd_cluster: str, member: str) -> dict[str, str]:
    """Labels by which etcd's manager finds a member's disk."""
    # The value is "<member>/<all members>" by kops' format, of which only the first part is read.
    return {
        **of_cluster(cluster),
        ETCD_PREFIX + etcd_cluster: encode(f"{member}/{member}"),
        ROLE_PREFIX + MASTER: MASTER,
    }


def of_instance_group(cluster: Cluster, group: InstanceGroup) -> dict[str, str]:
    """Labels of an instance group's instances: the user's, as far as Google Cloud takes them, then our own."""
    labels = {key: value for key, value in _of_user(cluster, group).items() if not doubt(key, value)}
    role = role_directory(group)
    labels.update(of_cluster(cluster))
    labels[ROLE_PREFIX + role] = role
    labels[INSTANCE_GROUP] = str(group.metadata.name)
    if group.spec.role == "ControlPlane":
        labels[ROLE_PREFIX + MASTER] = MASTER
    return labels


def only_in_terraform(cluster: Cluster, group: InstanceGroup) -> dict[str, str]:
    """What kops writes as well, though Google Cloud refuses it: the taints, and labels of the user's.

    The cluster autoscaler reads taints of groups in Google Cloud from metadata (kube-env).
    """
    refused = {key: value for key, value in _of_user(cluster, group).items() if doubt(key, value)}
    return {**refused, **autoscaler.taint_tags(group)}


def doubt(key: str, value: str) -> str:
    """Which characters Google Cloud takes in a label's key or value; "" if these are such."""
    if not _KEY.fullmatch(key) or key != key.lower():
        return f"{_CHARACTERS}, beginning with a letter"
    return "" if _VALUE.fullmatch(value) and value == value.lower() else _CHARACTERS


def _of_user(cluster: Cluster, group: InstanceGroup) -> dict[str, str]:
    return {**cluster.spec.cloud_labels, **group.spec.cloud_labels}


def tag(context: ModelContext, role: str) -> str:
    """The network tag of the instances of a role."""
    return role_tag(context.name, role)


def has_api_servers(context: ModelContext) -> bool:
    """Whether groups serve the API that are no control plane."""
    return any(True for _group in context.groups_of("APIServer"))


def api_server_tags(context: ModelContext) -> list[str]:
    """The network tags of all instances that serve the API."""
    return [tag(context, role) for role in (CONTROL_PLANE, *([API_SERVER] if has_api_servers(context) else []))]


def control_plane_tags(context: ModelContext) -> list[str]:
    """Those of rules that are older than the present tag of the control plane."""
    return [*api_server_tags(context), tag(context, MASTER)]


def instance_tags(context: ModelContext, group: InstanceGroup) -> list[str]:
    """The network tags that a group's instances carry."""
    role = role_directory(group)
    return [tag(context, name) for name in ((role, MASTER) if role == CONTROL_PLANE else (role,))]
