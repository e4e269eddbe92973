# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that have the label of a cluster, and no task."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.kinds import PLACEMENT_GROUP
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.unknown import unknown
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.looking import Unknown
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer


def test_what_no_task_wants(server: HetznerServer) -> None:
    wanted = applying.tasks()
    applying.applied(applying.client(), wanted)
    assert unknown(applying.client(), list(wanted.values())) == []
    labels = {"kops.k8s.io/cluster": applying.NAME}
    made = applying.client().make(PLACEMENT_GROUP, {"name": "old", "type": "spread", "labels": labels})
    number = applying.server(applying.client(), "old-1")
    reason = "it has the label of the cluster"
    assert unknown(applying.client(), list(wanted.values())) == [
        Unknown("placement group", "old", f"{made['id']}; {reason}"),
        Unknown("server", "old-1", f"{number}; {reason}"),
    ]
