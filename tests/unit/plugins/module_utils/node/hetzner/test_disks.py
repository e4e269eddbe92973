# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes of etcd's members, as one server sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.disks import Holder, MemberDisk
from ansible_collections.kubeops.kops.plugins.module_utils.node.hetzner.disks import MemberVolumes
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support import disks_contract as contract

from .fake_hetzner import CLUSTER, OTHER, FakeHetzner


class Party:
    """A cluster at Hetzner, for the contract of disks."""

    def __init__(self) -> None:
        self.hetzner = FakeHetzner()

    def member(self, name: str, cluster: str = CLUSTER) -> list[str]:
        made = (self.hetzner.volume(f"{name}.etcd-{etcd}.{cluster}", etcd, cluster) for etcd in contract.ETCDS)
        return [str(each["id"]) for each in made]

    def disks(self) -> MemberVolumes:
        server = self.hetzner.server("control-plane-000000", "ControlPlane")
        return MemberVolumes(self.hetzner, CLUSTER, str(server["id"]), "fsn1")

    def foreign_member(self, name: str) -> None:
        self.member(name, OTHER)

    def end(self, instance: str) -> None:
        self.hetzner.objects["servers"][int(instance)]["status"] = "deleting"


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda each: str(each.__name__))
def test_it_keeps_the_contract(check: Callable[[contract.Party], None]) -> None:
    check(Party())


def test_the_members_of_an_etcd_are_those_that_have_a_volume() -> None:
    party = Party()
    for name in ("etcd-2", "etcd-1", "etcd-3"):
        party.member(name)
    found = party.disks().all()
    assert {each.members for each in found} == {("etcd-1", "etcd-2", "etcd-3")}
    assert [(each.etcd, each.member) for each in found][:2] == [("main", "etcd-2"), ("events", "etcd-2")]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "by-hand"},
        {"name": f"a.etcd-main.more.{CLUSTER}"},
        {"name": f"a.etcd-events.{CLUSTER}"},
        {"labels": {"kops.k8s.io/cluster": CLUSTER}},
    ],
)
def test_other_volumes_are_no_members(change: dict[str, Any]) -> None:
    party = Party()
    party.hetzner.volume(**{"name": f"a.etcd-main.{CLUSTER}", **change})
    assert party.disks().all() == []


def test_a_volume_that_is_being_made_is_not_attached_yet() -> None:
    party = Party()
    volume = party.hetzner.volume(f"a.etcd-main.{CLUSTER}", status="creating")
    disks = party.disks()
    volume["server"] = int(disks.instance)
    device = f"/dev/disk/by-id/scsi-0HC_Volume_{volume['id']}"
    wanted = MemberDisk(str(volume["id"]), "fsn1", "main", "a", ("a",), disks.instance, device, is_attached=False)
    assert disks.all() == [wanted]
    assert disks.paths(wanted) == (device,)


@pytest.mark.parametrize(
    ("error", "is_later"),
    [
        (ServiceError("Hetzner", 423, "locked"), True),
        (ServiceError("Hetzner", 409, "conflict"), True),
        (ServiceError("Hetzner", 422, "volume_already_attached"), True),
        (ServiceError("Hetzner", 403, "forbidden"), False),
        (ServiceError("Hetzner", 422, "invalid_input"), False),
    ],
)
def test_what_is_at_work_is_attached_later(error: ServiceError, is_later: bool) -> None:
    party = Party()
    party.member("a")
    disks = party.disks()
    (disk, _events) = disks.all()
    party.hetzner.fails = error
    if is_later:
        assert not disks.attach(disk)
    else:
        with pytest.raises(ServiceError):
            disks.attach(disk)


def test_who_has_it() -> None:
    party = Party()
    disks, off = party.disks(), party.hetzner.server("control-plane-000001", "ControlPlane", status="off")
    # A server that is off starts again with its volumes.
    assert disks.holders([str(off["id"]), "../1"]) == {
        str(off["id"]): Holder("off", lets_go=False, address="10.0.0.2"),
        "../1": Holder("gone", lets_go=True),
    }
