# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups of a real etcd on schedule, and restores ordered in the store, with the rights of control planes in S3.

Three members form an etcd cluster; each host makes backups and follows orders as the unit of a control plane does.
"""

from __future__ import annotations

import contextlib
import datetime
import gzip
import json
import os
import pathlib
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.etcd_backups import DATA, META
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.etcd_restores import Order, order_of
from ansible_collections.kubeops.kops.plugins.module_utils.iam.policy import Policy
from ansible_collections.kubeops.kops.plugins.module_utils.model.aws.iam.store_access import allow_store_access
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.instance import AWSInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.observe import observe_members
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.ordered_restore import OrderedRestore
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.scheduled import DIRECTORY, Schedule
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.scheduled import Backups as Scheduled
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.by_scheme import StoreByScheme
from ansible_collections.kubeops.kops.plugins.module_utils.operations.etcd import restore as etcd_restore
from ansible_collections.kubeops.kops.plugins.module_utils.operations.etcd.backups import Backups
from ansible_collections.kubeops.kops.plugins.module_utils.operations.etcd.restore import CloudRestore, RestoreOptions
from ansible_collections.kubeops.kops.tests.documented.runs import ETCD, taken_by
from ansible_collections.kubeops.kops.tests.integration.conftest import BUCKET, NAME, STORE, run_ansible, use_account
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.etcd import Laboratory, Machine, laboratory
from ansible_collections.kubeops.kops.tests.support.instance_roles import environment_on

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("etcd")]
PLACE = f"{STORE}/{NAME}/backups/etcd/main"
CONTROL = f"{PLACE}/control"
HOUR = 3600.0
# What the names of members begin with in a cloud.
IN_CLOUD = "etcd-"
LAST = "20260508T120200Z"
# What the documentation says to type, in its order.
CHECK, RESTORE = taken_by(ETCD, "docs/restore.md")
SCHEDULE = Schedule(PLACE, 60, 168 * HOUR, 2160 * HOUR)


SPECIFICATION = f"""
apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata:
  name: {NAME}
spec:
  kubernetesVersion: 1.34.0
  cloudProvider: aws
  configStore: "{STORE}/{NAME}"
  etcdClusters:
  - name: main
    backups: {{backupStore: "{PLACE}"}}
    etcdMembers:
    - {{name: a, instanceGroup: control-plane-a}}
    - {{name: b, instanceGroup: control-plane-b}}
    - {{name: c, instanceGroup: control-plane-c}}
