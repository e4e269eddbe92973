# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances that take the disks of etcd's members, in a project where a disk is attached once."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import member_disks
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.member_disks import EtcdDisk, MemberDisks
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.disks import Holder
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce import api
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.api import Google
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.disks import LabelledDisks
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support import disks_contract as contract
from ansible_collections.kubeops.kops.tests.support.google_metadata import CLUSTER, ZONE, MetadataServer

from . import fake_google
from .fake_google import FakeGoogle

GROUP = "control-plane-us-test1-a"
ETCDS = ("main", "events")


class Region:
    """A cluster's disks and instances. root: of the devices that all of its instances see."""

    def __init__(self, cloud: FakeGoogle, server: type[MetadataServer], root: pathlib.Path) -> None:
        self.cloud, self.server, self.root = cloud, server, root
        (root / "dev/disk/by-id").mkdir(parents=True)
        self._count = 0

    def member(self, member: str, zone: str = ZONE, cluster: str = CLUSTER) -> list[str]:
        """Names of the disks of a member."""
        return [self.disk(member, etcd, zone, cluster) for etcd in ETCDS]

    def disk(self, member: str, etcd: str = "main", zone: str = ZONE, cluster: str = CLUSTER) -> str:
        name = f"{member}-etcd-{etcd}-{cluster.replace('.', '-')}-{zone[-1]}"
        (self.root / "dev/disk/by-id" / f"google-{name}").touch()
        labels = {f"k8s_io_etcd_{etcd}": f"{member}-2f{member}", "k8s_io_role_master": "master"}
        return self.cloud.disk(name, zone, cluster, **labels)

    def instance(self, zone: str = ZONE) -> Instance:
        self._count += 1
        name = f"control-plane-{zone[-1]}-00{self._count:02}"
        self.cloud.instance(name, zone)
        self.server.paths.update({"instance/name": name, "instance/zone": f"projects/1/zones/{zone}"})
        return Instance(LabelledDisks(Google(Metadata()), CLUSTER), str(self.root))

    def holder(self, disk: str, zone: str = ZONE) -> str:
        users = self.cloud.objects[f"zones/{zone}/disks/{disk}"]["users"]
        return users[0].rpartition("/")[2] if users else ""


class Instance:
    """An instance that takes disks by the algorithm of all clouds."""

    def __init__(self, disks: LabelledDisks, root: str) -> None:
        self.disks, self.name = disks, disks.instance
        self._algorithm = MemberDisks(self, root)

    def cluster_disks(self, cluster: str) -> LabelledDisks:
        assert cluster == CLUSTER
        return self.disks

    def claim(self, group: str = GROUP, etcds: Sequence[str] = ETCDS, *, check: bool = False) -> dict[str, EtcdDisk]:
        return self._algorithm.etcd_disks(CLUSTER, group, etcds, check=check)

    def addresses(self) -> dict[tuple[str, str], str]:
        return self._algorithm.etcd_addresses(CLUSTER)


@pytest.fixture()
def region(
    cloud: FakeGoogle, server: type[MetadataServer], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> Region:
    monkeypatch.setattr(api, "_POLL", 0)
    monkeypatch.setattr(member_disks, "_POLL", 0.01)
    return Region(cloud, server, tmp_path)


class Party:
    """A cluster of Google Cloud, for the contract of disks."""

    def __init__(self, region: Region) -> None:
        self.region = region

    def member(self, name: str) -> list[str]:
        return self.region.member(name)

    def disks(self) -> LabelledDisks:
        return self.region.instance().disks

    def foreign_member(self, name: str) -> None:
        self.region.member(name, cluster="other.example.com")

    def end(self, instance: str) -> None:
        self.region.cloud.objects[f"zones/{ZONE}/instances/{instance}"]["status"] = "STOPPING"


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda each: str(each.__name__))
def test_it_keeps_the_contract(region: Region, check: Callable[[contract.Party], None]) -> None:
    check(Party(region))


def test_a_member_is_taken_with_all_its_disks(region: Region) -> None:
    main, events = region.member("a")
    instance = region.instance()
    found = instance.claim()
    assert found["main"] == EtcdDisk(main, f"/dev/disk/by-id/google-{main}", "a", ("a",))
    assert found["events"].device == f"/dev/disk/by-id/google-{events}"
    assert region.holder(main) == region.holder(events) == instance.name
    before = len(region.cloud.asked)
    assert instance.claim() == found
    assert not [each for each in region.cloud.asked[before:] if each.startswith("POST")]


def test_the_members_of_an_etcd_cluster_are_those_that_have_disks(region: Region) -> None:
    """The label of a disk names its own member only, as kops writes it."""
    for member, zone in (("a", "us-test1-a"), ("b", "us-test1-b"), ("c", "us-test1-c")):
        region.member(member, zone)
    region.member("d", "us-test1-d", "other.example.com")
    assert region.instance().claim()["main"].members == ("a", "b", "c")


def test_names_of_members_are_read_from_labels(region: Region) -> None:
    """Signs that labels cannot have are written as numbers."""
    region.cloud.disk("one", k8s_io_etcd_main="us-2dtest1-2da-2fus-2dtest1-2da")
    region.cloud.disk("two", k8s_io_etcd_main="-2f", k8s_io_etcd_events="1-2f1")
    region.cloud.disk("three", k8s_io_role_master="master")
    found = region.instance().disks.all()
    assert {(each.id, each.etcd, each.member) for each in found} == {
        ("one", "main", "us-test1-a"),
        ("two", "events", "1"),
    }


