# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: kubelet as v1alpha3 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import kubelet as hub_kubelet
from ..fields import api_type, without


@without(
    "allow_privileged",
    "api_servers",
    "babysit_daemons",
    "client_ca_file",
    "configure_cbr0",
    "docker_disable_shared_pid",
    "enable_custom_metrics",
    "experimental_allowed_unsafe_sysctls",
    "hostname_override",
    "node_labels",
    "nvidia_gp_us",
    "reconcile_cidr",
    "register_schedulable",
    "require_kubeconfig",
)
@api_type
class KubeletConfigSpec(hub_kubelet.KubeletConfigSpec):
    """``Cluster.spec.kubelet``, ``Cluster.spec.controlPlaneKubelet``, ``InstanceGroup.spec.kubelet``."""
