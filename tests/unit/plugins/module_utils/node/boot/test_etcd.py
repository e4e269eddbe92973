# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which members an instance is, by its disks and the store; a cloud with three disks, which are directories."""

from __future__ import annotations

import json
import os
import pathlib
import ssl
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.items import Volume
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import etcd as boot_etcd
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.etcd import Members
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.member_disks import EtcdDisk
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.disk import MARKER, Birth, Owner, prepare
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.takeover import Start
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.secrets_document import StoreSource
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import CommandOutcome, Host
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import Machine, find_machine

from ..fake_host import FakeHost

CLUSTER = "demo.example.com"
STORE = f"s3://store/{CLUSTER}"
CONTROL = f"{STORE}/backups/etcd/main/control"
DEVICE = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol1"
INITIAL = ",".join(f"etcd-{name}=https://etcd-{name}.internal.{CLUSTER}:2380" for name in "abc")
START = Start("etcd-a", f"https://etcd-a.internal.{CLUSTER}:2380", "registry.example.com/etcd:3.6.11-0")
CONFIG = {
    "cluster": CLUSTER,
    "instanceGroup": "control-plane-us-east-1a",
    "facts": ["NODE_NAME", *(f"ETCD_MAIN_{name}" for name in ("MEMBER", "DEVICE", "INITIAL_CLUSTER"))],
    "volumes": [
        {"name": "etcd-main", "device": "@@ETCD_MAIN_DEVICE@@", "mount": "/mnt/disks/demo--main--@@ETCD_MAIN_MEMBER@@"}
    ],
    "staticPods": [
        {
            "name": "etcd-main",
            "content": "  - image: registry.example.com/etcd:3.6.11-0\n    - --name=etcd-@@ETCD_MAIN_MEMBER@@\n"
            f"    - --initial-advertise-peer-urls=https://etcd-@@ETCD_MAIN_MEMBER@@.internal.{CLUSTER}:2380\n"
            f"    - --advertise-client-urls=https://etcd-@@ETCD_MAIN_MEMBER@@.internal.{CLUSTER}:4001\n",
        }
    ],
}


class Cloud:
    """An instance with the disk of a member, and the store. files: URL -> content."""

    def __init__(self, member: str = "a", members: Sequence[str] = ("a", "b", "c")) -> None:
        self.disk = EtcdDisk("vol-1", DEVICE, member, tuple(members))
        self.files: dict[str, bytes] = {}
        self.asked: list[Any] = []
        self.refuses_writing = False
        # What else there is: another etcd cluster, and the member itself.
        self.addresses = {("main", member): "127.0.0.1", ("events", "b"): "127.0.0.1"}

    def facts(self) -> dict[str, str]:
        return {}

    def proof(self, body: bytes) -> str:
        return ""

    def etcd_addresses(self, cluster: str) -> dict[tuple[str, str], str]:
        return dict(self.addresses)

    def read(self, url: str) -> bytes | None:
        return self.files.get(url)

    def write(self, url: str, content: bytes) -> None:
        if self.refuses_writing:
            raise KopsError(f"{url}: 403")
        self.files[url] = content

    def etcd_disks(self, cluster: str, group: str, etcds: Sequence[str], *, check: bool) -> dict[str, EtcdDisk]:
        self.asked.append((cluster, group, list(etcds), check))
        return dict.fromkeys(etcds, self.disk)


@pytest.fixture()
def cloud() -> Cloud:
    return Cloud()


@pytest.fixture()
def host(tmp_path: pathlib.Path) -> FakeHost:
    return FakeHost.make(tmp_path / "node")


@pytest.fixture()
def machine(host: FakeHost) -> Machine:
    return find_machine(str(host.root), host)


