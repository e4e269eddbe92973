# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of kube-proxy."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.components import KubeProxyConfig
from ...api.questions import is_ipv6_only
from ...api.scalars import Quantity
from ..context import Context, kubernetes_image
from ..filling import fill


def complete(cluster: Cluster, context: Context) -> None:
    """spec.kubeProxy, also where the networking mode takes its place."""
    spec = cluster.spec
    proxy = spec.kube_proxy = spec.kube_proxy or KubeProxyConfig()
    fill(proxy, log_level=2, cpu_request=Quantity("100m"), cluster_cidr=_pod_range(cluster))
    proxy.image = kubernetes_image("kube-proxy", spec)


def _pod_range(cluster: Cluster) -> str | None:
    spec = cluster.spec
    # Pods with addresses of the VPC are in no range of their own, hence nothing that is sent to a service is masked.
    if is_ipv6_only(cluster) or spec.networking.amazon_vpc is not None or spec.kube_controller_manager is None:
        return None
    return spec.kube_controller_manager.cluster_cidr or None
