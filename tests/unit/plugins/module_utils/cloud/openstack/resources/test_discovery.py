# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletion: those that go share one reading, and the look whether all is gone reads what may have appeared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import OpenStackCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.kinds import Kind
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.looking import OpenStackLooking
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.latest import Latest
from ansible_collections.kubeops.kops.plugins.module_utils.engine import graph
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import delete_all
from ansible_collections.kubeops.kops.tests.support.openstack import clusters
from ansible_collections.kubeops.kops.tests.support.openstack.memory import MemoryCloud, Project

NAME = clusters.NAME
# What only an update makes.
LASTING = {kinds.KEYPAIR.word, kinds.SERVER_GROUP.word, kinds.ROUTER.word, kinds.SUBNET.word, kinds.NETWORK.word}


class Slow(MemoryCloud):
    """A cloud whose servers go later than they are told to. read_kinds: words of what was listed, in order."""

    def __init__(self, project: Project) -> None:
        super().__init__(project, NAME, "")
        self.read_kinds: list[str] = []
        self.told: list[str] = []
        self.looks_left = 2

    def latest(self, kind: Kind, identifier: str, since: float = 0.0) -> Any:
        return OpenStackCloud.latest(self, kind, identifier, since)

    def read(self, kind: Kind, **query: str) -> list[dict[str, Any]]:
        self.read_kinds.append(kind.word)
        if kind is kinds.SERVER and self.told:
            self.looks_left -= 1
            if self.looks_left <= 0:
                self._project.of(kinds.SERVER).clear()
        return super().read(kind, **query)

    def delete(self, kind: Kind, identifier: str, query: str = "") -> None:
        if kind is kinds.SERVER:
            self.told.append(identifier)
            self._project.of(kind)[identifier]["OS-EXT-STS:task_state"] = "deleting"
        else:
            super().delete(kind, identifier, query)


@pytest.fixture
def project() -> Project:
    """With the cluster."""
    made = Project()
    clusters.applied(made.client(NAME), clusters.tasks())
    return made


def delete(found: Mapping[str, Any]) -> None:
    delete_all(found, progress=print, explain=str, deadline=60)


def test_servers_that_go_share_one_reading(project: Project) -> None:
    servers = len(project.of(kinds.SERVER))
    assert servers > 2
    cloud = Slow(project)
    found = OpenStackLooking().discover(cloud)
    cloud.read_kinds.clear()
    delete({key: each for key, each in found.items() if each.kind == kinds.SERVER.word})
    assert len(cloud.told) == len(set(cloud.told)) == servers
    assert cloud.read_kinds == ["server", "server"]


def test_a_server_whose_deletion_was_given_up_is_deleted_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "FIRST_PAUSE", 0.01)
    (server, *_others) = project.of(kinds.SERVER)
    cloud = Slow(project)
    cloud.looks_left = 100
    (found,) = (each for each in OpenStackLooking().discover(cloud).values() if each.id == server)
    delete_once = found.delete
    attempts = []

    def attempt() -> None:
        attempts.append(server)
        if len(attempts) == 3:
            # Nova says that it has failed.
            del project.of(kinds.SERVER)[server]["OS-EXT-STS:task_state"]
        if len(attempts) == 5:
            del project.of(kinds.SERVER)[server]
        # Each attempt looks anew.
        cloud._latest = Latest()
        delete_once()

    found.delete = attempt
    delete({found.key: found})
    assert cloud.told == [server, server]


def test_the_look_whether_all_is_gone_reads_no_more_than_may_have_appeared(project: Project) -> None:
    cloud, looking = Slow(project), OpenStackLooking()
    found = looking.discover(cloud)
    first = set(cloud.read_kinds)
    assert first >= LASTING
    delete(found)
    # By a control plane, before it was gone; and by its cloud controller.
    address = {"description": "fip-api.demo.k8s.local", "port_id": None}
    project.insert(kinds.FLOATING_IP, address)
    project.insert(kinds.SECURITY_GROUP, {"name": f"nodes.{NAME}"})
    cloud.read_kinds.clear()
    left = looking.discover_rest(cloud, found)
    assert sorted(each.kind for each in left.values()) == ["floating IP", "security group"]
    assert set(cloud.read_kinds) == first - LASTING - {kinds.APPLICATION_CREDENTIAL, kinds.POOL.word}


def test_what_was_left_of_what_only_updates_make_is_still_found(project: Project) -> None:
    cloud, looking = Slow(project), OpenStackLooking()
    found = looking.discover(cloud)
    deleted = {key: each for key, each in found.items() if each.kind not in (*LASTING, kinds.APPLICATION_CREDENTIAL)}
    left = looking.discover_rest(cloud, deleted)
    assert {each.kind for each in left.values()} >= LASTING
    assert looking.discover(cloud).keys() == found.keys()