@pytest.fixture(autouse=True)
def _no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issuing is tested with a real etcd (tests/integration/test_etcd_volumes.py)."""
    monkeypatch.setattr(boot_etcd, "client_context", lambda *_given: ssl.create_default_context())


def members(cloud: Cloud, machine: Machine, config: Mapping[str, Any] | None = None, *, check: bool = False) -> Members:
    given = CONFIG if config is None else config
    source = StoreSource(lambda _path: None)
    facts = {"NODE_NAME": "i-1", "INTERNAL_IP": "10.0.0.7"}
    return Members(cloud, cloud, machine, given, STORE, facts, source, check=check)


def content(host: FakeHost) -> pathlib.Path:
    return host.content(DEVICE)


def have_data(host: FakeHost, member: str = "a") -> None:
    """etcd has started on the disk, which is mounted at its place."""
    (content(host) / "data/member/wal").mkdir(parents=True)
    place = host.root / f"mnt/disks/demo--main--{member}"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(content(host))


def test_the_first_start_of_a_member(cloud: Cloud, host: FakeHost, machine: Machine) -> None:
    facts = members(cloud, machine).facts()
    assert facts == {
        "ETCD_MAIN_MEMBER": "a",
        "ETCD_MAIN_DEVICE": DEVICE,
        "ETCD_MAIN_INITIAL_CLUSTER": INITIAL,
        "ETCD_MAIN_INITIAL_STATE": "new",
        "ETCD_MAIN_VOLUME": "vol-1",
    }
    assert cloud.asked == [(CLUSTER, "control-plane-us-east-1a", ["main"], False)]
    assert [call.split()[0] for call in host.calls] == ["flock", "mount", "umount"]
    marker = json.loads((content(host) / MARKER).read_text())
    assert marker == {
        "cluster": CLUSTER,
        "etcd": "main",
        "member": "a",
        "volume": "vol-1",
        "initial_cluster": INITIAL,
        "initial_state": "new",
    }
    host.forget_calls()
    assert members(cloud, machine).facts() == facts
    assert not any("mkfs" in call for call in host.calls)
    assert not cloud.files


def test_a_group_without_members_asks_for_no_disk(cloud: Cloud, machine: Machine) -> None:
    assert members(cloud, machine, {**CONFIG, "facts": ["NODE_NAME"]}).facts() == {}
    assert not cloud.asked


def test_main_is_the_first_that_all_instances_take(cloud: Cloud, machine: Machine) -> None:
    facts = [f"ETCD_{etcd}_MEMBER" for etcd in ("CILIUM", "EVENTS", "MAIN")]
    with pytest.raises(KopsError, match="no volume for the members of etcd cluster cilium"):
        members(cloud, machine, {**CONFIG, "facts": facts}).facts()
    assert cloud.asked[0][2] == ["main", "cilium", "events"]


def test_a_member_with_data_stays_what_it_was_born_as(cloud: Cloud, host: FakeHost, machine: Machine) -> None:
    facts = members(cloud, machine).facts()
    have_data(host)
    members(cloud, machine).remember(facts)
    assert set(cloud.files) == {f"{CONTROL}/etcd-cluster-created", f"{CONTROL}/kubeops-member-a"}
    # Members that came later are not in its manifest, which does not change.
    cloud.disk = EtcdDisk("vol-1", DEVICE, "a", ("a", "b", "c", "d", "e"))
    assert members(cloud, machine).facts() == facts


def test_a_backup_store_of_its_own_holds_what_is_remembered(cloud: Cloud, host: FakeHost, machine: Machine) -> None:
    """The role of control planes may write there only."""
    config = {**CONFIG, "etcdControl": {"main": "s3://backups/demo/main/control"}}
    facts = members(cloud, machine, config).facts()
    have_data(host)
    members(cloud, machine, config).remember(facts)
    elsewhere = "s3://backups/demo/main/control"
    assert set(cloud.files) == {f"{elsewhere}/etcd-cluster-created", f"{elsewhere}/kubeops-member-a"}
    (content(host) / "data/member/wal").rmdir()
    with pytest.raises(KopsError, match="the member has had data on this very volume"):
        members(cloud, machine, config).facts()


def test_nothing_is_remembered_of_a_member_without_data(cloud: Cloud, machine: Machine) -> None:
    members(cloud, machine).remember(members(cloud, machine).facts())
    assert not cloud.files


def test_a_store_that_refuses_is_no_reason_to_wait(
    cloud: Cloud, host: FakeHost, machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = members(cloud, machine).facts()
    have_data(host)
    cloud.refuses_writing = True
    members(cloud, machine).remember(facts)
    assert "etcd-cluster-created is not written" in capsys.readouterr().out


def test_a_late_member_of_the_first_hour_is_one_of_those_that_began(cloud: Cloud, machine: Machine) -> None:
    cloud.files[f"{CONTROL}/etcd-cluster-created"] = json.dumps({"initialCluster": INITIAL}).encode()
    cloud.files[f"{CONTROL}/kubeops-member-b"] = b"{}"
    facts = members(cloud, machine).facts()
    assert (facts["ETCD_MAIN_INITIAL_CLUSTER"], facts["ETCD_MAIN_INITIAL_STATE"]) == (INITIAL, "new")


def test_an_empty_disk_of_a_member_that_had_data_is_refused(cloud: Cloud, host: FakeHost, machine: Machine) -> None:
    cloud.files[f"{CONTROL}/etcd-cluster-created"] = json.dumps({"initialCluster": INITIAL}).encode()
    cloud.files[f"{CONTROL}/kubeops-member-a"] = json.dumps({"volume": "vol-1"}).encode()
    with pytest.raises(KopsError, match=r"volume vol-1 \(member a .* is empty, but the member has had data"):
        members(cloud, machine).facts()
    assert not host.calls


def test_a_new_volume_of_a_member_that_had_data_asks_the_others(cloud: Cloud, host: FakeHost, machine: Machine) -> None:
    cloud.files[f"{CONTROL}/etcd-cluster-created"] = json.dumps({"initialCluster": INITIAL}).encode()
    for volume in ({"volume": "vol-0"}, {}):
        cloud.files[f"{CONTROL}/kubeops-member-a"] = json.dumps(volume).encode()
        with pytest.raises(
            KopsError, match="cannot get its data .*: no instance has another member now.* remove .*main/control/$"
        ):
            members(cloud, machine).facts()
    assert not host.calls


def test_where_the_data_is_is_kept_up_to_date(cloud: Cloud, host: FakeHost, machine: Machine) -> None:
    facts = members(cloud, machine).facts()
    have_data(host)
    members(cloud, machine).remember(facts)
    before = dict(cloud.files)
    members(cloud, machine).remember(facts)
    assert cloud.files == before
    # A snapshot was restored to another volume.
    members(cloud, machine).remember({**facts, "ETCD_MAIN_VOLUME": "vol-2"})
    assert json.loads(cloud.files[f"{CONTROL}/kubeops-member-a"]) == {"initialCluster": INITIAL, "volume": "vol-2"}
    assert cloud.files[f"{CONTROL}/etcd-cluster-created"] == before[f"{CONTROL}/etcd-cluster-created"]


def test_data_that_was_lost_after_the_first_start_is_missed(cloud: Cloud, host: FakeHost, machine: Machine) -> None:
    facts = members(cloud, machine).facts()
    have_data(host)
    members(cloud, machine).remember(facts)
    (content(host) / "data/member/wal").rmdir()
    with pytest.raises(KopsError, match="the member has had data on this very volume"):
        members(cloud, machine).facts()


@pytest.mark.parametrize(
    "formed", [b"{}", json.dumps({"initialCluster": "etcd-a=https://a:2380"}).encode(), b"by kops"]
)
def test_a_member_that_the_cluster_does_not_know_asks_the_others(machine: Machine, formed: bytes) -> None:
    cloud = Cloud("b", ("a", "b", "c"))
    cloud.files[f"{CONTROL}/etcd-cluster-created"] = formed
    cloud.addresses[("main", "a")] = "127.0.0.1"
    with pytest.raises(
        KopsError, match=r"is empty, and cannot get .*: no etcd member answers: - https://etcd-a\.inter"
    ):
        members(cloud, machine).facts()


def test_the_disk_of_another_cluster_is_refused(cloud: Cloud, host: FakeHost, machine: Machine) -> None:
    members(cloud, machine).facts()
    host.forget_calls()
    for name, value in (("cluster", "other.example.com"), ("etcd", "events"), ("member", "b")):
        config = {**CONFIG, "cluster": value} if name == "cluster" else CONFIG
        marker = json.loads((content(host) / MARKER).read_text())
        if name != "cluster":
            (content(host) / MARKER).write_text(json.dumps({**marker, name: value}))
        before = (content(host) / MARKER).read_text()
        with pytest.raises(KopsError, match="holds member .* nothing is written to it. Correct the volume's tags"):
            members(cloud, machine, config).facts()
        assert (content(host) / MARKER).read_text() == before
        (content(host) / MARKER).write_text(json.dumps(marker))
    assert host.state["mounts"] == {}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (["data/token/member", "pki"], r"none of them says whose they are \(data, pki\)"),
        (["photos"], r"holds files, and none of them says whose they are \(photos\)"),
        ([MARKER], "cannot be read"),
    ],
)
def test_a_disk_that_is_not_known_is_left_as_it_is(
    cloud: Cloud, host: FakeHost, machine: Machine, files: list[str], said: str
) -> None:
    host._keep({**host.state, "filesystems": {DEVICE: "ext4"}})
    for name in files:
        (content(host) / name).mkdir(parents=True)
    with pytest.raises(KopsError, match=said):
        members(cloud, machine).facts()
    assert sorted(each.name for each in content(host).iterdir()) == sorted({name.split("/")[0] for name in files})


def test_a_disk_with_something_else_is_never_formatted(cloud: Cloud, host: FakeHost, machine: Machine) -> None:
    host.fail["blkid"] = CommandOutcome(0, "xfs\n")
    with pytest.raises(KopsError, match="holds xfs rather than ext4; nothing is written to it"):
        members(cloud, machine).facts()
    assert not host.calls


def test_a_boot_that_ends_after_formatting_goes_on(cloud: Cloud, host: FakeHost, machine: Machine) -> None:
    host.fail["mount"] = CommandOutcome(32, "", "mount: busy")
    with pytest.raises(KopsError, match="busy"):
        members(cloud, machine).facts()
    host.fail.clear()
    assert members(cloud, machine).facts()["ETCD_MAIN_INITIAL_STATE"] == "new"
    assert sum("mkfs" in call for call in host.calls) == 1


def test_check_mode_neither_formats_nor_mounts(cloud: Cloud, host: FakeHost, machine: Machine) -> None:
    assert members(cloud, machine, check=True).facts()["ETCD_MAIN_INITIAL_CLUSTER"] == INITIAL
    host._keep({**host.state, "filesystems": {DEVICE: "ext4"}})
    with pytest.raises(KopsError, match="check mode ends here"):
        members(cloud, machine, check=True).facts()
    assert not host.calls
    assert cloud.asked[0][3]


@pytest.fixture()
def disk(tmp_path: pathlib.Path) -> Iterator[str]:
    """A real disk of 32 MiB."""
    image = tmp_path / "image"
    with image.open("wb") as stream:
        stream.truncate(32 << 20)
    made = subprocess.run(["losetup", "--find", "--show", image], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no loop device can be had here: {made.stderr}")
    yield made.stdout.strip()
    subprocess.run(["losetup", "--detach", made.stdout.strip()], check=True)


@pytest.mark.skipif(os.getuid() != 0, reason="a real disk needs root")
def test_a_real_disk_is_formatted_once_and_keeps_what_is_on_it(disk: str, tmp_path: pathlib.Path) -> None:
    FakeHost.make(tmp_path / "node")
    machine = find_machine(str(tmp_path / "node"), Rooted(tmp_path / "node"))
    volume = Volume(name="etcd-main", mount="/mnt/disks/a", device=disk)
    owner, birth = Owner(CLUSTER, "main", "a", "vol-1"), Birth(INITIAL, "new")
    assert prepare(machine, volume, owner, START, lambda: birth) == birth
    before = identity(disk)
    # Until etcd has looked at it, the latest decision counts.
    other = Birth("other", "existing")
    assert prepare(machine, volume, owner, START, lambda: other) == other
    assert prepare(machine, volume, owner, START, lambda: birth) == birth
    place = tmp_path / "node/mnt/disks/a"
    place.mkdir(parents=True)
    subprocess.run(["mount", disk, place], check=True)
    try:
        (place / "data/member/wal").mkdir(parents=True)
        # Mounted at its place, it is looked at there.
        assert prepare(machine, volume, owner, START, lambda: pytest.fail("it has data")) == birth
        with pytest.raises(KopsError, match="holds member a of etcd cluster main of demo.example.com"):
            prepare(machine, volume, Owner("other.example.com", "main", "a", "vol-1"), START, lambda: birth)
    finally:
        subprocess.run(["umount", place], check=True)
    assert prepare(machine, volume, owner, START, lambda: pytest.fail("it has data")) == birth
    assert identity(disk) == before
    assert disk not in pathlib.Path("/proc/mounts").read_text()


class Rooted(Host):
    """The real commands; paths of mounts are below the root."""

    def __init__(self, root: pathlib.Path) -> None:
        super().__init__()
        self._root = str(root)

    def run(self, *command: str, **options: Any) -> CommandOutcome:
        if command[0] in ("mount", "umount"):
            command = (*command[:-1], self._root + command[-1])
        outcome = super().run(*command, **options)
        if command[0] == "findmnt":
            return CommandOutcome(outcome.code, outcome.output.replace(self._root, ""), outcome.errors)
        return outcome


def identity(disk: str) -> str:
    return subprocess.run(
        ["blkid", "--probe", "--output", "export", disk], capture_output=True, text=True, check=True
    ).stdout