"""
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}


@pytest.fixture(scope="module")
def account(checked: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AWSServer]:
    """An account with the store of a cluster, and with its roles; one has the rights of control planes in it."""
    with pytest.MonkeyPatch.context() as patch:
        use_account(checked, patch, tmp_path_factory.mktemp("account"))
        s3, iam = checked.client("s3"), checked.client("iam")
        s3.create_bucket(Bucket=BUCKET)
        for name in ("config", "cluster-completed.spec"):
            s3.put_object(Bucket=BUCKET, Key=f"{NAME}/{name}", Body=SPECIFICATION.encode())
        policy = Policy(NAME, "aws", "us-east-1")
        allow_store_access(policy, Backups(STORE, NAME).cluster, writes_backups=True)
        for name in ("masters", "nodes"):
            iam.create_role(RoleName=f"{name}.{NAME}", AssumeRolePolicyDocument=json.dumps(TRUST))
        iam.put_role_policy(RoleName=f"masters.{NAME}", PolicyName="own", PolicyDocument=policy.text())
        yield checked


@pytest.fixture
def store(account: AWSServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[StoreByScheme]:
    """The store as a control plane sees it; it is empty."""
    backups = Backups(STORE, NAME)
    root = backups.at("main", PLACE).path
    root.remove_many([file.path for file in root.list_tree()])
    with role(account, "masters", monkeypatch) as found:
        yield found


@contextlib.contextmanager
def role(account: AWSServer, name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[StoreByScheme]:
    """The store of an instance with a role. Only the node program looks at this part of the environment."""
    with environment_on(account, f"{name}.{NAME}", "i-0123456789abcdef0") as environment:
        endpoint = "AWS_EC2_METADATA_SERVICE_ENDPOINT"
        monkeypatch.setenv(endpoint, environment[endpoint])
        yield StoreByScheme(AWSInstance())


@pytest.fixture
def lab(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Laboratory]:
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "2048")
    with laboratory(tmp_path) as made:
        yield made


class Clock:
    """A time that tests move."""

    def __init__(self) -> None:
        self.now = datetime.datetime(2026, 5, 8, 12, 0, tzinfo=datetime.timezone.utc)

    def seconds(self) -> float:
        return self.now.timestamp()

    def later(self, seconds: float) -> None:
        self.now += datetime.timedelta(seconds=seconds)


def scheduled(machines: list[Machine], store: Any, clock: Clock) -> list[Scheduled]:
    return [
        Scheduled("main", SCHEDULE, store, root=str(each.root), now=lambda: clock.now, clock=clock.seconds)
        for each in machines
    ]


def rounds(hosts: list[Scheduled]) -> list[str]:
    """What was done by all hosts together."""
    return [done for each in hosts if (done := each.round())]


def listed() -> list[str]:
    return [backup.name for backup in Backups(STORE, NAME).of("main")]


def test_the_leader_makes_backups_on_schedule(
    lab: Laboratory, store: StoreByScheme, account: AWSServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines, clock = lab.form(3, IN_CLOUD), Clock()
    lab.control(machines[0], "put", "marker", "here")
    hosts = scheduled(machines, store, clock)
    (done,) = rounds(hosts)
    assert done.startswith("backup 2026-05-08T12:00:00Z-000001 has ")
    assert rounds(hosts) == []
    clock.later(59)
    # One that leads from now on knows from the store that none is due.
    assert rounds(scheduled(machines, store, clock)) == []
    clock.later(1)
    (done,) = rounds(hosts)
    assert listed() == ["2026-05-08T12:00:00Z-000001", "2026-05-08T12:01:00Z-000001"]
    backups = Backups(STORE, NAME)
    (chosen,) = backups.choose(["main"])
    assert backups.meta(chosen)["clusterSpec"] == {
        "memberCount": 3,
        "etcdVersion": machines[0].client().status().version,
    }
    file = pathlib.Path(backups.fetch(chosen, str(lab.directory)))
    assert b"marker" in gzip.decompress(file.read_bytes())
    assert not any(path.name.endswith(".gz") for each in machines for path in each.path(DIRECTORY).glob("*"))
    # Hours later, the first one of the hour is left.
    clock.later(3 * HOUR)
    (done,) = rounds(scheduled(machines, store, clock))
    assert done.rpartition(", in ")[0].endswith(", 1 older ones are removed")
    assert listed() == ["2026-05-08T12:00:00Z-000001", "2026-05-08T15:01:00Z-000001"]
    # Nobody else may write there.
    with role(account, "nodes", monkeypatch) as worker:
        clock.later(60)
        with pytest.raises(KopsError, match="403 AccessDenied"):
            rounds(scheduled(machines, worker, clock))
    assert len(listed()) == 2


class Killed(BaseException):
    """In place of a signal."""


class Breaking:
    """A store that is killed when a file of a name is written, or refuses it."""

    def __init__(self, real: StoreByScheme, name: str, error: BaseException) -> None:
        self._real, self._name, self._error = real, name, error

    def __getattr__(self, name: str) -> Any:
        def call(url: str, *arguments: Any) -> Any:
            if name in ("upload", "write") and url.endswith(self._name):
                raise self._error
            return getattr(self._real, name)(url, *arguments)

        return call


@pytest.mark.parametrize("file", [DATA, META])
def test_what_is_broken_off_is_no_backup(lab: Laboratory, store: StoreByScheme, file: str) -> None:
    (first,), clock = lab.form(1, IN_CLOUD), Clock()
    with pytest.raises(Killed):
        rounds(scheduled([first], Breaking(store, file, Killed()), clock))
    assert listed() == []
    host = scheduled([first], Breaking(store, file, OSError("no network")), clock)
    with pytest.raises(OSError, match="no network"):
        rounds(host)
    (done,) = rounds(scheduled([first], store, clock))
    (name,) = listed()
    assert name in done
    clock.later(25 * HOUR)
    rounds(scheduled([first], store, clock))
    files = store.names(PLACE)
    left = {path.partition("/")[0] for path in files if path.startswith("2026-")}
    assert len([path for path in files if path.endswith(DATA)]) == len(left) == 2


def test_no_room_for_a_backup(lab: Laboratory, store: StoreByScheme, monkeypatch: pytest.MonkeyPatch) -> None:
    (first,) = lab.form(1, IN_CLOUD)
    monkeypatch.setattr(os, "statvfs", lambda _path: type("Full", (), {"f_bavail": 1, "f_frsize": 512}))
    with pytest.raises(KopsError, match=f"{DIRECTORY} has no room for a database of"):
        rounds(scheduled([first], store, Clock()))


class Hosts:
    """The hosts, each of which looks for orders all the time, until it is powered off."""

    def __init__(self, machines: list[Machine], store: StoreByScheme) -> None:
        self.said: list[str] = []
        self._store, self._end = store, threading.Event()
        self._threads = [threading.Thread(target=self._follow, args=(each,), daemon=True) for each in machines]
        for thread in self._threads:
            thread.start()

    def _follow(self, machine: Machine) -> None:
        follower = restore_on(machine, self._store, self.said.append)
        while not self._end.wait(0.1):
            with contextlib.suppress(KopsError, OSError):
                follower.round()

    def end(self) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()


def restore_on(
    machine: Machine, store: StoreByScheme, say: Callable[[str], None] = lambda _text: None
) -> OrderedRestore:
    return OrderedRestore(
        store,
        CONTROL,
        say,
        root=str(machine.root),
        host=machine.host,
        lock_file=str(machine.root / "lock"),
        timeout=40,
    )


@contextlib.contextmanager
def following(machines: list[Machine], store: StoreByScheme) -> Iterator[Hosts]:
    hosts = Hosts(machines, store)
    try:
        yield hosts
    finally:
        hosts.end()


def order(identity: str, progress: Callable[[str], None] = lambda _text: None, **options: Any) -> etcd_restore.Restored:
    given = RestoreOptions(**{"etcds": ["main"], "presence": 30, "wait": 60, **options})
    return CloudRestore(Backups(STORE, NAME), given, progress).run(identity)


def value(lab: Laboratory, machine: Machine, key: str) -> str:
    return lab.control(machine, "get", key, "--print-value-only")


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(etcd_restore, "_PAUSE", 0.1)


def test_a_backup_is_restored_on_all_control_planes(lab: Laboratory, store: StoreByScheme) -> None:
    machines = lab.form(3, IN_CLOUD)
    lab.control(machines[0], "put", "marker", "here")
    rounds(scheduled(machines, store, Clock()))
    lab.control(machines[0], "del", "marker")
    lab.control(machines[0], "put", "later", "gone")
    (backup,) = Backups(STORE, NAME).of("main")
    assert backup.name in run_ansible(*CHECK.words)
    assert store.read(f"{CONTROL}/kubeops-restore.json") is None
    with following(machines, store) as hosts:
        printed = run_ansible(*RESTORE.words)
    (restore,) = re.findall(r"restore (\w+) is complete", printed)
    assert [value(lab, each, "marker") for each in machines] == ["here"] * 3
    assert value(lab, machines[0], "later") == ""
    assert sorted(each.name for each in machines[0].client().members()) == ["etcd-a", "etcd-b", "etcd-c"]
    assert "all members have new data; the control plane stops now" in printed
    assert hosts.said.count(f"restore {restore} of etcd: this host is started") == 3
    # What is complete stays as it is: for new processes as well, and nothing of it is left on the disks.
    lab.control(machines[0], "put", "marker", "new")
    assert [restore_on(each, store).round() for each in machines] == [None] * 3
    names = {path.name for each in machines for path in each.path(each.volume).iterdir()}
    assert names == {"data", f"data.before-{restore}"}
    assert value(lab, machines[1], "marker") == "new"


def test_a_restore_goes_on_without_its_controller_and_is_followed(lab: Laboratory, store: StoreByScheme) -> None:
    """The controller is killed at each of its writes; the hosts are other processes at each phase."""
    machines = lab.form(2, IN_CLOUD)
    lab.control(machines[0], "put", "marker", "here")
    rounds(scheduled(machines, store, Clock()))
    lost: dict[str, Any] = {"left_out": ["c"]}
    lab.control(machines[0], "put", "marker", "other")
    kills = ("waiting for members", "is present", "the control plane stops now")
    for name, kill_at in zip(("20260508T120000Z", "20260508T120100Z", LAST), kills):

        def killed(text: str, at: str = kill_at) -> None:
            if at in text:
                raise Killed

        with following(machines, store), pytest.raises(Killed):
            order(name, killed, **lost)
    # The last one was let go. Each phase by a new process, and each one is broken off once after it was done.
    broken_off = 0
    for _phase in range(4):
        for machine in machines:
            broken_off += is_broken_off(restore_on(machine, store))
        for machine in machines:
            restore_on(machine, store).round()
    assert broken_off >= 4
    assert [restore_on(each, store).round() for each in machines] == [None, None]
    assert [value(lab, each, "marker") for each in machines] == ["here"] * 2
    # It is complete, but no controller knows.
    done = order("20260508T121000Z", **lost)
    assert (done.restore, done.followed) == (LAST, True)
    with following(machines, store):
        done = order("20260508T121100Z", **lost)
    assert (done.restore, done.followed) == ("20260508T121100Z", False)


def is_broken_off(follower: OrderedRestore) -> bool:
    """Whether there was a phase to do; the process is killed before it can report that."""

    def killed(_report: Any) -> Any:
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(follower, "_tell", killed)
        try:
            follower.round()
        except Killed:
            return True
    return False


def test_what_cannot_be_restored_interrupts_nothing(lab: Laboratory, store: StoreByScheme) -> None:
    (first,) = lab.form(1, IN_CLOUD)
    others: dict[str, Any] = {"left_out": ["b", "c"]}
    with pytest.raises(KopsError, match="etcd cluster main has no backup at all"):
        order("r1", **others)
    rounds(scheduled([first], store, Clock()))
    with pytest.raises(KopsError, match="there is no member d; there are main/a, main/b, main/c"):
        order("r1", left_out=["d"])
    with pytest.raises(KopsError, match="no member of etcd cluster main is left"):
        order("r1", left_out=["a", "b", "c"])
    with following([first], store) as hosts:
        with pytest.raises(KopsError, match="members main/b, main/c did not answer within 1 s, and nothing"):
            order("r2", presence=1)
        assert store.read(f"{CONTROL}/kubeops-restore.json") is None
        (backup,) = Backups(STORE, NAME).of("main")
        store.write(f"{PLACE}/{backup.name}/{DATA}", b"no archive")
        with pytest.raises(KopsError, match=r"nothing was changed:\nmain-etcd-a: .*cannot be unpacked"):
            order("r3", **others)
    assert first.client().catch_up() == 1
    assert not any("stopped" in text for text in hosts.said)
    assert CloudRestore(Backups(STORE, NAME), RestoreOptions(["main"])).run("r4", check=True).restore == "r4"
    assert store.read(f"{CONTROL}/kubeops-restore.json") is None


def test_data_of_a_restore_that_is_withdrawn_are_removed(lab: Laboratory, store: StoreByScheme) -> None:
    (first,) = lab.form(1, IN_CLOUD)
    rounds(scheduled([first], store, Clock()))
    (backup,) = Backups(STORE, NAME).of("main")
    follower = restore_on(first, store)
    asked = Order("r1", {"main": backup.path.path})
    store.write(order_of(CONTROL), asked.text())
    assert follower.round() is not None
    members = observe_members(str(first.root))
    store.write(order_of(CONTROL), Order("r1", asked.backups, ["main-etcd-a"], members).text())
    follower.round()
    assert first.path(f"{first.volume}/restoring").exists()
    store.remove(order_of(CONTROL))
    assert follower.round() is None
    assert not first.path(f"{first.volume}/restoring").exists()
