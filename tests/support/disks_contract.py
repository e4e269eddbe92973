# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract of the disks of etcd's members: what node/cloud/disks.py promises, as functions that each must pass.

A cloud takes part by a Party: a fake of it, with an empty cluster. How instances claim members by it is one algorithm
(node/boot/member_disks.py), and is tested with one cloud.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.disks import ClusterDisks, MemberDisk

ETCDS = ("main", "events")
# The name of an instance that no cloud has.
_UNKNOWN = "i-0fffffffffffffff0"


class Party(Protocol):
    """A cluster in one zone."""

    def member(self, name: str) -> list[str]:
        """Make the disks of a member; gives their ids in the order of ETCDS."""

    def disks(self) -> ClusterDisks:
        """Start an instance; gives the disks as it sees them."""

    def foreign_member(self, name: str) -> None:
        """Make the disks of a member of another cluster."""

    def end(self, instance: str) -> None:
        """Terminate an instance."""


def by_id(disks: ClusterDisks) -> dict[str, MemberDisk]:
    """All disks, as an instance sees them now."""
    return {each.id: each for each in disks.all()}


def disks_say_whose_they_are(party: Party) -> None:
    ids = party.member("a")
    party.foreign_member("a")
    disks = party.disks()
    found = by_id(disks)
    assert list(found) == sorted(ids)
    for etcd, name in zip(ETCDS, ids):
        disk = found[name]
        assert (disk.etcd, disk.member, disk.zone, disk.holder) == (etcd, "a", disks.zone, "")
        assert "a" in disk.members
        assert not disk.is_attached


def an_attached_disk_has_a_holder_and_a_path(party: Party) -> None:
    (name, _events) = party.member("a")
    disks = party.disks()
    assert disks.attach(by_id(disks)[name])
    disk = by_id(disks)[name]
    assert (disk.holder, disk.is_attached) == (disks.instance, True)
    assert all(path.startswith("/dev/") for path in disks.paths(disk))


def one_instance_gets_a_disk(party: Party) -> None:
    (name, _events) = party.member("a")
    everybody = [party.disks() for _each in range(3)]
    disk = by_id(everybody[0])[name]
    with ThreadPoolExecutor(len(everybody)) as pool:
        attached = list(pool.map(lambda disks: disks.attach(disk), everybody))
    assert sorted(attached) == [False, False, True]
    holder = everybody[attached.index(True)].instance
    assert all(by_id(disks)[name].holder == holder for disks in everybody)


def holders_say_whether_they_let_go(party: Party) -> None:
    first, second = party.disks(), party.disks()
    found = first.holders([first.instance, second.instance, _UNKNOWN])
    assert set(found) == {first.instance, second.instance, _UNKNOWN}
    for name in (first.instance, second.instance):
        assert found[name].address
        assert not found[name].lets_go
    assert found[_UNKNOWN].lets_go
    party.end(second.instance)
    assert first.holders([second.instance])[second.instance].lets_go
    assert first.holders([]) == {}


CHECKS = (
    disks_say_whose_they_are,
    an_attached_disk_has_a_holder_and_a_path,
    one_instance_gets_a_disk,
    holders_say_whether_they_let_go,
)
