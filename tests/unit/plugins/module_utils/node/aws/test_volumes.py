# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances that take the volumes of etcd's members, in an account that attaches a volume once."""

from __future__ import annotations

import contextlib
import itertools
import pathlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import api
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.api import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.volumes import MemberVolumes
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import member_disks
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.member_disks import EtcdDisk, MemberDisks
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.disks import Holder
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import xml_service
from ansible_collections.kubeops.kops.tests.support import disks_contract as contract
from ansible_collections.kubeops.kops.tests.support import metadata_service
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

from .conftest import take_role, without_filters

ZONE = "us-east-1a"
GROUP = "control-plane-us-east-1a"
ETCDS = ("main", "events")
_NUMBERS = itertools.count()


class Instance:
    """An instance that takes disks by the algorithm of all clouds. root: of its devices."""

    def __init__(self, volumes: MemberVolumes, root: str) -> None:
        self.volumes, self.instance, self.aws = volumes, volumes.instance, volumes.aws
        self._cluster, self._disks = volumes.cluster, MemberDisks(self, root)

    def cluster_disks(self, cluster: str) -> MemberVolumes:
        assert cluster == self._cluster
        return self.volumes

    def claim(self, group: str, etcds: Sequence[str], *, check: bool = False) -> dict[str, EtcdDisk]:
        return self._disks.etcd_disks(self._cluster, group, etcds, check=check)

    def addresses(self) -> dict[tuple[str, str], str]:
        return self._disks.etcd_addresses(self._cluster)


class Region:
    """A cluster's volumes and instances. root: of the devices that all of its instances see."""

    def __init__(
        self, server: AWSServer, root: pathlib.Path, stack: contextlib.ExitStack, role: str = "masters"
    ) -> None:
        self.role = role
        self.ec2, self.server, self.root, self._stack = server.client("ec2"), server, root, stack
        self.cluster = f"c{next(_NUMBERS)}.example.com"
        (root / "dev/disk/by-id").mkdir(parents=True)

    def volume(self, member: str, etcd: str = "main", *, zone: str = ZONE, members: str = "a,b,c") -> str:
        tags = {"KubernetesCluster": self.cluster, f"k8s.io/etcd/{etcd}": f"{member}/{members}"}
        made = self.ec2.create_volume(
            AvailabilityZone=zone,
            Size=20,
            TagSpecifications=[
                {"ResourceType": "volume", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
            ],
        )["VolumeId"]
        (self.root / device(made).lstrip("/")).touch()
        return str(made)

    def member(self, name: str, **options: Any) -> list[str]:
        return [self.volume(name, etcd, **options) for etcd in ETCDS]

    def instance(self, zone: str = ZONE) -> Instance:
        started = self.ec2.run_instances(
            ImageId="ami-12345678", MinCount=1, MaxCount=1, Placement={"AvailabilityZone": zone}
        )["Instances"][0]["InstanceId"]
        paths = metadata_service.paths_of_an_instance(started, zone=zone)
        url, handler = self._stack.enter_context(metadata_service.running(paths))
        if self.role:
            take_role(self.server, handler, self.role)
        else:
            # An account that checks nothing.
            unchecked = {"AccessKeyId": "any", "SecretAccessKey": "any", "SessionToken": "any"}
            handler.paths.update(metadata_service.paths_of_credentials("masters", unchecked))
        return Instance(MemberVolumes(AWS(Metadata(url)), self.cluster), str(self.root))

    def holder(self, volume: str) -> str:
        attachments = self.ec2.describe_volumes(VolumeIds=[volume])["Volumes"][0]["Attachments"]
        return attachments[0]["InstanceId"] if attachments else ""


def device(volume: str) -> str:
    return f"/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_{volume.replace('-', '')}"


@pytest.fixture()
def region(
    server: AWSServer, service: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Region]:
    monkeypatch.setattr(xml_service, "_PAUSE", 0.01)
    monkeypatch.setattr(member_disks, "_POLL", 0.02)
    monkeypatch.setenv("no_proxy", "*")
    with contextlib.ExitStack() as stack:
        yield Region(server, tmp_path, stack)


class Party:
    """A cluster of AWS, for the contract of disks."""

    def __init__(self, region: Region) -> None:
        self.region = region

    def member(self, name: str) -> list[str]:
        return self.region.member(name)

    def disks(self) -> MemberVolumes:
        return self.region.instance().volumes

    def foreign_member(self, name: str) -> None:
        own, self.region.cluster = self.region.cluster, "other.example.com"
        self.region.member(name)
        self.region.cluster = own

    def end(self, instance: str) -> None:
        self.region.ec2.terminate_instances(InstanceIds=[instance])


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda each: str(each.__name__))
def test_it_keeps_the_contract(region: Region, check: Callable[[contract.Party], None]) -> None:
    check(Party(region))


