# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the cloud AWS."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.questions import is_ipv6_only
from ..context import Context
from ..filling import fill


def complete(cluster: Cluster, context: Context) -> None:
    """spec.cloudProvider.aws.nodeIPFamilies."""
    aws = cluster.spec.cloud_provider.aws
    if aws is not None and is_ipv6_only(cluster):
        fill(aws, node_ip_families=["ipv6", "ipv4"])
