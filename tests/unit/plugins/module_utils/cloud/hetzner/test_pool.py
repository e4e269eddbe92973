# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of groups: they are made, given credentials, recognised, replaced and removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import marks
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.machines import (
    origins,
    servers_of_groups,
    user_data_by_instance,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.numbers import numbers_of
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.pool import ServerPool
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.numbers import Numbers
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.replacing import PoolReplacing
from ansible_collections.kubeops.kops.tests.support.hetzner import whole_clusters as clusters
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer

GROUPS = (("master-fsn1", "Master", 1), ("nodes-fsn1", "Node", 2))


@pytest.fixture(name="server")
def run_server() -> Iterator[HetznerServer]:
    with HetznerServer() as server:
        yield server


@pytest.fixture(name="handed", autouse=True)
def of_controller(server: HetznerServer, monkeypatch: pytest.MonkeyPatch) -> clusters.Handed:
    clusters.forget_store()
    return clusters.environment(monkeypatch, server)


def servers(server: HetznerServer, group: str = "") -> list[dict[str, Any]]:
    """By their ids."""
    found = sorted(server.project.objects.all("servers"), key=lambda each: each["id"])
    return [each for each in found if each["labels"].get("kops.k8s.io/instance-group", "").startswith(group)]


def numbers(server: HetznerServer, group: str) -> list[str]:
    return sorted(each["labels"][marks.NUMBER] for each in servers(server, group))


def test_a_cluster_is_made_and_a_second_run_writes_nothing(server: HetznerServer, handed: clusters.Handed) -> None:
    clusters.applied(clusters.whole(groups=GROUPS))
    made = servers(server)
    assert [each["labels"][marks.NUMBER] for each in servers(server, "nodes")] in (["1", "2"], ["2", "1"])
    assert handed == [each["name"] for each in servers(server, "master")]
    assert {each["status"] for each in made} == {"running"}
    assert all(each["private_net"] for each in made)
    assert all(each["public_net"]["ipv4"] and each["public_net"]["ipv6"] is None for each in made)
    server.calls.clear()
    assert clusters.changes(clusters.applied(clusters.whole(groups=GROUPS))) == []
    assert server.writes == []
    assert len(server.calls) <= 7


def test_reads_do_not_grow_with_servers(server: HetznerServer) -> None:
    many = (("master-fsn1", "Master", 1), ("nodes-fsn1", "Node", 24))
    clusters.applied(clusters.whole(groups=many))
    assert len(servers(server)) == 25
    server.calls.clear()
    assert clusters.changes(clusters.applied(clusters.whole(groups=many))) == []
    assert (server.writes, len(server.calls) <= 7) == ([], True)


def test_user_data_has_no_secret_and_its_own_nonce(server: HetznerServer) -> None:
    groups = tuple((f"master-{letter}", "Master", 1) for letter in "ab")

    def change(text: str) -> str:
        return text.replace("instanceGroup: master-fsn1", "instanceGroup: master-a")

    clusters.applied(clusters.whole(groups=groups, change=change))
    told = [server.project.servers.user_data[each["id"]] for each in servers(server)]
    nonces = {text.split()[-1] for text in told}
    assert len(nonces) == 2
    assert all(len(bytes.fromhex(each)) == 32 for each in nonces)
    assert not any(server.environment["HCLOUD_TOKEN"] in text or "a-secret" in text for text in told)


def test_labels_say_origin_and_what_it_was_made_from(server: HetznerServer) -> None:
    clusters.applied(clusters.whole())
    for each in servers(server):
        assert marks.store_of(each["labels"]) == f"memfs://store/{clusters.NAME}"
    assert [each.store for each in origins(clusters.client())] == [f"memfs://store/{clusters.NAME}"] * 2
    found = servers_of_groups(clusters.client())
    assert {group: [each.outdated for each in of.machines] for group, of in found.items()} == {
        "master-fsn1": [""],
        "nodes-fsn1": [""],
    }
    (worker,) = found["nodes-fsn1"].machines
    assert (worker.zone, worker.machine_type, worker.power) == ("fsn1", "cx23", "running")
    assert user_data_by_instance(clusters.client())[worker.name].startswith("#!/bin/bash\n# nodes-fsn1")


def test_in_what_servers_are_outdated(server: HetznerServer) -> None:
    clusters.applied(clusters.whole())
    wanted = clusters.whole(change=lambda text: text.replace("machineType: cx23", "machineType: cx33"))
    plan = clusters.applied(wanted)
    assert len(plan.active()) == 2
    for of in servers_of_groups(clusters.client()).values():
        assert [each.outdated for each in of.machines] == ["new servers of its group have another server type"]


def test_a_lost_server_is_made_again_under_its_number(server: HetznerServer, handed: clusters.Handed) -> None:
    clusters.applied(clusters.whole(groups=GROUPS))
    gone = next(each for each in servers(server) if each["labels"].get(marks.NUMBER) == "1" and "nodes" in each["name"])
    del server.project.objects.kinds["servers"][gone["id"]]
    plan = clusters.applied(clusters.whole(groups=GROUPS))
    assert clusters.changes(plan) == ["create Server/nodes-fsn1-1 []"]
    assert numbers(server, "nodes") == ["1", "2"]
    assert gone["name"] not in [each["name"] for each in servers(server)]
    assert len(handed) == 1


def test_a_server_that_was_half_made_is_made_again(server: HetznerServer) -> None:
    """Hetzner has begun it, and not brought it into the network."""
    clusters.applied(clusters.whole())
    (worker,) = servers(server, "nodes")
    worker["private_net"].clear()
    assert "did not finish" in servers_of_groups(clusters.client())["nodes-fsn1"].machines[0].outdated
    assert clusters.changes(clusters.applied(clusters.whole())) == ["update Server/nodes-fsn1-1 ['state']"]
    (again,) = servers(server, "nodes")
    assert again["id"] != worker["id"]
    assert again["private_net"]


def test_a_server_that_was_stopped_is_left_alone(server: HetznerServer) -> None:
    clusters.applied(clusters.whole())
    for each in servers(server):
        each["status"] = "off"
    assert clusters.changes(clusters.planned(clusters.whole())) == []


def test_other_credentials_are_given_to_servers_that_are_there(
    server: HetznerServer, handed: clusters.Handed, monkeypatch: pytest.MonkeyPatch
) -> None:
    clusters.applied(clusters.whole())
    monkeypatch.setenv("S3_SECRET_ACCESS_KEY", "another-secret")
    plan = clusters.applied(clusters.whole())
    assert clusters.changes(plan) == ["update Server/master-fsn1-1 ['state']"]
    assert len(handed) == 2
    assert "another-secret" not in str(plan.as_data())
    assert clusters.changes(clusters.planned(clusters.whole())) == []
    assert not any("secret" in str(each["labels"]) for each in servers(server))


def test_nothing_is_written_without_credentials_to_give(server: HetznerServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from ansible_collections.kubeops.kops.plugins.module_utils.model.hetzner import access

    for name in ("S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    with pytest.raises(KopsError, match="lacks S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY"):
        access.build(clusters.context_of())


def test_two_servers_of_one_number_are_refused(server: HetznerServer) -> None:
    clusters.applied(clusters.whole(groups=GROUPS))
    first, second = servers(server, "nodes")
    second["labels"][marks.NUMBER] = first["labels"][marks.NUMBER]
    server.calls.clear()
    with pytest.raises(KopsError, match=f"say that they have the number .*{first['name']}"):
        clusters.applied(clusters.whole(groups=GROUPS))
    assert server.writes == []


def test_an_answer_that_is_lost_makes_no_twin(server: HetznerServer) -> None:
    server.spoil(1, "lost", of=lambda call: call.method == "POST" and call.path == "/servers")
    clusters.applied(clusters.whole(groups=GROUPS))
    assert len(servers(server)) == 3
    assert clusters.changes(clusters.planned(clusters.whole(groups=GROUPS))) == []


@pytest.mark.parametrize("fault", [423, 429, 503, "reset"])
def test_what_passes_is_tried_again(server: HetznerServer, fault: int | str) -> None:
    server.spoil(1, fault, of=lambda call: call.method == "POST" and call.path == "/servers")
    clusters.applied(clusters.whole(groups=GROUPS))
    assert len(servers(server)) == 3


# -- servers of kops --------------------------------------------------------------------------------------------------


def by_kops(server: HetznerServer, group: str = "nodes-fsn1", count: int = 2) -> None:
    """Servers as kops makes them: with random names, and no labels of ours."""
    for each in servers(server, group):
        each["name"] = f"{group}-5e2b6a7c8d9f0a{each['id']:02x}"
        kept = {key: value for key, value in each["labels"].items() if not key.startswith("kubeops.kops/")}
        each["labels"] = {**kept, "kops.k8s.io/instance-userdata": "sha256.abc"}


def test_servers_of_kops_are_taken_over(server: HetznerServer) -> None:
    clusters.applied(clusters.whole(groups=GROUPS))
    by_kops(server)
    before = [each["name"] for each in servers(server)]
    found = servers_of_groups(clusters.client())["nodes-fsn1"]
    assert [each.outdated for each in found.machines] == ["kops has made it, and does not say from what"] * 2
    plan = clusters.applied(clusters.whole(groups=GROUPS))
    assert clusters.changes(plan) == [f"update Server/nodes-fsn1-{number} ['store']" for number in (1, 2)]
    assert [each["name"] for each in servers(server)] == before
    assert numbers(server, "nodes") == ["1", "2"]


# -- groups -----------------------------------------------------------------------------------------------------------


def test_a_smaller_group_loses_its_highest_numbers(server: HetznerServer) -> None:
    clusters.applied(clusters.whole(groups=GROUPS))
    smaller = (("master-fsn1", "Master", 1), ("nodes-fsn1", "Node", 1))
    plan = clusters.applied(clusters.whole(groups=smaller))
    assert clusters.changes(plan) == ["delete Place/nodes-fsn1-2"]
    cloud, replacing = clusters.client(), PoolReplacing(ServerPool())
    (leaving,) = (each for each in servers_of_groups(cloud)["nodes-fsn1"].machines if each.state == "detached")
    assert list(plan.pending()) == [leaving.name]
    # It runs until it is drained.
    assert clusters.changes(clusters.planned(clusters.whole(groups=smaller))) == []
    replacing.terminate(cloud, leaving)
    assert numbers(server, "nodes") == ["1"]
    assert clusters.changes(clusters.planned(clusters.whole(groups=smaller))) == []


def test_what_a_removed_group_had_goes(server: HetznerServer) -> None:
    clusters.applied(clusters.whole(groups=GROUPS))
    left = (("master-fsn1", "Master", 1),)
    assert clusters.changes(clusters.planned(clusters.whole(groups=left))) == [
        "delete Server/nodes-fsn1-1",
        "delete Server/nodes-fsn1-2",
    ]
    clusters.applied(clusters.whole(groups=left))
    assert servers(server, "nodes") == []


def test_a_replacement_has_a_free_number_and_the_size_stays(server: HetznerServer) -> None:
    """As a rolling update does it: the new server first."""
    clusters.applied(clusters.whole(groups=GROUPS))
    cloud, replacing = clusters.client(), PoolReplacing(ServerPool())
    old = servers_of_groups(cloud)["nodes-fsn1"].machines[0]
    replacing.detach(cloud, old)
    replacing.replenish(cloud, "nodes-fsn1")
    group = servers_of_groups(cloud)["nodes-fsn1"]
    assert (group.wanted, len(group.machines)) == (2, 3)
    assert numbers_of(cloud, "nodes-fsn1").leaving == {1: 2}
    replacing.terminate(cloud, old)
    assert numbers(server, "nodes") == ["2", "3"]
    assert clusters.changes(clusters.planned(clusters.whole(groups=GROUPS))) == []


def test_a_server_that_is_removed_makes_its_group_smaller(server: HetznerServer) -> None:
    clusters.applied(clusters.whole(groups=GROUPS))
    cloud, replacing = clusters.client(), PoolReplacing(ServerPool())
    (first, _second) = servers_of_groups(cloud)["nodes-fsn1"].machines
    replacing.remove(cloud, first, 1, fixed=False)
    assert replacing.lacking(cloud) == {}
    assert numbers_of(cloud, "nodes-fsn1") == Numbers(frozenset({2}))


def test_a_control_plane_that_is_ended_comes_back_under_its_number(
    server: HetznerServer, handed: clusters.Handed
) -> None:
    clusters.applied(clusters.whole())
    cloud, replacing = clusters.client(), PoolReplacing(ServerPool())
    (old,) = servers_of_groups(cloud)["master-fsn1"].machines
    replacing.terminate(cloud, old)
    assert servers(server, "master") == []
    replacing.terminate(cloud, old)
    cloud_of_repair = clusters.client()
    clusters.applied(clusters.whole(), cloud_of_repair)
    assert numbers(server, "master") == ["1"]
    assert len(handed) == 2


def test_servers_of_others_are_never_ended(server: HetznerServer) -> None:
    """One of another cluster has the name of a machine."""
    clusters.applied(clusters.whole())
    cloud, replacing = clusters.client(), PoolReplacing(ServerPool())
    (machine,) = servers_of_groups(cloud)["nodes-fsn1"].machines
    (own,) = servers(server, "nodes")
    own["labels"]["kops.k8s.io/cluster"] = "other.example.com"
    server.calls.clear()
    replacing.terminate(cloud, machine)
    assert server.writes == []


# -- runs that are broken off -----------------------------------------------------------------------------------------


class Killed(BaseException):
    """The process ends."""


def killed_at(monkeypatch: pytest.MonkeyPatch, server: HetznerServer, number: int, moment: str) -> None:
    """The process ends at a write, with every later one of other threads."""
    from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.cloud import HetznerCloud

    seen, real = [0], HetznerCloud.ask

    def ask(self: HetznerCloud, method: str, path: str, body: Any, doing: str) -> dict[str, Any]:
        count = seen[0]
        seen[0] += 1
        if count > number or (count == number and moment == "before"):
            raise Killed
        answer = real(self, method, path, body, doing)
        if count == number:
            raise Killed
        return answer

    monkeypatch.setattr(HetznerCloud, "ask", ask)


# Of a cluster of a control plane and a worker.
WRITES = 11
PLACES = [(number, moment) for number in range(WRITES) for moment in ("before", "after")]


def test_a_cluster_takes_so_many_writes(server: HetznerServer) -> None:
    clusters.applied(clusters.whole())
    assert len(server.writes) == WRITES


@pytest.mark.parametrize(("number", "moment"), PLACES)
def test_running_again_completes(server: HetznerServer, number: int, moment: str) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        killed_at(patch, server, number, moment)
        clusters.applied(clusters.whole())
    clusters.applied(clusters.whole())
    assert clusters.changes(clusters.planned(clusters.whole())) == []
    assert len(servers(server)) == 2
    assert len(server.names()) == 9


@pytest.mark.parametrize(("number", "moment"), PLACES)
def test_what_a_run_that_was_broken_off_has_made_can_be_deleted(
    server: HetznerServer, number: int, moment: str
) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        killed_at(patch, server, number, moment)
        clusters.applied(clusters.whole())
    clusters.remove()
    assert server.names() == []


def test_deletion_leaves_what_is_of_others(server: HetznerServer) -> None:
    other = "other.example.com"
    for name in (clusters.NAME, other):
        clusters.applied(clusters.whole(name), clusters.client(name))
    kept = [each for each in server.names() if other in each]
    foreign = [each["name"] for each in servers(server) if each["labels"]["kops.k8s.io/cluster"] == other]
    clusters.remove()
    assert [each for each in server.names() if other in each] == kept
    assert [each["name"] for each in servers(server)] == foreign
