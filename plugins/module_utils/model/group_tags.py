# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of an instance group are tagged with in clouds that keep kops' tags as they are.

Source: pkg/model/context.go of kops (CloudTagsForInstanceGroup).
"""

from __future__ import annotations

from ..api.cluster import Cluster
from ..api.instance_group import InstanceGroup
from ..base.labels import INSTANCE_GROUP
from ..completion.node_labels import node_labels
from . import autoscaler

ROLE_PREFIX = "k8s.io/role/"
ROLES = {
    "ControlPlane": ("master", "control-plane"),
    "APIServer": ("apiserver",),
    "Node": ("node",),
    "Bastion": ("bastion",),
}


def of_group(cluster: Cluster, group: InstanceGroup, features: frozenset[str] = frozenset()) -> dict[str, str]:
    """Tag -> value.

    The user's labels come first, then what the cluster autoscaler learns labels and taints from, then what the cluster
    itself relies on, which must not be overridden.
    """
    tags = {**cluster.spec.cloud_labels, **group.spec.cloud_labels}
    for label, value in node_labels(cluster, group, features).items():
        tags[autoscaler.LABEL_PREFIX + label] = value
    tags.update(autoscaler.taint_tags(group))
    for role in ROLES[str(group.spec.role)]:
        tags[ROLE_PREFIX + role] = "1"
    tags[INSTANCE_GROUP] = str(group.metadata.name)
    return tags
