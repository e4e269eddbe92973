# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes feature gates of a new cluster, switched for every component alike."""

from __future__ import annotations

from ...api.components import KubeProxyConfig, KubeSchedulerConfig
from ...api.kube_apiserver import KubeAPIServerConfig
from ...api.kube_controller_manager import KubeControllerManagerConfig
from ...api.kubelet import KubeletConfigSpec
from .draft import Draft


def parse_feature_gate(text: str) -> tuple[str, bool]:
    """``+Name`` or ``Name`` switches on, ``-Name`` off. Raises ValueError when no name is left."""
    text = text.strip()
    name = text[1:].strip() if text[:1] in ("+", "-") else text
    if not name:
        raise ValueError("names no feature gate; write Name, +Name or -Name")
    return name, not text.startswith("-")


def add_feature_gates(draft: Draft) -> None:
    """Write the gates into the configuration of kubelet, API server, controller manager, kube-proxy and scheduler."""
    if not draft.options.kubernetes_feature_gates:
        return
    spec = draft.cluster.spec
    parsed = [parse_feature_gate(gate) for gate in draft.options.kubernetes_feature_gates]
    gates = {name: "true" if enabled else "false" for name, enabled in parsed}
    spec.kubelet = spec.kubelet or KubeletConfigSpec()
    spec.kubelet.feature_gates = dict(gates)
    spec.kube_api_server = KubeAPIServerConfig(feature_gates=dict(gates))
    spec.kube_controller_manager = KubeControllerManagerConfig(feature_gates=dict(gates))
    spec.kube_proxy = KubeProxyConfig(feature_gates=dict(gates))
    spec.kube_scheduler = KubeSchedulerConfig(feature_gates=dict(gates))
