# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the node termination handler of a cluster works."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.components import NodeTerminationHandlerSpec


def termination_handler(cluster: Cluster) -> NodeTerminationHandlerSpec | None:
    """The handler's settings; None when it does not run."""
    aws = cluster.spec.cloud_provider.aws
    spec = aws.node_termination_handler if aws else None
    return spec if spec and spec.enabled else None


def uses_termination_queue(cluster: Cluster) -> bool:
    """Whether the handler reads a queue, rather than each node's metadata."""
    spec = termination_handler(cluster)
    return spec is not None and spec.enable_sqs_termination_draining is not False