def at_once(*actions: Callable[[], Any]) -> list[Any]:
    """What they return, or raise, when they begin at the same moment."""
    gate = threading.Barrier(len(actions))
    results: list[Any] = [None] * len(actions)

    def act(number: int) -> None:
        gate.wait()
        try:
            results[number] = actions[number]()
        except KopsError as error:
            results[number] = error

    threads = [threading.Thread(target=act, args=(number,)) for number in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_an_instance_takes_both_volumes_of_a_member_and_keeps_them(region: Region) -> None:
    main, events = region.member("a")
    instance = region.instance()
    disks = instance.claim(GROUP, ETCDS)
    assert disks == {
        "main": EtcdDisk(main, device(main), "a", ("a", "b", "c")),
        "events": EtcdDisk(events, device(events), "a", ("a", "b", "c")),
    }
    assert {region.holder(main), region.holder(events)} == {instance.instance}
    with region.server.recorded() as calls:
        assert instance.claim(GROUP, ETCDS) == disks
    assert calls["ec2.AttachVolume"] == 0


def test_three_that_start_at_the_same_moment_are_three_members(region: Region) -> None:
    made = {name: region.member(name, members="1,2,3") for name in "123"}
    instances = [region.instance() for _each in made]
    found = at_once(*(lambda each=each: each.claim("control-plane", ETCDS) for each in instances))
    assert sorted(disks["main"].member for disks in found) == ["1", "2", "3"]
    for instance, disks in zip(instances, found):
        name = disks["main"].member
        assert [disks[etcd].volume for etcd in ETCDS] == made[name]
        assert [region.holder(volume) for volume in made[name]] == [instance.instance] * 2


def test_of_two_for_one_member_one_gets_it_and_the_other_is_told_who_has_it(region: Region) -> None:
    main, _events = region.member("a")
    instances = [region.instance(), region.instance()]
    found = at_once(*(lambda each=each: each.claim(GROUP, ETCDS) for each in instances))
    (winner,) = [each for each, result in zip(instances, found) if isinstance(result, dict)]
    (refused,) = [result for result in found if isinstance(result, KopsError)]
    assert region.holder(main) == winner.instance
    said = f"volume {main} (member a of etcd cluster main) is attached to {winner.instance}, which is running"
    assert said in str(refused)
    assert "Terminate the instance that this one replaces" in str(refused)


def test_the_group_says_which_member_its_instance_is(region: Region) -> None:
    region.member("a")
    second = region.member("b")
    assert region.instance().claim("control-plane-us-east-1b", ETCDS)["main"].volume == second[0]


def test_volumes_of_other_zones_and_other_clusters_are_not_taken(region: Region) -> None:
    elsewhere = region.member("b", zone="us-east-1b")
    instance = region.instance()
    with pytest.raises(KopsError, match="zone us-east-1a has no member with a volume of each .* it has none. Run upd"):
        instance.claim(GROUP, ETCDS)
    own, region.cluster = region.cluster, "other.example.com"
    foreign = region.member("a")
    region.cluster = own
    half = region.volume("a")
    with pytest.raises(KopsError, match=rf"it has volume {half} \(member a of etcd cluster main\)"):
        instance.claim(GROUP, ETCDS)
    assert not any(map(region.holder, [*elsewhere, *foreign, half]))


def test_their_own_tags_decide_where_a_server_passes_over_filters(
    region: Region, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, region.cluster = region.cluster, "other.example.com"
    foreign, region.cluster = region.member("a"), own
    instance = region.instance()
    without_filters(instance.aws, monkeypatch)
    with pytest.raises(KopsError, match="zone us-east-1a has no member with a volume of each .* it has none. Run upd"):
        instance.claim(GROUP, ETCDS)
    assert not any(map(region.holder, foreign))


def test_a_replacement_waits_for_the_end_of_the_one_before_it(region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    main, events = region.member("a")
    first, second = region.instance(), region.instance()
    first.claim(GROUP, ETCDS)
    states = iter(["shutting-down", "shutting-down"])
    known = MemberVolumes.holders

    def dying(self: MemberVolumes, instances: Any) -> dict[str, Holder]:
        state = next(states, "")
        if not state:
            for volume in (main, events):
                with contextlib.suppress(Exception):
                    region.ec2.detach_volume(VolumeId=volume, InstanceId=first.instance)
            return dict.fromkeys(instances, Holder("terminated", lets_go=True))
        return {**known(self, instances), first.instance: Holder(state, lets_go=True)}

    monkeypatch.setattr(MemberVolumes, "holders", dying)
    assert second.claim(GROUP, ETCDS)["main"].volume == main
    assert region.holder(events) == second.instance


def test_waiting_for_a_holder_ends_and_says_for_whom(
    region: Region, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    region.member("a")
    first = region.instance()
    first.claim(GROUP, ETCDS)
    monkeypatch.setattr(member_disks, "_HOLDER_SECONDS", 0.1)
    stopping = Holder("stopping", lets_go=True)
    monkeypatch.setattr(MemberVolumes, "holders", lambda _self, names: dict.fromkeys(names, stopping))
    with pytest.raises(KopsError, match=f"no member of etcd has become free: .*{first.instance}, which is stopping"):
        region.instance().claim(GROUP, ETCDS)
    (told,) = [line for line in capsys.readouterr().out.splitlines() if "waiting for volumes of etcd" in line]
    assert f"is attached to {first.instance}, which is stopping" in told


def test_a_stopped_instance_keeps_its_volumes(region: Region) -> None:
    main, _events = region.member("a")
    first = region.instance()
    first.claim(GROUP, ETCDS)
    region.ec2.stop_instances(InstanceIds=[first.instance])
    with pytest.raises(KopsError, match=f"{first.instance}, which is stopped.*a stopped one keeps its volumes"):
        region.instance().claim(GROUP, ETCDS)
    assert region.holder(main) == first.instance


def test_half_of_a_member_is_not_taken(region: Region) -> None:
    _main, events = region.member("a")
    other = region.instance()
    region.ec2.attach_volume(VolumeId=events, InstanceId=other.instance, Device="/dev/xvdu")
    second = region.member("b")
    assert region.instance().claim(GROUP, ETCDS)["main"].volume == second[0]
    with pytest.raises(KopsError, match=f"volume {events} .* is attached to {other.instance}"):
        region.instance().claim(GROUP, ETCDS)


def test_device_names_that_are_in_use_are_passed_over(region: Region) -> None:
    main, events = region.member("a")
    instance = region.instance()
    for name in ("/dev/xvdu", "/dev/xvdw"):
        other = region.ec2.create_volume(AvailabilityZone=ZONE, Size=1)["VolumeId"]
        region.ec2.attach_volume(VolumeId=other, InstanceId=instance.instance, Device=name)
    instance.claim(GROUP, ETCDS)
    found = region.ec2.describe_volumes(VolumeIds=[main, events])["Volumes"]
    assert {volume["Attachments"][0]["Device"] for volume in found} == {"/dev/xvdv", "/dev/xvdx"}
    full = region.instance()
    region.member("b")
    for letter in "uvwxyz":
        other = region.ec2.create_volume(AvailabilityZone=ZONE, Size=1)["VolumeId"]
        region.ec2.attach_volume(VolumeId=other, InstanceId=full.instance, Device=f"/dev/xvd{letter}")
    with pytest.raises(KopsError, match=f"/dev/xvdu to /dev/xvdz of {full.instance} are in use"):
        full.claim(GROUP, ETCDS)


def test_a_disk_by_the_name_that_it_was_attached_under(region: Region) -> None:
    main, _events = region.member("a")
    (region.root / device(main).lstrip("/")).unlink()
    (region.root / "dev/xvdu").touch()
    assert region.instance().claim(GROUP, ["main"])["main"].device == "/dev/xvdu"


def test_a_disk_that_does_not_appear_is_named(region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    main = region.volume("a")
    (region.root / device(main).lstrip("/")).unlink()
    monkeypatch.setattr(member_disks, "_DEVICE_SECONDS", 0.05)
    with pytest.raises(KopsError, match=f"volume {main} .* is attached, but after .* nor /dev/xvdu"):
        region.instance().claim(GROUP, ["main"])


def test_check_mode_attaches_nothing(region: Region) -> None:
    main, events = region.member("a")
    with pytest.raises(KopsError, match=f"this instance would attach volume {main} .*volume {events}"):
        region.instance().claim(GROUP, ETCDS, check=True)
    assert not region.holder(main)


def test_two_volumes_of_one_member_are_refused(region: Region) -> None:
    first, second = sorted([region.volume("a"), region.volume("a")])
    with pytest.raises(KopsError, match=f"volume {first} .* and volume {second} are the same member"):
        region.instance().claim(GROUP, ["main"])


def test_a_member_is_in_one_zone_only(region: Region) -> None:
    """Whoever took the second volume would take the holder of the first one out of the etcd cluster."""
    instance = region.instance()
    mine = region.volume("a")
    instance.claim(GROUP, ["main"])
    other = region.volume("a", zone="us-east-1b")
    newcomer = region.instance("us-east-1b")
    with pytest.raises(KopsError, match=f"volume {other} .* is not the only one of this member: .*{mine} in {ZONE}"):
        newcomer.claim(GROUP, ["main"])
    assert not region.holder(other)
    # Who has its volume stays what it is.
    assert instance.claim(GROUP, ["main"])["main"].volume == mine


def test_volumes_of_different_members_are_not_mixed(region: Region) -> None:
    instance = region.instance()
    for name, device_name in (("a", "/dev/xvdu"), ("b", "/dev/xvdv")):
        main, _events = region.member(name)
        region.ec2.attach_volume(VolumeId=main, InstanceId=instance.instance, Device=device_name)
    with pytest.raises(KopsError, match="this instance holds volumes of different members"):
        instance.claim(GROUP, ETCDS)


def test_a_lost_answer_of_ec2_is_no_lost_race(region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    main, events = region.member("a")
    instance = region.instance()
    known, lost = xml_service.post, []

    def post(url: str, body: bytes, headers: Any) -> bytes:
        answer = known(url, body, headers)
        if b"Action=AttachVolume" in body and body not in lost:
            lost.append(body)
            raise OSError("connection reset")
        return answer

    monkeypatch.setattr(api, "post", post)
    assert {disk.volume for disk in instance.claim(GROUP, ETCDS).values()} == {main, events}
    assert len(lost) == 2


@pytest.mark.long
def test_three_members_while_ec2_throttles_and_fails(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, service: Any
) -> None:
    monkeypatch.setattr(xml_service, "_PAUSE", 0.001)
    monkeypatch.setattr(member_disks, "_POLL", 0.02)
    monkeypatch.setenv("no_proxy", "*")
    with AWSServer(fault_percent=20, seed=5) as faulty, contextlib.ExitStack() as stack:
        region = Region(faulty, tmp_path, stack, role="")
        made = {name: region.member(name, members="1,2,3") for name in "123"}
        instances = [region.instance() for _each in made]
        monkeypatch.setenv("AWS_ENDPOINT_URL", faulty.url)
        found = at_once(*(lambda each=each: each.claim("control-plane", ETCDS) for each in instances))
        assert sorted(disks["main"].member for disks in found) == ["1", "2", "3"]
        for instance, disks in zip(instances, found):
            assert {region.holder(disk.volume) for disk in disks.values()} == {instance.instance}


def test_members_are_where_their_volumes_are(region: Region) -> None:
    region.member("a")
    region.member("b", zone="us-east-1b")
    first = region.instance()
    assert first.addresses() == {}
    first.claim(GROUP, ETCDS)
    second = region.instance("us-east-1b")
    second.claim("control-plane-us-east-1b", ETCDS)
    found = region.ec2.describe_instances(InstanceIds=[first.instance, second.instance])["Reservations"]
    address = {each["InstanceId"]: each["PrivateIpAddress"] for some in found for each in some["Instances"]}
    assert first.addresses() == {
        (etcd, member): address[each.instance] for each, member in ((first, "a"), (second, "b")) for etcd in ETCDS
    }
