# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the networking mode Calico."""

from __future__ import annotations

from ...api.clouds import AZURE, cloud_of
from ...api.cluster import Cluster
from ...api.questions import is_ipv6_only
from ..context import Context


def complete(cluster: Cluster, context: Context) -> None:
    """spec.networking.calico: how packets travel between nodes."""
    calico = cluster.spec.networking.calico
    if calico is None:
        return
    calico.encapsulation_mode = "none" if is_ipv6_only(cluster) else "ipip"
    if cloud_of(cluster) is AZURE:
        calico.encapsulation_mode = "vxlan"
        calico.vxlan_mode = "Always"
