# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of a real etcd come, are replaced and go."""

from __future__ import annotations

import pathlib
import threading
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd import unstarted as etcd_unstarted
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.client import EtcdError
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.health import unhealthy
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.join import Joining
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.membership import MemberList, NewMember
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.observe import observe_members
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.tests.support.etcd import Laboratory, Machine, eventually, laboratory

STRANGERS = pki.CertificateRequest("ca", pki.Subject("strangers"))
pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("etcd")]


@pytest.fixture
def lab(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Laboratory]:
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "2048")
    with laboratory(tmp_path) as made:
        yield made


def member_list(machine: Machine) -> MemberList:
    return MemberList(machine.client())


def join(old: Machine, new: Machine) -> None:
    """What a run does for a host that joins: it is added, started, and gets its vote."""
    added = member_list(old).ensure(NewMember(new.member, (new.peer_url,), fresh=True))
    assert added.changed
    new.write_manifest(added.initial_cluster(), "existing")
    get_vote(new)


def get_vote(machine: Machine) -> None:
    """What the converger does while it waits."""
    joining = Joining(str(machine.root))
    assert joining.waiting == {"main": ""}

    def advance() -> bool:
        joining.advance()
        return not joining.waiting

    eventually(advance, 60)


def voters(machine: Machine) -> list[str]:
    return [member.name for member in machine.client().members() if not member.learner]


def test_one_becomes_three(lab: Laboratory) -> None:
    (first,) = lab.form(1)
    lab.control(first, "put", "marker", "here")
    second, third = lab.machine(), lab.machine()
    predicted = member_list(first).ensure(NewMember("b", (second.peer_url,)), check=True)
    assert [member.name for member in predicted.after] == ["a", "b"]
    assert voters(first) == ["a"]
    assert len(first.client().members()) == 1

    join(first, second)
    join(first, third)

    assert voters(third) == ["a", "b", "c"]
    first.power_off()
    assert lab.control(third, "get", "marker", "--print-value-only") == "here"
    assert not member_list(second).ensure(NewMember("c", (third.peer_url,))).changed


def test_a_member_is_spared_if_all_others_are_healthy(lab: Laboratory) -> None:
    first, second, third = lab.form(3)

    def asked(stopping: str) -> list[str]:
        return unhealthy(first.local(), stopping, str(first.root))

    assert (asked("a"), asked("b")) == ([], [])
    third.power_off()
    (told,) = asked("a")
    assert f"etcd cluster main: member c ({third.peer_url}): no etcd member answers" in told
    assert "Connection refused" in told
    # The one that is stopped need not be healthy: changing its host may be what mends it.
    assert asked("c") == []
    second.power_off()
    (told,) = asked("c")
    assert "etcd cluster main: " in told


def test_a_learner_cannot_stand_in_for_another_member(lab: Laboratory) -> None:
    (first,) = lab.form(1)
    assert unhealthy(first.local(), "a", str(first.root)) == []
    late = lab.machine()
    added = member_list(first).ensure(NewMember("b", (late.peer_url,), fresh=True))
    (told,) = unhealthy(first.local(), "a", str(first.root))
    assert "member (without a name)" in told
    assert "it has not started yet" in told
    late.write_manifest(added.initial_cluster(), "existing")
    eventually(lambda: any(each.client_urls for each in first.client().members() if each.learner))
    (told,) = unhealthy(first.local(), "a", str(first.root))
    assert "member b" in told
    assert "it has no vote yet" in told
    get_vote(late)
    assert unhealthy(first.local(), "a", str(first.root)) == []


def test_a_host_that_never_starts_harms_nobody(lab: Laboratory) -> None:
    """A voting member would: a cluster of one that waits for its second one has no majority."""
    (first,) = lab.form(1)
    lost, other = lab.machine(), lab.machine()
    added = member_list(first).ensure(NewMember("b", (lost.peer_url,), fresh=True))
    assert added.initial_cluster() == f"a={first.peer_url},b={lost.peer_url}"
    assert first.client().catch_up() > 0
    assert not member_list(first).ensure(NewMember("b", (lost.peer_url,), fresh=True)).changed
    with pytest.raises(KopsError, match="one member at a time, and the member that has not started"):
        member_list(first).ensure(NewMember("c", (other.peer_url,)))
    lost.write_manifest(added.initial_cluster(), "existing")
    lost.power_off()
    joining = Joining(str(lost.root))
    joining.advance()
    assert joining.waiting == {"main": "it has not started yet"}
    (told,) = joining.give_up()
    assert "member b of etcd cluster main is not a voter after 300 s: it has not started yet" in told
    assert joining.waiting == {}

    assert member_list(first).remove("", [lost.peer_url]).changed
    join(first, other)
    assert voters(first) == ["a", "c"]