def test_disks_of_other_zones_and_other_clusters_are_not_taken(region: Region) -> None:
    elsewhere = region.member("b", "us-test1-b")
    foreign = region.member("a", cluster="other.example.com")
    with pytest.raises(KopsError, match=f"zone {ZONE} has no member with a volume of each .* it has none. Run upd"):
        region.instance().claim()
    assert not any(region.holder(disk, "us-test1-b") for disk in elsewhere)
    assert not any(map(region.holder, foreign))


def test_their_own_labels_decide_where_a_filter_is_passed_over(region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = region.member("a", cluster="other.example.com")
    monkeypatch.setattr(fake_google, "matches", lambda *_request: True)
    with pytest.raises(KopsError, match="it has none"):
        region.instance().claim()
    assert not any(map(region.holder, foreign))


def test_one_of_several_instances_gets_a_member(region: Region) -> None:
    region.member("a")
    instances = [region.instance() for _each in range(4)]

    def take(instance: Instance) -> str:
        try:
            instance.claim()
        except KopsError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(4) as threads:
        refused = [said for said in threads.map(take, instances) if said]
    assert len(refused) == 3
    assert all("which is running. Terminate the instance" in said for said in refused)
    holders = {region.holder(f"a-etcd-{etcd}-demo-example-com-a") for etcd in ETCDS}
    assert len(holders) == 1


def test_a_disk_that_another_instance_has_just_taken_is_no_error(region: Region) -> None:
    main = region.disk("a")
    first, second = region.instance(), region.instance()
    (disk,) = second.disks.all()
    assert first.disks.attach(disk)
    assert not second.disks.attach(disk)
    region.cloud.objects[f"zones/{ZONE}/disks/{main}"].update({"users": [], "status": "CREATING"})
    assert not second.disks.attach(disk)
    region.cloud.objects[f"zones/{ZONE}/disks/{main}"]["status"] = "READY"
    region.cloud.late = {"code": "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", "message": "in use"}
    assert not second.disks.attach(disk)
    region.cloud.late = {"code": "QUOTA_EXCEEDED", "message": "too many"}
    with pytest.raises(ServiceError, match="QUOTA_EXCEEDED too many"):
        second.disks.attach(disk)


def test_a_lost_answer_is_no_lost_race(region: Region) -> None:
    region.member("a")
    instance = region.instance()
    region.cloud.lost = ["attachDisk"] * 2
    instance.claim()
    assert len(region.cloud.objects[f"zones/{ZONE}/instances/{instance.name}"]["disks"]) == 3


def test_the_kernels_name_is_that_by_which_a_disk_was_attached(region: Region) -> None:
    """kops' etcd-manager has other names, and its disks stay attached."""
    main = region.disk("a")
    instance = region.instance()
    (disk,) = instance.disks.all()
    instance.disks.attach(disk)
    region.cloud.objects[f"zones/{ZONE}/instances/{instance.name}"]["disks"][-1]["deviceName"] = "master-a"
    (region.root / f"dev/disk/by-id/google-{main}").unlink()
    (region.root / "dev/disk/by-id/google-master-a").touch()
    assert instance.claim(etcds=["main"])["main"].device == "/dev/disk/by-id/google-master-a"


@pytest.mark.parametrize(
    ("status", "holder"),
    [
        ("RUNNING", Holder("running", lets_go=False, address="10.0.0.99")),
        ("STOPPING", Holder("stopping", lets_go=True, address="10.0.0.99")),
        # A stopped instance keeps its disks.
        ("TERMINATED", Holder("terminated", lets_go=False, address="10.0.0.99")),
        ("SUSPENDED", Holder("suspended", lets_go=False, address="10.0.0.99")),
        ("", Holder("gone", lets_go=True)),
    ],
)
def test_whoever_has_a_disk(region: Region, status: str, holder: Holder) -> None:
    instance = region.instance()
    if status:
        region.cloud.instance("control-plane-x-0000", status=status, networkInterfaces=[{"networkIP": "10.0.0.99"}])
    assert instance.disks.holders(["control-plane-x-0000"]) == {"control-plane-x-0000": holder}


def test_a_replacement_waits_for_the_end_of_the_one_before_it(region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    main, events = region.member("a")
    first, second = region.instance(), region.instance()
    first.claim()
    region.cloud.objects[f"zones/{ZONE}/instances/{first.name}"]["status"] = "STOPPING"
    known, left = LabelledDisks.holders, iter(range(2))

    def until_it_is_gone(self: LabelledDisks, instances: Sequence[str]) -> dict[str, Holder]:
        found = known(self, instances)
        if next(left, None) is None and f"zones/{ZONE}/instances/{first.name}" in region.cloud.objects:
            region.cloud.delete_instance(first.name)
        return found

    monkeypatch.setattr(LabelledDisks, "holders", until_it_is_gone)
    assert second.claim()["main"].volume == main
    assert region.holder(events) == second.name


def test_check_mode_attaches_nothing(region: Region) -> None:
    main, events = region.member("a")
    with pytest.raises(KopsError, match=f"this instance would attach volume {main} .*volume {events}"):
        region.instance().claim(check=True)
    assert not region.holder(main)
    assert not [each for each in region.cloud.asked if each.startswith("POST")]


def test_members_are_where_their_disks_are(region: Region) -> None:
    region.member("a")
    region.member("b", "us-test1-b")
    first = region.instance()
    assert first.addresses() == {}
    first.claim()
    second = region.instance("us-test1-b")
    second.claim("control-plane-us-test1-b")
    objects = region.cloud.objects
    of_first = objects[f"zones/{ZONE}/instances/{first.name}"]["networkInterfaces"][0]["networkIP"]
    of_second = objects[f"zones/us-test1-b/instances/{second.name}"]["networkInterfaces"][0]["networkIP"]
    found = {(etcd, "a"): of_first for etcd in ETCDS} | {(etcd, "b"): of_second for etcd in ETCDS}
    assert first.addresses() == second.addresses() == found
