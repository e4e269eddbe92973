# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node termination handler, which drains nodes that AWS is about to end (node-termination-handler.aws of kops).

It reads a queue of the cluster, or the metadata of each node.
"""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.components import NodeTerminationHandlerSpec
from ...iam.policy import Policy, actions
from ..context import AddonContext
from ..definition import AddonDefinition, ServiceAccountRole

_ANYWHERE = (
    *actions("autoscaling", "DescribeAutoScalingInstances DescribeTags"),
    "ec2:DescribeInstances",
    *actions("sqs", "DeleteMessage ReceiveMessage"),
)


def termination_handler(cluster: Cluster) -> NodeTerminationHandlerSpec | None:
    """The handler's settings; None when it does not run."""
    aws = cluster.spec.cloud_provider.aws
    spec = aws.node_termination_handler if aws else None
    return spec if spec and spec.enabled else None


def uses_termination_queue(cluster: Cluster) -> bool:
    """Whether the handler reads a queue, rather than each node's metadata."""
    spec = termination_handler(cluster)
    return spec is not None and spec.enable_sqs_termination_draining is not False


def _read_queue(context: AddonContext, policy: Policy) -> None:
    """Read the queue of terminations and let them go on."""
    policy.anywhere.update(_ANYWHERE)
    policy.on_owned.add("autoscaling:CompleteLifecycleAction")


ADDON = AddonDefinition(
    name="node-termination-handler.aws",
    condition=lambda context: termination_handler(context.cluster) is not None,
    service_accounts=(
        ServiceAccountRole(
            "aws-node-termination-handler",
            _read_queue,
            on_control_plane=lambda context: uses_termination_queue(context.cluster),
        ),
    ),
)
