# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the networking mode kindnet."""

from __future__ import annotations

from ...api.clouds import AWS, cloud_of
from ...api.cluster import Cluster
from ...api.networking import KindnetMasqueradeSpec
from ...api.questions import is_ipv6_only
from ..context import Context
from ..filling import fill

_VERSION = "v1.0.1"


def complete(cluster: Cluster, context: Context) -> None:
    """spec.networking.kindnet."""
    networking = cluster.spec.networking
    kindnet = networking.kindnet
    if kindnet is None:
        return
    if kindnet.masquerade is None:
        if is_ipv6_only(cluster):
            kindnet.masquerade = KindnetMasqueradeSpec(enabled=False)
            if cloud_of(cluster) is not AWS:
                kindnet.nat64 = True
        else:
            ranges = (networking.network_cidr, networking.pod_cidr, networking.service_cluster_ip_range)
            kindnet.masquerade = KindnetMasqueradeSpec(
                enabled=True, non_masquerade_cidrs=[cidr for cidr in ranges if cidr]
            )
    fill(kindnet, version=_VERSION, fast_path_threshold=0, log_level=2)
