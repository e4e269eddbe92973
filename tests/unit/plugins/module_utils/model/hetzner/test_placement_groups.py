# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Control planes that are in one location are on different hosts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.placement_group import PlacementGroup
from ansible_collections.kubeops.kops.tests.support.hetzner import whole_clusters as clusters
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer

NODES = ("nodes-fsn1", "Node", 2)
APART = f"control-plane-fsn1.{clusters.NAME}"


@pytest.fixture(name="server")
def run_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HetznerServer]:
    with HetznerServer() as server:
        clusters.environment(monkeypatch, server)
        yield server
        clusters.forget_store()


def control_planes(number: int) -> tuple[tuple[str, str, int], ...]:
    others = tuple((f"master-fsn1-{each}", "Master", 1) for each in range(1, number))
    return (("master-fsn1", "Master", 1), *others, NODES)


@pytest.mark.parametrize(("number", "wanted"), [(1, []), (3, [APART]), (11, [])])
def test_several_are_kept_apart_as_far_as_a_group_goes(number: int, wanted: list[str]) -> None:
    tasks = clusters.tasks(groups=control_planes(number))
    assert [each.name for each in tasks.values() if isinstance(each, PlacementGroup)] == wanted
    placements = {key: task.placement for key, task in tasks.items() if task.kind == "ServerTemplate"}
    assert placements.pop("ServerTemplate/nodes-fsn1") is None
    assert [each.name for each in placements.values() if each] == wanted * number


def test_servers_are_made_in_it_and_those_from_before_are_outdated(server: HetznerServer) -> None:
    clusters.applied(clusters.whole())
    clusters.applied(clusters.whole(groups=control_planes(3)))
    (group,) = server.project.objects.all("placement_groups")
    assert (group["name"], len(group["servers"])) == (APART, 2)
    assert clusters.changes(clusters.planned(clusters.whole(groups=control_planes(3)))) == []
    template = clusters.whole(groups=control_planes(3))["ServerTemplate/master-fsn1"]
    before = clusters.whole()["ServerTemplate/master-fsn1"]
    assert "another placement group" in template.why_outdated(1, before.mark(1))
    clusters.remove()
    assert server.names() == []
