# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The labels of servers (CloudTagsForInstanceGroup in pkg/model/context.go of kops)."""

from __future__ import annotations

from ...api.instance_group import InstanceGroup
from ...cloud.hetzner import names
from ...completion.node_labels import node_labels
from ..context import ModelContext

_HAVE_NODES = ("Node",)


def of_group(context: ModelContext, group: InstanceGroup) -> dict[str, str]:
    """Those of the user, those of the Nodes, and last what the cluster relies on.

    kops has the taints of a group among them as well, in a form that Hetzner refuses.
    """
    name = str(group.metadata.name)
    of_nodes = node_labels(context.cluster, group, context.features)
    return {
        **context.cluster.spec.cloud_labels,
        **group.spec.cloud_labels,
        **{names.NODE_LABEL + key: value for key, value in of_nodes.items()},
        **names.of_cluster(context.name),
        names.ROLE: str(group.spec.role),
        names.GROUP: name,
        **({names.NODE_GROUP: name} if group.spec.role in _HAVE_NODES else {}),
    }