def test_a_member_whose_host_has_failed_makes_room(lab: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(etcd_unstarted, "_NOBODY_COMES", 1.5)
    (first,) = lab.form(1)
    lost, other = lab.machine(), lab.machine()
    added = member_list(first).ensure(NewMember("b", (lost.peer_url,), fresh=True))
    newcomer = NewMember("c", (other.peer_url,), fresh=True)
    with pytest.raises(KopsError, match=r"the member that has not started \(https.*\) is still a learner after 3 s"):
        member_list(first).ensure(newcomer, wait=3, awaited=[lost.peer_url, other.peer_url])
    joined = member_list(first).ensure(newcomer, wait=30, awaited=[other.peer_url])
    assert joined.initial_cluster() == f"a={first.peer_url},c={other.peer_url}"
    other.write_manifest(joined.initial_cluster(), "existing")
    get_vote(other)

    # The host comes after all, with what it was told before: it does not get in, and can be told anew.
    lost.write_manifest(added.initial_cluster(), "existing")
    eventually(lambda: "ember" in (lost.root / "log").read_text())
    (seen,) = observe_members(str(lost.root))
    assert (seen["manifest"], seen["data"]) == (True, False)
    join(first, lost)
    assert voters(first) == ["a", "b", "c"]


def test_a_member_that_has_not_started_is_forgotten(lab: Laboratory) -> None:
    """What a run does for a host that fails; one whose etcd runs already keeps its member."""
    (first,) = lab.form(1)
    host = lab.machine()
    assert member_list(first).ensure(NewMember("b", (host.peer_url,), fresh=True)).changed
    assert member_list(first).remove("", [host.peer_url], unstarted=True).changed
    assert not member_list(first).remove("", [host.peer_url], unstarted=True).changed

    # In the same second it would get the number of the one that is gone.
    added = eventually(lambda: member_list(first).ensure(NewMember("b", (host.peer_url,), fresh=True)))
    host.write_manifest(added.initial_cluster(), "existing")
    eventually(lambda: any(member.name == "b" for member in first.client().members()))
    assert not member_list(first).remove("", [host.peer_url], unstarted=True).changed
    get_vote(host)


def test_a_dead_member_is_replaced_by_a_fresh_host(lab: Laboratory) -> None:
    first, second, third = lab.form(3)
    lab.control(first, "put", "marker", "here")
    with pytest.raises(KopsError, match="a .* is alive, so it cannot be replaced"):
        member_list(second).ensure(NewMember("a", ("https://127.0.0.9:2380",)))
    with pytest.raises(KopsError, match="b .* has the address of the new member z"):
        member_list(first).ensure(NewMember("z", (second.peer_url,)))
    third.lose_everything()
    assert observe_members(str(third.root)) == []

    predicted = member_list(first).ensure(NewMember("c", (third.peer_url,), fresh=True), check=True)
    assert predicted.changed
    before = {member.name: member.id for member in first.client().members()}
    join(first, third)

    after = {member.name: member.id for member in first.client().members()}
    assert after.keys() == before.keys()
    assert after["c"] != before["c"]
    assert lab.control(third, "get", "marker", "--print-value-only") == "here"
    (seen,) = observe_members(str(third.root))
    assert (seen["data"], seen["initial_state"], seen["member"]) == (True, "existing", "c")


def test_a_replacement_at_another_address_goes_on_where_it_was_killed(lab: Laboratory) -> None:
    first, second, dead = lab.form(3)
    dead.power_off()
    fresh = lab.machine()
    newcomer = NewMember("c", (fresh.peer_url,), fresh=True)
    eventually(lambda: member_list(first).remove("c").changed)  # as far as the killed one got
    added = member_list(first).ensure(newcomer)
    assert [member.name for member in added.after] == ["a", "b", "c"]
    assert not member_list(second).ensure(newcomer).changed


def test_a_majority_is_never_given_away(lab: Laboratory) -> None:
    first, second, third = lab.form(3)
    third.power_off()
    for going in ("b", "a"):
        with pytest.raises(KopsError, match=r"2 of 2 members must be available, but 1 are; start these first: c"):
            member_list(first).remove(going)
    assert voters(first) == ["a", "b", "c"]
    assert member_list(first).remove("c").changed
    assert not member_list(first).remove("c").changed
    assert member_list(first).remove("b", check=True).changed
    assert member_list(first).remove("b").changed
    with pytest.raises(KopsError, match="is the only voter; restore a backup instead"):
        eventually(lambda: member_list(first).remove("a"))
    assert second.member == "b"


def test_nobody_answers(lab: Laboratory) -> None:
    first, second, third = lab.form(3)
    second.power_off()
    third.power_off()
    with pytest.raises(EtcdError, match="no etcd member answers") as told:
        member_list(first).members()
    for machine in (first, second, third):
        assert machine.endpoint in str(told.value)


def test_a_member_that_was_removed_is_told(lab: Laboratory) -> None:
    first, second, _third = lab.form(3)
    second.write_manifest(first.local().initial_cluster, "existing")
    eventually(lambda: second.client(only_local=True).status().leader)
    get_vote(second)
    member_list(first).remove("b")
    with pytest.raises(KopsError, match=r"etcd cluster main has no member b \(https.*\); it has a, c"):
        Joining(str(second.root)).advance()


def test_a_stranger_does_not_get_in(lab: Laboratory) -> None:
    (first,) = lab.form(1)
    issued = pki.issue(pki.CertificateRequest("clientServer", pki.Subject("stranger")), pki.issue(STRANGERS))
    directory = first.path("/etc/kubernetes/pki/etcd-main")
    (directory / "server.crt").write_text(issued.certificate)
    (directory / "server.key").write_text(issued.private_key)
    with pytest.raises(EtcdError, match="no etcd member answers"):
        first.client().members()


def test_threads_that_add_at_once_add_one_member(lab: Laboratory) -> None:
    first, second, _third = lab.form(3)
    fresh = lab.machine()
    errors: list[Exception] = []

    def add(machine: Machine) -> None:
        try:
            member_list(machine).ensure(NewMember("d", (fresh.peer_url,)))
        except KopsError as error:
            errors.append(error)

    threads = [threading.Thread(target=add, args=[machine]) for machine in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(fresh.peer_url in member.peer_urls for member in first.client().members()) == 1
