# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of Karpenter."""

from __future__ import annotations

from ...api.cluster import Cluster
from ..context import Context
from ..filling import fill


def complete(cluster: Cluster, context: Context) -> None:
    """spec.karpenter, where there is one."""
    if cluster.spec.karpenter is not None:
        fill(
            cluster.spec.karpenter,
            image="public.ecr.aws/karpenter/controller:1.13.0",
            log_format="console",
            log_level="debug",
        )
