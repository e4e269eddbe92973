# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of what every other component builds upon."""

from __future__ import annotations

from ...api.cluster import Cluster
from ..context import Context
from ..filling import fill


def complete(cluster: Cluster, context: Context) -> None:
    """spec.clusterDNSDomain."""
    fill(cluster.spec, cluster_dns_domain="cluster.local")
