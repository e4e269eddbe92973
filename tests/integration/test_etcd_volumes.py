# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of a real etcd whose volumes move, are new, or were lost, without a controller."""

from __future__ import annotations

import pathlib
import shutil
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd import unstarted
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.client import EtcdClient, EtcdError
from ansible_collections.kubeops.kops.tests.support.etcd import eventually
from ansible_collections.kubeops.kops.tests.support.etcd_in_cloud import (
    CONTROL,
    Instance,
    Site,
    formed,
    remembered,
    site,
)

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("etcd")]


@pytest.fixture
def cloud(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "2048")
    with site(tmp_path, "abc") as made:
        yield made


@pytest.fixture
def small(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """One control plane."""
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "2048")
    with site(tmp_path, "a") as made:
        yield made


def voters(instance: Instance) -> list[str]:
    return [member.name for member in instance.client().members() if not member.learner]


def put(instance: Instance, key: str) -> None:
    eventually(lambda: instance.control("put", key, "here"))


def await_key(instance: Instance, key: str) -> None:
    eventually(lambda: instance.control("get", key, "--print-value-only") == "here")


def come_up(instance: Instance) -> None:
    """The whole boot of an instance, whose attempts are repeated as long as it is refused."""
    facts = eventually_boots(instance)
    instance.end_boot(facts)


def eventually_boots(instance: Instance) -> dict[str, str]:
    booted: list[dict[str, str]] = []

    def attempt() -> bool:
        try:
            booted.append(instance.boot())
        except KopsError as error:
            raise OSError(str(error)) from error
        return True

    eventually(attempt, 60)
    return booted[0]


def identity(instance: Instance, name: str) -> str:
    return str(next(each.id for each in eventually(instance.client().members) if each.name == name))


def test_members_move_to_other_addresses_while_etcd_runs(cloud: Site) -> None:
    """No etcd is started again but the one that moves."""
    first, _second, _third = formed(cloud, "abc")
    put(first, "marker")
    members = [(each.id, each.peer_urls) for each in first.client().members()]
    process = first.process
    for round_of_moves in range(2):
        for member in ("b", "c"):
            cloud.terminate(member)
            moved = cloud.start(member)
            come_up(moved)
            await_key(moved, "marker")
            put(moved, f"by-{member}-{round_of_moves}")
    # The first one has followed both to new addresses, and still runs.
    await_key(first, "by-c-1")
    assert (first.process, first.is_running) == (process, True)
    cloud.terminate("a")
    cloud.tell_names()
    await_key(cloud.holders["b"], "by-c-1")
    come_up(cloud.start("a"))
    await_key(cloud.holders["a"], "marker")
    assert [(each.id, each.peer_urls) for each in cloud.holders["a"].client().members()] == members
    assert first.address != cloud.holders["a"].address


def test_one_becomes_three(small: Site) -> None:
    (first,) = formed(small, "a")
    put(first, "marker")
    running = first.process
    for member in "bc":
        small.make_volume(member)
    late = [small.start(member) for member in "bc"]
    threads = [threading.Thread(target=come_up, args=[each]) for each in late]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert voters(first) == ["etcd-a", "etcd-b", "etcd-c"]
    # The one that was there has never been disturbed.
    assert first.process == running
    assert first.is_running
    assert remembered(small, "kubeops-member-c")["volume"] == small.volumes["c"].id
    assert remembered(small, "etcd-cluster-created") == {"initialCluster": small.everybody("a")}
    small.terminate("a")
    for each in late:
        await_key(each, "marker")
        before = each.process, each.manifest.read_text()
        each.end_boot(each.boot())
        assert (each.process, each.manifest.read_text()) == before


def test_a_member_that_lost_its_volume_is_replaced(cloud: Site) -> None:
    first, second, third = formed(cloud, "abc")
    put(first, "marker")
    before = identity(first, "etcd-c"), third.disk.id
    cloud.terminate("c")
    cloud.make_volume("c")
    come_up(cloud.start("c"))
    fresh = cloud.holders["c"]
    assert voters(second) == ["etcd-a", "etcd-b", "etcd-c"]
    assert (identity(first, "etcd-c"), fresh.disk.id) not in [before, (before[0], fresh.disk.id)]
    await_key(fresh, "marker")
    assert remembered(cloud, "kubeops-member-c")["volume"] == fresh.disk.id
    # It happens again, to another one.
    cloud.terminate("a")
    cloud.make_volume("a")
    come_up(cloud.start("a"))
    await_key(cloud.holders["a"], "marker")


