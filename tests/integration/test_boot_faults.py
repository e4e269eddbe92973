# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults while an instance boots, with the real user data as a process: what it says of them, and that it goes on."""

from __future__ import annotations

import contextlib
import email.utils
import hashlib
import http.client
import http.server
import json
import pathlib
import random
import re
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.integration import test_boot
from ansible_collections.kubeops.kops.tests.integration.conftest import BUCKET, NAME, ZONE, Account
from ansible_collections.kubeops.kops.tests.integration.test_boot import Machine, lines, until
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

pytestmark = [test_boot.pytestmark, pytest.mark.long]
cluster, machine_of, worker = test_boot.cluster, test_boot.machine_of, test_boot.worker
# What a control plane says when it has read the store, and a worker when it has its certificates.
DONE = "this instance would attach volume vol-"
JOINED = "this machine would become a node"


CLOCK = re.compile(r"; this machine's clock differs from the server's by (59|60)\d s")
Fault = tuple[int, str]
THROTTLED: tuple[Fault, ...] = (
    (503, "SlowDown"),
    (500, "InternalError"),
    (503, "ServiceUnavailable"),
    (429, "Throttling"),
)


class FaultyAWS(http.server.BaseHTTPRequestHandler):
    """In front of the account. fault: status and code of the answer to a path, or None to pass the request on.

    date: of such answers. pause: seconds between the halves of a program. answered: how many were faults, and how
    many not.
    """

    protocol_version = "HTTP/1.1"
    server_url = url = ""
    fault: Callable[[str], Fault | None] = staticmethod(lambda path: None)
    date = ""
    pause = 0.0
    answered: list[int] = [0, 0]

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        found = self.fault(self.path)
        self.answered[found is None] += 1
        if found is not None:
            text = f"<Error><Code>{found[1]}</Code><Message>as a fault</Message></Error>"
            self._send(found[0], self.date or email.utils.formatdate(usegmt=True), text.encode())
            return
        place = urllib.parse.urlsplit(self.server_url)
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
        try:
            # The name of the host is signed, too: it stays.
            connection.request(self.command, self.path, body, dict(self.headers))
            answer = connection.getresponse()
            self._send(answer.status, answer.headers.get("Date", ""), answer.read())
        finally:
            connection.close()

    def _send(self, status: int, date: str, content: bytes) -> None:
        self.send_response_only(status)
        self.send_header("Date", date)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        half = len(content) // 2 if self.pause and "node-program" in self.path else 0
        with contextlib.suppress(ConnectionError):  # of an instance that was killed
            self.wfile.write(content[:half])
            time.sleep(self.pause if half else 0)
            self.wfile.write(content[half:])

    def log_message(self, *_arguments: object) -> None:
        """Nothing: what instances say is looked at."""


@pytest.fixture()
def between(checked: AWSServer) -> Iterator[type[FaultyAWS]]:
    """What stands between an instance and the account."""
    own = {"server_url": checked.url, "answered": [0, 0]}
    handler: type[FaultyAWS] = type("Handler", (FaultyAWS,), own)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        handler.url = f"http://127.0.0.1:{server.server_port}"
        yield handler
        server.shutdown()


@pytest.fixture()
def control_plane(machine_of: Any, between: type[FaultyAWS]) -> Machine:
    """A control plane that reaches the account through what stands between."""
    made: Machine = machine_of("ControlPlane", "masters")
    made.environment["AWS_ENDPOINT_URL"] = between.url
    return made


def program_of(machine: Machine) -> pathlib.Path:
    return machine.root / "opt/kubeops/kops-node"


def test_throttling_and_errors_of_a_fifth_of_all_calls_only_delay_a_boot(
    control_plane: Machine, between: type[FaultyAWS]
) -> None:
    chance = random.Random(14)
    between.fault = staticmethod(lambda path: chance.choice(THROTTLED) if chance.random() < 0.2 else None)
    faults = 0
    while faults < 8:
        for path in (control_plane.root / "opt/kubeops").glob("*node*"):
            path.unlink()
        assert DONE in lines(control_plane.start(), DONE, seconds=180)[-1]
        faults, passed = between.answered
    assert passed > faults


def away(handler: type[http.server.BaseHTTPRequestHandler]) -> Callable[[], None]:
    """A server ends connections without a word from now on, as a load balancer does which has no target.

    Returns what makes it answer again.
    """
    handler.handle = lambda self: None
    return lambda: delattr(handler, "handle")


