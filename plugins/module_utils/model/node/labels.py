# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels that a node carries (pkg/nodelabels of kops)."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup

ROLE_LABEL_PREFIX = "node-role.kubernetes.io/"
CONTROL_PLANE_LABELS = {
    ROLE_LABEL_PREFIX + "control-plane": "",
    "kops.k8s.io/kops-controller-pki": "",
    "node.kubernetes.io/exclude-from-external-load-balancers": "",
}


def node_labels(cluster: Cluster, group: InstanceGroup, features: frozenset[str] = frozenset()) -> dict[str, str]:
    """All labels of a group's nodes: the kubelet's, the role's, the group's own; later ones win.

    features: kops' feature flags that are on; with APIServerNodes the control plane is labelled as API server too.
    """
    role = group.spec.role
    kubelet = cluster.spec.control_plane_kubelet if role == "ControlPlane" else cluster.spec.kubelet
    labels = {**(kubelet.node_labels if kubelet else {})}
    labels.update(group.spec.kubelet.node_labels if group.spec.kubelet else {})
    if role == "APIServer" or (role == "ControlPlane" and "APIServerNodes" in features):
        labels[ROLE_LABEL_PREFIX + "api-server"] = ""
    if role == "Node":
        labels[ROLE_LABEL_PREFIX + "node"] = ""
    if role == "ControlPlane":
        labels.update(CONTROL_PLANE_LABELS)
    return {**labels, **group.spec.node_labels}
