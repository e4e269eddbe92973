# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers that are replaced one after the other: what they are, why, and what a run that breaks off leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import DETACHED, CloudInstance
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.account import Account
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.looking import OpenStackLooking
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.pool import ServerPool
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.replacing import PoolReplacing
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.support.openstack import clusters
from ansible_collections.kubeops.kops.tests.support.openstack.clusters import NAME
from ansible_collections.kubeops.kops.tests.support.openstack.memory import FLAVOR, OTHER_FLAVOR, MemoryCloud, Project

LOOKING, REPLACING = OpenStackLooking(), PoolReplacing(ServerPool())
NODES, CONTROL_PLANE = "nodes-az-1", "control-plane-az-1"
STORE = f"memfs://store/{NAME}"


@pytest.fixture
def project() -> Iterator[Project]:
    """With the cluster, and what its servers are made from in the state store."""
    made = Project()
    apply(made)
    yield made
    for file in open_path(STORE).list_tree():
        file.path.remove()


def client(project: Project) -> MemoryCloud:
    return project.client(NAME, STORE)


def apply(project: Project, change: Callable[[str], str] = str) -> list[str]:
    """Update the cluster; returns what was planned."""
    cloud = client(project)
    return clusters.changes(
        clusters.applied(cloud, clusters.tasks(change=change, account=Account.of(cloud)), prune=True)
    )


def machines(project: Project, group: str = NODES, *, why: bool = True) -> list[CloudInstance]:
    return sorted(LOOKING.machines(client(project), why=why)[group], key=lambda each: each.tags["KopsName"])


def numbers(project: Project) -> list[str]:
    """Of the workers' servers, and of their ports."""
    servers = [each["metadata"]["KopsName"] for each in project.of(kinds.SERVER).values()]
    ports = [each["name"].removeprefix("port-") for each in project.of(kinds.PORT).values()]
    return [
        " ".join(sorted(each.split("-")[3] for each in found if each.startswith(NODES))) for found in (servers, ports)
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace(f"machineType: {FLAVOR}", f"machineType: {OTHER_FLAVOR}"), "another flavor"),
        (lambda text: text.replace("image: debian-12", "image: debian-13"), "another image"),
        (lambda text: text.replace("zone: az-1", "zone: az-2"), "another zone"),
        (lambda text: text.replace("team: storage", "team: network"), "other metadata"),
    ],
)
def test_what_servers_lack_is_said(project: Project, change: Callable[[str], str], reason: str) -> None:
    assert [each.outdated for each in machines(project)] == ["", ""]
    assert f"update ServerTemplate/{NODES}" in " ".join(apply(project, change))
    assert {each.outdated for each in machines(project)} == {f"new servers of its group have {reason}"}
    assert apply(project, change) == []


def test_why_user_data_differs_is_known_as_long_as_it_is_kept(project: Project) -> None:
    for text in ("#!/bin/bash\n# one\n", "#!/bin/bash\n# two\n"):
        tasks = clusters.tasks()
        tasks[f"ServerTemplate/{NODES}"].user_data = text  # type: ignore[attr-defined]
        clusters.applied(client(project), tasks)
    assert {each.outdated for each in machines(project)} == {"new servers of its group have other user data"}


def test_of_servers_of_kops_nobody_knows_what_they_are_made_from(project: Project) -> None:
    for server in project.of(kinds.SERVER).values():
        del server["metadata"]["kubeops-made-from"]
    assert {each.outdated for each in machines(project)} == {"kops has made it, and does not say from what"}
    assert apply(project) == []


def test_without_the_store_nothing_is_compared(project: Project) -> None:
    found = LOOKING.machines(project.client(NAME))[NODES]
    assert [(each.outdated, each.compared) for each in found] == [("", False)] * 2


def test_a_server_that_is_made_again_has_the_place_of_the_former(project: Project) -> None:
    (first, _second), ports = machines(project), set(project.of(kinds.PORT))
    REPLACING.terminate(client(project), first)
    assert numbers(project) == ["2", "1 2"]
    REPLACING.replenish(client(project), NODES)
    assert (numbers(project), set(project.of(kinds.PORT))) == (["1 2", "1 2"], ports)
    again = machines(project)[0]
    assert (again.private_addresses, again.name != first.name) == (first.private_addresses, True)
    assert apply(project) == []


