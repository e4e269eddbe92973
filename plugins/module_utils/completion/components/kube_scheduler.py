# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of kube-scheduler."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.components import KubeSchedulerConfig
from ...api.kube_controller_manager import LeaderElectionConfiguration
from ..context import Context, kubernetes_image
from ..filling import fill


def complete(cluster: Cluster, context: Context) -> None:
    """spec.kubeScheduler."""
    scheduler = cluster.spec.kube_scheduler = cluster.spec.kube_scheduler or KubeSchedulerConfig()
    fill(
        scheduler,
        log_level=2,
        image=kubernetes_image("kube-scheduler", cluster.spec),
        leader_election=LeaderElectionConfiguration(leader_elect=True),
    )
