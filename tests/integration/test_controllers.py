# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controllers of control planes as processes of the node program, with a real API server and the account's store.

Each control plane has an API server of its own, which is one behind a proxy that counts and spoils requests.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.addons import StoredAddons
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.versions import not_applied
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import validate
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.program import node_program
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    BUCKET,
    NAME,
    STORE,
    Account,
    account_with_cluster,
)
from ansible_collections.kubeops.kops.tests.support import metadata_service
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.faulty_api import LOST, FaultyAPI, Request, faulty_api
from ansible_collections.kubeops.kops.tests.support.kubernetes import ControlPlane, control_plane

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("kubernetes")]

KEY = f"{NAME}/addons/objects.json"
SYSTEM, MAPS = "/api/v1/namespaces/kube-system", "/api/v1/namespaces/default/configmaps"
# What the Lease allows, and some of a loaded machine.
TAKEN_OVER = 15 + 4 + 20


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with control_plane(tmp_path_factory.mktemp("control-plane"), "--allow-privileged=true") as started:
        yield started


@pytest.fixture(scope="module")
def account(checked: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """An account with a cluster, whose roles have their rights."""
    with account_with_cluster(checked, tmp_path_factory.mktemp("account")) as found:
        yield found


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("program") / "kops-node"
    path.write_bytes(node_program(AWS, ("s3",)))
    return path


class Member:
    """A control plane: its API server, its credentials, and its process."""

    def __init__(self, name: str, api: FaultyAPI, directory: pathlib.Path, environment: dict[str, str]) -> None:
        self.name, self.api, self.directory = name, api, directory
        self.log = directory / "log"
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self.program = pathlib.Path()
        boot = {"cloud": "aws", "cluster": NAME, "instanceGroup": "cp", "role": "ControlPlane", "store": STORE}
        (directory / "boot.json").write_text(json.dumps({**boot, "nodeConfigs": {}}))
        config = {
            "cloud": "aws",
            "cluster": NAME,
            "node": name,
            "store": f"{STORE}/{NAME}",
            "kubeconfig": api.kubeconfig,
            "boot": str(directory / "boot.json"),
            "lock": str(directory / "lock"),
        }
        (directory / "config.json").write_text(json.dumps(config))

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def start(self) -> None:
        """As its unit does."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", self.program, "controllers", "--config", self.directory / "config.json"],
                env={**os.environ, **self._environment},
                stdout=log,
                stderr=log,
            )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """As systemd does it. Returns the exit code."""
        if self._process is None:
            return 0
        self.process.terminate()
        try:
            return self.process.wait(30)
        finally:
            self.process.kill()
            self.process.wait()

    def said(self) -> str:
        return self.log.read_text()

    def memory(self) -> int:
        """What it has had at most, in MiB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = [line for line in text.splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) // 1024


@pytest.fixture
def member(
    running: ControlPlane, account: Account, program: pathlib.Path, tmp_path: pathlib.Path
) -> Iterator[Callable[..., Member]]:
    """Makes control planes. The cluster has no addons and no leader at first."""
    client = running.client()
    client.delete("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kops-controller-manager")
    client.delete(f"{SYSTEM}/configmaps/kops-controller-manager")
    present = client.get(SYSTEM)["metadata"].get("annotations") or {}
    client.patch(SYSTEM, {"metadata": {"annotations": dict.fromkeys(present)}})
    with contextlib.ExitStack() as stack:

        def make(name: str, role: str = f"masters.{NAME}") -> Member:
            directory = tmp_path / name
            directory.mkdir()
            api = stack.enter_context(faulty_api(running, directory))
            arn = f"arn:aws:iam::123456789012:role/{role}"
            session = account.client("sts").assume_role(RoleArn=arn, RoleSessionName=name)["Credentials"]
            paths = {
                **metadata_service.paths_of_an_instance(name),
                **metadata_service.paths_of_credentials(role, session),
            }
            url, _service = stack.enter_context(metadata_service.running(paths))
            environment = {"AWS_ENDPOINT_URL": account.server.url, "AWS_EC2_METADATA_SERVICE_ENDPOINT": url}
            made = Member(name, api, directory, environment)
            made.program = program
            stack.callback(made.stop)
            return made

        yield make


def until(condition: Callable[[], Any], seconds: float = 60) -> float:
    """Wait for it. Returns how long that took."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() < start + seconds
        time.sleep(0.1)
    return time.monotonic() - start


def stored(account: Account) -> StoredAddons:
    return StoredAddons.read(account.client("s3").get_object(Bucket=BUCKET, Key=KEY)["Body"].read())


def missing(client: KubernetesClient, wanted: StoredAddons) -> list[str]:
    return not_applied(wanted, client.get(SYSTEM)["metadata"].get("annotations") or {})


def until_applied(client: KubernetesClient, wanted: StoredAddons, seconds: float = 60) -> float:
    """Wait until these addons are applied. Returns how long that took."""
    return until(lambda: not missing(client, wanted), seconds)


def config_map(name: str, addon: str, **data: Any) -> dict[str, Any]:
    labels = {"app.kubernetes.io/managed-by": "kops", "addon.kops.k8s.io/name": addon}
    metadata = {"name": name, "namespace": "default", "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def many(version: str, number: int = 40) -> StoredAddons:
    """Addons with so many objects."""
    names = [f"object-{place}" for place in range(number)]
    addons = [
        {"name": f"addon-{first}", "version": version, "objects": [config_map(name, f"addon-{first}", v=version)]}
        for first, name in enumerate(names)
    ]
    return StoredAddons(addons, [])


@contextlib.contextmanager
def instead(account: Account, wanted: StoredAddons) -> Iterator[None]:
    """Another content of the store."""
    s3 = account.client("s3")
    before = s3.get_object(Bucket=BUCKET, Key=KEY)["Body"].read()
    keep(account, wanted)
    try:
        yield
    finally:
        s3.put_object(Bucket=BUCKET, Key=KEY, Body=before)


def keep(account: Account, wanted: StoredAddons) -> None:
    data = {"schema": 1, "addons": wanted.addons, "retired": wanted.retired}
    account.client("s3").put_object(Bucket=BUCKET, Key=KEY, Body=json.dumps(data).encode())


def reads(api: FaultyAPI) -> list[Request]:
    """The requests that are not about the Lease."""
    return [request for request in api.requests if "/leases" not in request.target]


def test_a_cluster_gets_its_addons_and_what_an_update_changes(
    running: ControlPlane, account: Account, member: Callable[..., Member]
) -> None:
    client, first, second = running.client(), member("i-1"), member("i-2")
    wanted = stored(account)
    names = [addon["name"] for addon in wanted.addons]
    assert {"aws-cloud-controller.addons.k8s.io", "networking.cilium.io", "coredns.addons.k8s.io"} <= {*names}
    first.start()
    times = {
        "the network": until(lambda: client.find("/apis/apps/v1/namespaces/kube-system/daemonsets/cilium")),
        "the cloud controller manager after it": until(
            lambda: client.find("/apis/apps/v1/namespaces/kube-system/daemonsets/aws-cloud-controller-manager")
        ),
        "all addons after it": until_applied(client, wanted, 120),
    }
    second.start()
    until(lambda: "i-1" in second.said())
    assert "leads" in second.said() and not reads(second.api)
    # A quiet minute is a third of one here.
    for each in (first, second):
        each.api.requests.clear()
    with account.server.recorded() as calls:
        time.sleep(20)
    figures = {each.name: len(each.api.requests) * 3 for each in (first, second)}
    assert not [request for request in reads(first.api) if request.is_write]
    # Of the controller of addons: every 10 seconds.
    assert len([request for request in reads(first.api) if request.target == SYSTEM]) <= 3
    assert len(reads(first.api)) <= 8 and not reads(second.api)
    assert 1 <= calls["s3.Get"] <= 3 and sum(calls.values()) <= 12, calls
    # An update, which does not ask the API server.
    store = json.loads(json.dumps(wanted.addons))
    changed = [{**addon, "version": "2"} if addon["name"] == "coredns.addons.k8s.io" else addon for addon in store]
    with instead(account, StoredAddons(changed, wanted.retired)):
        times["an update"] = until_applied(client, StoredAddons(changed, wanted.retired))
    print(
        times,
        dict(calls),
        f"requests in a minute: {figures}",
        f"MiB: {first.memory()} {second.memory()}",
        len(names),
        "addons",
    )
    assert first.memory() < 200 and second.memory() < 100
    assert first.stop() == 0
    until(lambda: "this control plane leads" in second.said(), 10)


def test_a_leader_that_is_killed_anywhere_goes_on_or_another_one_does(
    running: ControlPlane, account: Account, member: Callable[..., Member]
) -> None:
    client, first, second = running.client(), member("i-1"), member("i-2")

    def killing(writes: int) -> Callable[[Request], int]:
        left = iter(range(writes))

        def spoil(request: Request) -> int:
            if request.is_write and "/leases" not in request.target and next(left, None) is None:
                first.process.kill()
                return LOST
            return 0

        return spoil

    for number, writes in enumerate((1, 17, 40, 25)):
        wanted = many(f"killed-{writes}")
        with instead(account, wanted):
            first.api.spoil = killing(writes)
            first.start()
            first.process.wait(60)
            assert missing(client, wanted)
            first.api.spoil = lambda _request: 0
            if number < 3:
                # As systemd does, and at once: nobody else has this name.
                first.start()
                until_applied(client, wanted, 15)
                first.stop()
            else:
                second.start()
                assert until_applied(client, wanted, TAKEN_OVER + 20) > 1
            found = client.list(
                "/api/v1/namespaces/default/configmaps", labelSelector="app.kubernetes.io/managed-by=kops"
            )
            assert {each["data"]["v"] for each in found} == {f"killed-{writes}"}


def test_a_leader_that_loses_its_api_server_ends_before_another_one_begins(
    running: ControlPlane, account: Account, member: Callable[..., Member]
) -> None:
    client, first, second = running.client(), member("i-1"), member("i-2")
    writes: list[tuple[float, str]] = []

    def noting(name: str) -> Callable[[Request], int]:
        def note(request: Request) -> int:
            if request.is_write and "/leases" not in request.target:
                writes.append((time.monotonic(), name))
            return 0

        return note

    def spoiled(request: Request) -> int:
        noting("i-1")(request)
        # The Lease cannot be renewed; all else works, but takes its time.
        time.sleep(0.3)
        return LOST if "/leases" in request.target else 0

    first.api.spoil, second.api.spoil = noting("i-1"), noting("i-2")
    with instead(account, many("before")):
        first.start()
        until_applied(client, many("before"))
        second.start()
        until(lambda: "i-1" in second.said())
        del writes[:]
        first.api.spoil = spoiled
        keep(account, many("after", 400))
        until(lambda: "this control plane leads" in second.said(), TAKEN_OVER)
        until_applied(client, many("after", 400), 120)
        assert "does not lead any more" in first.said()
        last = {name: max(moment for moment, who in writes if who == name) for name in {who for _moment, who in writes}}
        assert min(moment for moment, who in writes if who == "i-2") > last.get("i-1", 0)
        # It comes back, and follows.
        first.api.spoil = noting("i-1")
        if first.process.poll() is not None:
            first.start()
        until(lambda: "i-2" in first.said())


def test_what_is_refused_or_cannot_be_read_is_said_and_validated(
    running: ControlPlane, account: Account, member: Callable[..., Member]
) -> None:
    client, stranger = running.client(), member("i-3", f"nodes.{NAME}")

    def failures() -> list[tuple[str, str]]:
        found = validate(client, []).failures
        return [(each.name, each.message) for each in found if each.name == "addons"]

    stranger.start()
    until(failures)
    (found,) = failures()
    assert "403" in found[1] and KEY in found[1]
    stranger.stop()
    first = member("i-1")
    refused = {"name": "bad", "version": "1", "objects": [config_map("bad", "bad", number={})]}
    good = {"name": "good", "version": "1", "objects": [config_map("good", "good", number="1")]}
    with instead(account, StoredAddons([refused, good], [])):
        first.start()
        until(lambda: any("ConfigMap default/bad" in message for _name, message in failures()))
        assert not missing(client, StoredAddons([good], []))
        time.sleep(5)
        assert first.said().count("addon bad cannot be applied") == 1
        keep(account, StoredAddons([good], ["bad"]))
        until(lambda: not failures())
    assert "addons: works again" in first.said()