@pytest.mark.parametrize("killed", ["remove", "add_learner"])
def test_a_replacement_that_is_killed_goes_on(cloud: Site, killed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the old member has been removed, and after the new one has been added."""
    first, _second, _third = formed(cloud, "abc")
    put(first, "marker")
    cloud.terminate("c")
    cloud.make_volume("c")
    fresh = cloud.start("c")
    real = getattr(EtcdClient, killed)

    def die(client: EtcdClient, given: object) -> None:
        real(client, given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(EtcdClient, killed, die)
        eventually_boots(fresh)
    assert voters(first) == ["etcd-a", "etcd-b"]
    come_up(fresh)
    assert voters(first) == ["etcd-a", "etcd-b", "etcd-c"]
    await_key(fresh, "marker")


def test_nobody_is_removed_without_a_majority(cloud: Site) -> None:
    first, second, _third = formed(cloud, "abc")
    put(first, "marker")
    cloud.terminate("c")
    cloud.make_volume("c")
    second.power_off()
    fresh = cloud.start("c")
    with pytest.raises(KopsError, match=r"volume vol-3 \(member c .* is empty, and cannot get its data .*: ") as told:
        fresh.boot()
    assert "\n" not in str(told.value)
    assert not any("mkfs" in call for call in fresh.host.calls)
    second.power_on()
    come_up(fresh)
    await_key(fresh, "marker")


def test_two_that_lost_their_volumes_are_refused(cloud: Site) -> None:
    formed(cloud, "abc")
    for member in "bc":
        cloud.terminate(member)
        cloud.make_volume(member)
    for member in "bc":
        with pytest.raises(KopsError, match="cannot get its data from the other members: .* Else restore a snapshot"):
            cloud.start(member).boot()
    assert not any("mkfs" in call for member in "bc" for call in cloud.holders[member].host.calls)


def test_the_only_member_is_not_replaced(small: Site) -> None:
    formed(small, "a")
    small.terminate("a")
    small.make_volume("a")
    with pytest.raises(KopsError, match="no instance has another member now"):
        small.start("a").boot()


def test_a_volume_that_lost_its_data_is_not_trusted(cloud: Site) -> None:
    first, _second, third = formed(cloud, "abc")
    cloud.terminate("c")
    shutil.rmtree(third.disk.directory / "data")
    with pytest.raises(KopsError, match=f"has had data on this very volume.* remove {CONTROL}/kubeops-member-c; if"):
        cloud.start("c").boot()
    # As the message says.
    del cloud.files[f"{CONTROL}/kubeops-member-c"]
    come_up(cloud.holders["c"])
    assert voters(first) == ["etcd-a", "etcd-b", "etcd-c"]


def test_a_member_that_was_never_written_down_is_replaced_all_the_same(cloud: Site) -> None:
    """The store refused it, or its first boot did not end: etcd itself says that the member has run."""
    first, _second, _third = formed(cloud, "abc")
    put(first, "marker")
    before = identity(first, "etcd-c")
    del cloud.files[f"{CONTROL}/kubeops-member-c"]
    cloud.terminate("c")
    cloud.make_volume("c")
    come_up(cloud.start("c"))
    assert identity(first, "etcd-c") != before
    await_key(cloud.holders["c"], "marker")


def test_a_founder_that_comes_late_is_no_newcomer(cloud: Site) -> None:
    early = [cloud.start(member) for member in "ab"]
    booted = [each.boot() for each in early]
    for each in early:
        eventually(each.leader)
    for each, facts in zip(early, booted):
        each.end_boot(facts)
    late = cloud.start("c")
    assert late.boot()["ETCD_MAIN_INITIAL_STATE"] == "new"
    eventually(late.leader)
    assert len(early[0].client().members()) == 3


def test_who_has_the_address_of_a_member_must_be_that_member(cloud: Site) -> None:
    first, second, _third = formed(cloud, "abc")
    url = cloud.url("b", cloud.client_port)
    host = str(urlsplit(url).hostname)
    assert first.client(places={host: second.address}).at([url]).status().id == second.client().status().id
    with pytest.raises(EtcdError, match="certificate verify failed"):
        first.client(places={host: first.address}).at([url]).members()


def test_an_instance_that_never_came_up_makes_room(small: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was added as a learner, and ended before its etcd began."""
    monkeypatch.setattr(unstarted, "_HOST_IS_DEAD", 2.0)
    monkeypatch.setattr(unstarted, "_NOBODY_COMES", 2.0)
    (first,) = formed(small, "a")
    for member in "bc":
        small.make_volume(member)
    lost = small.start("b")
    assert lost.members().facts()["ETCD_MAIN_INITIAL_STATE"] == "existing"
    assert [each.learner for each in first.client().members()] == [True, False]
    lost.disk.is_formatted = True
    small.terminate("b")
    come_up(small.start("c"))
    assert voters(first) == ["etcd-a", "etcd-c"]
    # Its volume is known already, but what it was to be started with is not true any more.
    come_up(small.start("b"))
    assert voters(first) == ["etcd-a", "etcd-b", "etcd-c"]