def test_a_server_that_starts_before_another_ends_has_the_next_number(project: Project) -> None:
    first = machines(project)[0]
    REPLACING.detach(client(project), first)
    REPLACING.detach(client(project), first)
    REPLACING.replenish(client(project), NODES)
    REPLACING.replenish(client(project), NODES)
    assert numbers(project) == ["1 2 3", "1 2 3"]
    # An update in between leaves all three.
    assert apply(project) == []
    REPLACING.terminate(client(project), machines(project)[0])
    assert numbers(project) == ["2 3", "2 3"]
    REPLACING.replenish(client(project), NODES)
    assert (numbers(project), apply(project)) == (["2 3", "2 3"], [])


def test_numbers_that_are_free_are_taken_first(project: Project) -> None:
    REPLACING.remove(client(project), machines(project)[0], 1, True)
    assert numbers(project) == ["2", "2"]
    apply(project)
    assert numbers(project) == ["1 2", "1 2"]


@pytest.mark.parametrize("fault_at", range(6))
def test_a_replacement_that_breaks_off_goes_on(project: Project, fault_at: int) -> None:
    """At each write of detaching, starting another one, and ending the first."""
    name, writes = machines(project)[0].name, len(project.writes)

    def broken(moment: str, number: int) -> None:
        if (moment, number) == ("before", writes + fault_at):
            raise KeyboardInterrupt

    def replace() -> None:
        for each in machines(project):
            if each.name == name:
                REPLACING.detach(client(project), each)
        REPLACING.replenish(client(project), NODES)
        for each in machines(project):
            if each.name == name or each.state == DETACHED:
                REPLACING.terminate(client(project), each)
        REPLACING.replenish(client(project), NODES)

    project.fault = broken
    with pytest.raises(KeyboardInterrupt):
        replace()
    project.fault = lambda moment, number: None
    replace()
    # What is left of the first one's place goes with the next update.
    apply(project)
    assert numbers(project) == ["2 3", "2 3"]
    assert name not in [each.name for each in machines(project)]


def test_a_place_that_is_left_over_does_not_count(project: Project) -> None:
    """The server is gone, and its port is not: a run was killed in between, or somebody has deleted the server."""
    first = machines(project)[0]
    REPLACING.detach(client(project), first)
    REPLACING.replenish(client(project), NODES)
    servers = project.of(kinds.SERVER)
    del servers[next(key for key, each in servers.items() if each["name"] == first.name)]
    REPLACING.replenish(client(project), NODES)
    assert numbers(project) == ["2 3", "1 2 3"]
    apply(project)
    assert numbers(project) == ["2 3", "2 3"]


def test_the_load_balancer_sends_nothing_to_what_is_replaced(project: Project) -> None:
    (control_plane,) = machines(project, CONTROL_PLANE)
    REPLACING.deregister(client(project), control_plane, 5)
    assert weights(project) == [0]
    # A run that breaks off here leaves what the next update mends.
    assert apply(project) == [f"update PoolMember/port-{CONTROL_PLANE}-1-demo-k8s-local ['weight']"]
    assert weights(project) == [1]
    REPLACING.deregister(client(project), control_plane, 5)
    REPLACING.terminate(client(project), control_plane)
    REPLACING.replenish(client(project), CONTROL_PLANE)
    assert weights(project) == [1]
    # Those of workers have nothing to do with it.
    REPLACING.deregister(client(project), machines(project)[0], 5)
    assert weights(project) == [1]


def weights(project: Project) -> list[int]:
    return [each.get("weight", 1) for pool in project.of(kinds.POOL).values() for each in pool["members"]]


def test_without_its_template_no_server_is_made(project: Project) -> None:
    REPLACING.terminate(client(project), machines(project)[0])
    for file in open_path(STORE).list_tree():
        file.path.remove()
    with pytest.raises(KopsError, match=f"what servers of {NODES} are made from: run update_cluster"):
        REPLACING.replenish(client(project), NODES)


def test_a_template_that_cannot_be_read_is_written_anew(project: Project) -> None:
    place = open_path(STORE).join("igconfig", "node", NODES, "server-template.json")
    for content in (b"{}", b"not JSON"):
        place.write(content)
        with pytest.raises(KopsError, match="update_cluster writes it anew"):
            machines(project)
        assert apply(project) == [f"create ServerTemplate/{NODES} []"]


def test_servers_that_failed_are_no_places_of_others(project: Project) -> None:
    failed: dict[str, Any] = next(
        each for each in project.of(kinds.SERVER).values() if each["metadata"]["KopsInstanceGroup"] == NODES
    )
    failed["status"] = "ERROR"
    REPLACING.replenish(client(project), NODES)
    assert numbers(project) == ["1 2", "1 2"]
