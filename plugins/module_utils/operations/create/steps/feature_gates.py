# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes feature gates of a new cluster, switched for every component alike."""

from __future__ import annotations

from ....api.components import KubeProxyConfig, KubeSchedulerConfig
from ....api.kube_apiserver import KubeAPIServerConfig
from ....api.kube_controller_manager import KubeControllerManagerConfig
from ....api.kubelet import KubeletConfigSpec
from ..draft import Draft


def add_feature_gates(draft: Draft) -> None:
    """Write the gates into the configuration of kubelet, API server, controller manager, kube-proxy and scheduler."""
    spec = draft.cluster.spec
    gates = {name: "true" if enabled else "false" for name, enabled in draft.options.kubernetes_feature_gates.items()}
    if not gates:
        return
    spec.kubelet = spec.kubelet or KubeletConfigSpec()
    spec.kubelet.feature_gates = dict(gates)
    spec.kube_api_server = KubeAPIServerConfig(feature_gates=dict(gates))
    spec.kube_controller_manager = KubeControllerManagerConfig(feature_gates=dict(gates))
    spec.kube_proxy = KubeProxyConfig(feature_gates=dict(gates))
    spec.kube_scheduler = KubeSchedulerConfig(feature_gates=dict(gates))
