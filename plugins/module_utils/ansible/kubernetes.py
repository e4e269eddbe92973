# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What modules that ask the API server of a running cluster do alike. They run on its control plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..exchange.settings import KUBECONFIG
from ..kubernetes.client import KubernetesClient
from ..kubernetes.connection import RetryPolicy

if TYPE_CHECKING:
    from .module import Call

KUBERNETES: dict[str, Any] = {
    "kubeconfig": {"type": "path", "default": KUBECONFIG},
    "api_timeout": {"type": "int", "default": 60},
}
# Of modules that start a pod on every node for a moment.
PODS: dict[str, Any] = {
    "pod_image": {"type": "str", "default": ""},
    "pod_network": {"type": "str", "default": ""},
}


def client_of(module: Call) -> KubernetesClient:
    """The client of the cluster; in check mode one that stores nothing. Raises KopsError."""
    kubeconfig, timeout = module.text("kubeconfig"), module.parameters["api_timeout"]
    return KubernetesClient.from_kubeconfig(kubeconfig, check=module.check, retry=RetryPolicy(deadline=timeout))
