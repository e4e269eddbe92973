# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the node termination handler of AWS."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.components import NodeTerminationHandlerSpec
from ...api.scalars import Quantity
from ..context import Context
from ..filling import fill


def complete(cluster: Cluster, context: Context) -> None:
    """spec.cloudProvider.aws.nodeTerminationHandler; Karpenter drains nodes by itself."""
    aws, karpenter = cluster.spec.cloud_provider.aws, cluster.spec.karpenter
    if aws is None or (karpenter and karpenter.enabled):
        return
    handler = aws.node_termination_handler = aws.node_termination_handler or NodeTerminationHandlerSpec()
    fill(handler, enabled=True)
    if not handler.enabled:
        return
    fill(
        handler,
        cpu_request=Quantity("50m"),
        delete_sqs_msg_if_node_not_found=False,
        enable_out_of_service_taint=False,
        enable_rebalance_draining=False,
        enable_rebalance_monitoring=False,
        enable_scheduled_event_draining=True,
        enable_spot_interruption_draining=True,
        exclude_from_load_balancers=True,
        managed_asg_tag="aws-node-termination-handler/managed",
        memory_request=Quantity("64Mi"),
        pod_termination_grace_period=-1,
        prometheus_enable=False,
        taint_node=False,
        version="v1.25.5",
    )
