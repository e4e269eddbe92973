# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks of kops' etcd-manager are taken over with their data, with a real etcd; and handed back."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.tests.support.etcd import eventually
from ansible_collections.kubeops.kops.tests.support.etcd_in_cloud import (
    CONTROL,
    Instance,
    Site,
    remembered,
    site,
    what_is_on,
)

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("etcd")]
TOKEN, MEMBERS = "T0ken-of_Etcd-ManagerXY", ("a", "b", "c")
FORMED = json.dumps({"timestamp": 1760000000000000000}).encode()


@pytest.fixture
def kops(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A cluster that kops made: three members of etcd-manager with a key."""
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "2048")
    with site(tmp_path, MEMBERS) as made:
        made.files[f"{CONTROL}/etcd-cluster-created"] = FORMED
        for member in MEMBERS:
            made.start(member)
        for each in made.holders.values():
            each.run_as_etcd_manager(TOKEN, MEMBERS, new=True)
        for each in made.holders.values():
            eventually(each.leader)
        made.holders["a"].control("put", "marker", "of kops")
        yield made


def take_over(made: Site, member: str) -> Instance:
    """Replace the instance of a member by one of ours, at another address."""
    fresh = made.start(member)
    facts = fresh.boot()
    assert facts["ETCD_MAIN_INITIAL_STATE"] == "existing"
    eventually(fresh.leader)
    await_value(fresh, "marker", "of kops")
    fresh.end_boot(facts)
    return fresh


def put(instance: Instance, key: str) -> None:
    eventually(lambda: instance.control("put", key, "written"))


def await_value(instance: Instance, key: str, value: str) -> None:
    eventually(lambda: instance.control("get", key, "--print-value-only") == value)


def identities(made: Site) -> dict[str, tuple[str, tuple[str, ...]]]:
    members = eventually(next(iter(made.holders.values())).client().members)
    return {each.name: (each.id, each.peer_urls) for each in members}


def test_one_after_the_other_beside_members_of_etcd_manager(kops: Site) -> None:
    before = identities(kops)
    assert set(before) == {"etcd-a", "etcd-b", "etcd-c"}
    for member in MEMBERS:
        kops.terminate(member)
        kops.tell_names()
        put(next(iter(kops.holders.values())), f"while-{member}-is-away")
        put(take_over(kops, member), f"by-{member}")
    assert identities(kops) == before
    keys = kops.holders["c"].control("get", "", "--prefix", "--keys-only").split()
    assert keys == sorted(["marker", *(f"by-{name}" for name in MEMBERS), *(f"while-{n}-is-away" for n in MEMBERS)])
    # What etcd-manager wrote is as it was.
    assert kops.files[f"{CONTROL}/etcd-cluster-created"] == FORMED
    assert remembered(kops, "kubeops-member-b")["initialCluster"] == kops.everybody(MEMBERS)


def test_all_at_once_and_a_second_boot_changes_nothing(kops: Site) -> None:
    before = identities(kops)
    states = {member: what_is_on(kops.volumes[member])["state"] for member in MEMBERS}
    for member in MEMBERS:
        kops.terminate(member)
    instances = [kops.start(member) for member in reversed(MEMBERS)]
    booted = [each.boot() for each in instances]
    for each, facts in zip(instances, booted):
        eventually(each.leader)
        each.end_boot(facts)
    assert identities(kops) == before
    assert instances[0].control("get", "marker", "--print-value-only") == "of kops"
    files, disks = dict(kops.files), {member: what_is_on(kops.volumes[member]) for member in MEMBERS}
    assert {member: disk["state"] for member, disk in disks.items()} == states
    for each, facts in zip(instances, booted):
        assert disks[each.member]["data/member"] == f"-> {TOKEN}/member"
        each.host.forget_calls()
        assert each.boot() == facts
        each.end_boot(facts)
        assert not any("mkfs" in call for call in each.host.calls)
    assert (kops.files, {member: what_is_on(kops.volumes[member]) for member in MEMBERS}) == (files, disks)


def test_etcd_manager_goes_on_with_what_was_written_since(kops: Site) -> None:
    """The way back: nothing that etcd-manager looks at has changed."""
    before = identities(kops)
    for member in MEMBERS:
        kops.terminate(member)
        take_over(kops, member)
    put(kops.holders["b"], "since")
    for member in MEMBERS:
        kops.terminate(member)
        back = kops.start(member)
        back.run_as_etcd_manager(TOKEN, MEMBERS)
        eventually(back.leader)
        await_value(back, "since", "written")
    assert identities(kops) == before
    # And forth again.
    kops.terminate("a")
    await_value(take_over(kops, "a"), "since", "written")