def test_a_store_that_is_away_is_waited_for(control_plane: Machine, between: type[FaultyAWS]) -> None:
    for awaited in ("the node program: s3://", f"its files in the state store s3://{BUCKET}/{NAME}, and its volumes: "):
        comes_back = away(between)
        process = control_plane.start()
        assert f"kubeops: waiting for {awaited}" in until(process, "; next try in ")[-1]
        comes_back()
        assert DONE in lines(process, DONE, seconds=60)[-1]


def test_a_worker_that_starts_before_the_servers_joins_when_one_answers(worker: tuple[Machine, Any]) -> None:
    machine, handler = worker
    ((path, program),) = handler.files.items()
    port = json.loads(machine.boot_file.read_text())["servers"]["port"]
    said = f"kubeops: waiting for the node program: no bootstrap server at port {port} (127.0.0.1: "
    comes_back = away(handler)
    process = machine.start()
    assert all(line.startswith(said) for line in until(process, "next try in 2 s"))
    # What a proxy may say meanwhile.
    handler.files[path] = b"<html>try again"
    comes_back()
    assert "but must have" in until(process, "SHA-256")[-1]
    handler.files[path] = program
    comes_back = away(handler)
    # As soon as the loader has the program, nobody answers its request.
    said = f"kubeops: waiting for a bootstrap server of {NAME}: no bootstrap server at port {port} (127.0.0.1: "
    process.kill()
    program_of(machine).write_bytes(program)
    process = machine.start()
    assert until(process, "next try in 2 s")[-1].startswith(said)
    comes_back()
    lines(process, JOINED)


def test_a_worker_whose_clock_is_wrong_is_told(worker: tuple[Machine, Any]) -> None:
    machine, handler = worker
    handler.statuses += [200, 403]
    handler.date_time_string = lambda self: email.utils.formatdate(time.time() - 600, usegmt=True)
    process = machine.start()
    said = until(process, "does not accept")[-1]
    assert f"waiting for a bootstrap server of {NAME}: " in said
    assert CLOCK.search(said)
    lines(process, JOINED)


def test_volumes_that_another_instance_has_are_waited_for(cluster: Account, control_plane: Machine) -> None:
    ec2 = cluster.client("ec2")
    (other,) = ec2.run_instances(ImageId="ami-12345678", MinCount=1, MaxCount=1, Placement={"AvailabilityZone": ZONE})[
        "Instances"
    ]
    mine = [{"Name": "tag:KubernetesCluster", "Values": [NAME]}]
    names = [each["VolumeId"] for each in ec2.describe_volumes(Filters=mine)["Volumes"]]
    for name, device in zip(names, ("/dev/xvdu", "/dev/xvdv"), strict=True):
        ec2.attach_volume(VolumeId=name, InstanceId=other["InstanceId"], Device=device)
    process = control_plane.start()
    said = until(process, "no member of etcd is free in")[-1]
    assert "waiting for its files in the state store" in said
    for name in names:
        assert f"volume {name} (member a of etcd cluster " in said
    assert f"is attached to {other['InstanceId']}, which is running. Terminate the instance" in said
    ec2.terminate_instances(InstanceIds=[other["InstanceId"]])
    assert DONE in lines(process, DONE)[-1]


@pytest.mark.parametrize("what", ["node-program", "nodeconfig"])
def test_what_is_wrong_at_first_is_loaded_again(
    cluster: Account, control_plane: Machine, between: type[FaultyAWS], what: str
) -> None:
    """The first answer is a page of a proxy, with status 200."""
    wrong = [1]
    between.fault = staticmethod(lambda path: (200, "wrong") if what in path and wrong and wrong.pop() else None)
    said = lines(control_plane.start(), DONE, seconds=120)
    assert [line for line in said if "SHA-256" in line and "but must have" in line]
    kept = list((control_plane.root / "opt/kubeops").glob("nodeconfig-*.json"))
    assert [json.loads(path.read_text())["role"] for path in kept] == ["ControlPlane"]


