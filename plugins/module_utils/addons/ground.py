# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addons that every cluster has without anything running for them."""

from __future__ import annotations

from ..api.cluster import Cluster
from .addon import Addon, new_addon
from .objects import cluster_role_binding, thing, user_subject

KUBELET_API = "kubelet-api.rbac.addons.k8s.io"
LIMIT_RANGE = "limit-range.addons.k8s.io"
DNS_CONTROLLER = "dns-controller.addons.k8s.io"


def kubelet_api(cluster: Cluster, nodes: int) -> Addon:
    """The API server may use the kubelets' API, as it does for logs and exec."""
    binding = cluster_role_binding(
        "kops:system:kubelet-api-admin", "system:kubelet-api-admin", user_subject("kubelet-api")
    )
    return new_addon(KUBELET_API, [binding], cluster.spec.assets, id="k8s-1.9")


def limit_range(cluster: Cluster, nodes: int) -> Addon:
    """Containers in the namespace default that ask for no CPU are taken to ask for a little."""
    spec = {"limits": [{"type": "Container", "defaultRequest": {"cpu": "100m"}}]}
    limits = thing("v1", "LimitRange", "limits", namespace="default", spec=spec)
    return new_addon(LIMIT_RANGE, [limits], cluster.spec.assets, file="v1.5.0.yaml")


def no_dns_controller(cluster: Cluster, nodes: int) -> Addon:
    """Nothing: whatever a dns-controller left behind is taken away where no DNS records are published."""
    return new_addon(DNS_CONTROLLER, [], cluster.spec.assets, id="k8s-1.12", pruned=True)
