# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that a stored cluster keeps: address ranges that were assigned when it was created."""

from __future__ import annotations

from ....api.clouds import GCE
from ..draft import Draft


def keep_settled_ranges(draft: Draft) -> None:
    """Ranges that were assigned when the cluster was created: a network that exists by now would change the answer."""
    if draft.settled is None:
        return
    stored, networking = draft.settled.cluster.spec.networking, draft.cluster.spec.networking
    ranges = {subnet.name: subnet.cidr for subnet in stored.subnets}
    for subnet in networking.subnets:
        subnet.cidr = subnet.cidr or ranges.get(subnet.name)
    if draft.cloud is GCE:
        networking.pod_cidr = networking.pod_cidr or stored.pod_cidr
        networking.service_cluster_ip_range = networking.service_cluster_ip_range or stored.service_cluster_ip_range
        networking.non_masquerade_cidr = networking.non_masquerade_cidr or stored.non_masquerade_cidr