def test_a_clock_that_is_wrong_is_named(control_plane: Machine, between: type[FaultyAWS]) -> None:
    between.date = email.utils.formatdate(time.time() + 600, usegmt=True)
    between.fault = staticmethod(lambda path: (403, "RequestTimeTooSkewed"))
    assert CLOCK.search(lines(control_plane.start(), "kubeops: ")[0])
    between.fault = staticmethod(lambda path: None if "node-program" in path else (403, "RequestTimeTooSkewed"))
    said = lines(control_plane.start(), "RequestTimeTooSkewed", seconds=60)
    assert "waiting for its files in the state store" in said[-1]
    assert CLOCK.search(said[-1])
    between.fault = staticmethod(lambda path: None)
    assert DONE in lines(control_plane.start(), DONE, seconds=60)[-1]


def test_slow_metadata_only_delay_a_boot(control_plane: Machine) -> None:
    service = control_plane.service
    answer, slow = service.do_GET, [3, 0, 2]

    def late(self: Any) -> None:
        time.sleep(slow.pop() if slow else 0.1)
        answer(self)

    service.do_GET = late
    assert DONE in lines(control_plane.start(), DONE, seconds=120)[-1]
    assert not slow


def test_a_full_disk_is_named_and_leaves_no_half_of_a_program(control_plane: Machine) -> None:
    program = program_of(control_plane)
    new = program.with_name("kops-node.new")
    new.symlink_to("/dev/full")
    process = control_plane.start()
    assert process.stdout is not None
    assert "waiting for the node program: [Errno 28] No space left on device" in process.stdout.readline()
    assert not program.exists()
    new.unlink()
    assert DONE in lines(process, DONE, seconds=60)[-1]
    assert not new.exists()


def test_what_a_killed_loader_leaves_is_not_taken_for_the_program(
    control_plane: Machine, between: type[FaultyAWS]
) -> None:
    """It is killed at random moments while it loads; half a file is there from the time before, or none."""
    program = program_of(control_plane)
    sha256 = json.loads(control_plane.boot_file.read_text())["program"]["sha256"]
    chance, found = random.Random(14), set()
    for half, between.pause in [(b"", 0.0), (b"PK half a program", 0.0), (b"", 2.0), (b"PK half a program", 2.0)] * 5:
        for path in (program, program.with_name("kops-node.new")):
            path.unlink(missing_ok=True)
            if half:
                path.write_bytes(half)
        process = control_plane.start()
        time.sleep(chance.uniform(0, 1.2))
        process.kill()
        process.communicate()
        left = program.read_bytes() if program.exists() else b""
        is_whole = hashlib.sha256(left).hexdigest() == sha256
        assert is_whole or left == half
        found.add(is_whole)
    between.pause = 0.0
    assert DONE in lines(control_plane.start(), DONE, seconds=60)[-1]
    assert hashlib.sha256(program.read_bytes()).hexdigest() == sha256
    assert found == {True, False}


def test_a_compatible_store_has_users_of_its_own(cluster: Account, control_plane: Machine) -> None:
    """User data names the endpoint; the keys are in the image's /etc/environment, which the unit reads."""
    iam = cluster.client("iam")
    iam.create_user(UserName="store")
    statement = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    iam.put_user_policy(UserName="store", PolicyName="store", PolicyDocument=policy)
    key = iam.create_access_key(UserName="store")["AccessKey"]
    boot = json.loads(control_plane.boot_file.read_text())
    control_plane.change_boot_file(
        environment={"S3_ENDPOINT": cluster.server.url, "S3_REGION": "us-east-1"},
        store=boot["store"],
    )
    name = {"RoleName": f"masters.{NAME}", "PolicyName": f"masters.{NAME}"}
    document = iam.get_role_policy(**name)["PolicyDocument"]
    kept = [each for each in document["Statement"] if not any("s3:" in action for action in _actions(each))]
    iam.put_role_policy(**name, PolicyDocument=json.dumps({**document, "Statement": kept}))
    try:
        assert "403" in lines(control_plane.start(), "kubeops: ")[0]
        unit = (control_plane.root / "etc/systemd/system/kops-configuration.service").read_text()
        assert "EnvironmentFile=-/etc/environment\n" in unit
        own = {"S3_ACCESS_KEY_ID": key["AccessKeyId"], "S3_SECRET_ACCESS_KEY": key["SecretAccessKey"]}
        control_plane.environment.update(own)
        assert DONE in lines(control_plane.start(), DONE, seconds=60)[-1]
        assert key["SecretAccessKey"] not in control_plane.script
    finally:
        iam.put_role_policy(**name, PolicyDocument=json.dumps(document))


def _actions(statement: dict[str, Any]) -> list[str]:
    found = statement["Action"]
    return [found] if isinstance(found, str) else list(found)
