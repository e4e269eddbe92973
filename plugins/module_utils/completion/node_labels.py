# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The labels that nodes of an instance group carry in Kubernetes.

Source: pkg/nodelabels of kops.
"""

from __future__ import annotations

from ..api.cluster import Cluster
from ..api.instance_group import InstanceGroup
from ..api.kubelet import KubeletConfigSpec

CONTROL_PLANE_ROLE = "node-role.kubernetes.io/control-plane"
API_SERVER_ROLE = "node-role.kubernetes.io/api-server"
NODE_ROLE = "node-role.kubernetes.io/node"

_ROLE_LABELS = {
    "ControlPlane": (
        CONTROL_PLANE_ROLE,
        "kops.k8s.io/kops-controller-pki",
        "node.kubernetes.io/exclude-from-external-load-balancers",
    ),
    "APIServer": (API_SERVER_ROLE,),
    "Node": (NODE_ROLE,),
}


def node_labels(cluster: Cluster, group: InstanceGroup, feature_flags: frozenset[str]) -> dict[str, str]:
    """Labels of the cluster's and the group's kubelets, of the role, and of the group, later ones winning."""
    spec = group.spec
    kubelet = cluster.spec.control_plane_kubelet if spec.role == "ControlPlane" else cluster.spec.kubelet
    labels = {**_labels(kubelet), **_labels(spec.kubelet)}
    if spec.role == "ControlPlane" and "APIServerNodes" in feature_flags:
        labels[API_SERVER_ROLE] = ""
    labels.update(dict.fromkeys(_ROLE_LABELS.get(spec.role or "", ()), ""))
    return {**labels, **spec.node_labels}


def _labels(kubelet: KubeletConfigSpec | None) -> dict[str, str]:
    return kubelet.node_labels if kubelet else {}
