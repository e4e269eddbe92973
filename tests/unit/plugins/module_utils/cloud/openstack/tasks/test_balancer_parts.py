# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a load balancer take turns: Octavia carries one after the other into it, and refuses none."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.errors import refused
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.kinds import Kind
from ansible_collections.kubeops.kops.plugins.module_utils.engine import graph
from ansible_collections.kubeops.kops.tests.support.openstack import clusters
from ansible_collections.kubeops.kops.tests.support.openstack.memory import MemoryCloud, Project

PARTS = {kinds.POOL, kinds.LISTENER, kinds.MEMBER, kinds.MONITOR}
# So often a load balancer is seen in the state of a change.
LOOKS = 2


class Octavia:
    """It takes some looks until a change is carried out. refusals: how often another one came meanwhile."""

    def __init__(self) -> None:
        self.left, self.refusals, self.parts = 0, 0, list[str]()

    def get(self, found: dict[str, Any]) -> dict[str, Any]:
        self.left = max(self.left - 1, 0)
        return {**found, "provisioning_status": "PENDING_UPDATE" if self.left else "ACTIVE"}

    def change(self, kind: Kind) -> None:
        if self.left:
            self.refusals += 1
            raise refused(409, "Load Balancer is immutable and cannot be updated", f"make {kind.word}")
        self.left = LOOKS
        self.parts.append(kind.word)


def test_parts_of_a_load_balancer_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "FIRST_PAUSE", 0.05)
    octavia, get, ask = Octavia(), MemoryCloud.get, MemoryCloud.ask

    def looked(cloud: MemoryCloud, kind: Kind, identifier: str) -> Any:
        found = get(cloud, kind, identifier)
        return octavia.get(found) if kind is kinds.BALANCER and found else found

    def asked(cloud: MemoryCloud, method: str, kind: Kind, path: str, body: Any, doing: str) -> dict[str, Any]:
        if kind in PARTS:
            octavia.change(kind)
        return ask(cloud, method, kind, path, body, doing)

    monkeypatch.setattr(MemoryCloud, "get", looked)
    monkeypatch.setattr(MemoryCloud, "ask", asked)
    project = Project()
    groups = (("control-plane-az-1", "Master", 3, "az-1"), *clusters.GROUPS[1:])
    clusters.applied(project.client(clusters.NAME), clusters.tasks(groups=groups))
    assert sorted(octavia.parts) == ["health monitor", "listener", "member", "member", "member", "pool"]
    assert octavia.refusals == 0
    assert octavia.left == 0
