# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Node objects of the cluster, asked of the API server next door."""

from __future__ import annotations

from urllib.parse import quote

from ...exchange.settings import KUBECONFIG
from ...kubernetes.client import KubernetesClient
from ...kubernetes.connection import RetryPolicy
from ...kubernetes.nodes.readiness import is_ready

# Callers wait meanwhile, and try again.
_PATIENCE = RetryPolicy(deadline=3, timeout=5)


class ClusterNodes:
    """With the credentials of a kubeconfig, which is read each time: it may be new."""

    def __init__(self, kubeconfig: str = KUBECONFIG) -> None:
        self.kubeconfig = kubeconfig

    def is_ready(self, name: str) -> bool:
        """Whether there is a Node of that name, and it is Ready. Raises KopsError if the API does not answer."""
        client = KubernetesClient.from_kubeconfig(self.kubeconfig, retry=_PATIENCE)
        try:
            node = client.find(f"/api/v1/nodes/{quote(name, safe='')}") or {}
        finally:
            client.close()
        return is_ready(node)
