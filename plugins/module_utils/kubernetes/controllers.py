# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the controllers of the control planes say about themselves, in the cluster: whether one leads, and what fails.

A Lease says who leads (node/controllers/). A ConfigMap of the same name has the reason of each controller that fails.
"""

from __future__ import annotations

from ..base.errors import KopsError
from .client import KubernetesClient, KubernetesError

NAME, NAMESPACE = "kops-controller-manager", "kube-system"
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"
_CONFIG_MAPS = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
# The controller that applies addons.
ADDONS = "addons"
_NOT_FOUND = 404
_LONGEST = 4000


def problems(client: KubernetesClient) -> dict[str, str]:
    """Why controllers fail, by their names. Raises KopsError."""
    found = client.find(f"{_CONFIG_MAPS}/{NAME}") or {}
    return {name: text for name, text in (found.get("data") or {}).items() if text}


class Problem:
    """The reason of one controller."""

    def __init__(self, client: KubernetesClient, controller: str) -> None:
        self._client, self._controller = client, controller
        self._written: str | None = None

    def tell(self, reason: str) -> None:
        """Write the reason down; "" if there is none any more. If that fails, the next call does it."""
        reason = reason[:_LONGEST]
        try:
            if self._written is None:
                self._written = problems(self._client).get(self._controller, "")
            if reason != self._written:
                self._write(reason)
                self._written = reason
        except KopsError:
            # Whatever keeps this from being written is said in the journal by what the controller itself meets.
            return

    def _write(self, reason: str) -> None:
        data = {"data": {self._controller: reason or None}}
        try:
            self._client.patch(f"{_CONFIG_MAPS}/{NAME}", data)
        except KubernetesError as error:
            if error.status != _NOT_FOUND:
                raise
            metadata = {"name": NAME, "namespace": NAMESPACE}
            self._client.post(_CONFIG_MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **data})
