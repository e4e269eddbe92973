# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of pods that several addons have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...api.cluster import Cluster


def container_ports(ports: Mapping[str, tuple[int, str]]) -> list[dict[str, Any]]:
    """Ports of a container: name -> (number, protocol)."""
    return [{"containerPort": number, "name": name, "protocol": protocol} for name, (number, protocol) in ports.items()]


def on_control_plane() -> dict[str, Any]:
    """The affinity of pods that run on the control plane only."""
    role = {"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [role]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def xtables_lock() -> dict[str, Any]:
    """The volume by which all processes that change iptables wait for each other."""
    return {"name": "xtables-lock", "hostPath": {"path": "/run/xtables.lock", "type": "FileOrCreate"}}


def selinux_options(cluster: Cluster) -> dict[str, Any]:
    """What a security context needs besides to write to the host where containerd labels containers."""
    containerd = cluster.spec.containerd
    if containerd is None or not containerd.selinux_enabled:
        return {}
    return {"seLinuxOptions": {"type": "spc_t", "level": "s0"}}
