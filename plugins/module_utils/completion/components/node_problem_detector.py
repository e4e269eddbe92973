# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the node problem detector."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.scalars import Quantity
from ..context import Context
from ..filling import fill


def complete(cluster: Cluster, context: Context) -> None:
    """spec.nodeProblemDetector, where there is one."""
    detector = cluster.spec.node_problem_detector
    if detector is None:
        return
    fill(
        detector,
        enabled=False,
        cpu_request=Quantity("20m"),
        image="registry.k8s.io/node-problem-detector/node-problem-detector:v0.8.18",
        memory_limit=Quantity("100Mi"),
        memory_request=Quantity("100Mi"),
    )
