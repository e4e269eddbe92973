# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An AWS account on loopback: moto's server over HTTP, which writes down every call and can answer with faults.

As a program it serves until it is told to stop; `AWSServer` starts it as a process of its own, so that its work is not
counted as the caller's.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import gc
import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

READ_PREFIXES = ("Describe", "List", "Get", "Head")
REGION = "us-east-1"
# Id, owner and name, and root device of the image that kops' own cases use.
IMAGE_OF_CASES = (
    "ami-12345678",
    "099720109477/images/hvm-ssd-gp3/ubuntu-resolute-26.04-amd64-server-20220404",
    "/dev/xvda",
)
_FAULTS = {
    "throttle": ("400 Bad Request", "Throttling", "Rate exceeded"),
    "error": ("503 Service Unavailable", "ServiceUnavailable", "Try again"),
}
# The connection is reset in the middle of a read's answer.
BREAK = "break"
# What is asked is done, and the connection ends without an answer.
LOST = "lost"
# A proxy's own answer, in no protocol of AWS.
PAGE = "page"
# The SDK alone does not get over it, so the clients of tests, which have this in their user agent, get none.
OBSERVER = "kops-tests"
# Python's own number is 700.
_OBJECTS_UNTIL_COLLECTION = 100_000
_PAGE = b"<!DOCTYPE html>\n<html><body><h1>502 Bad Gateway</h1><br>nginx</body></html>\n"


def is_write(operation: str) -> bool:
    """Whether an operation ("ec2.CreateVpc") changes anything."""
    return not operation.partition(".")[2].startswith(READ_PREFIXES)


def operation_of(environ: dict[str, Any], body: bytes) -> str:
    """service.Operation of a request, from what its protocol puts where."""
    scope = environ.get("HTTP_AUTHORIZATION", "").partition("Credential=")[2].split(",")[0].split("/")
    service = scope[3] if len(scope) > 4 else "unsigned"
    target = environ.get("HTTP_X_AMZ_TARGET")
    if target:
        return f"{service}.{target.rpartition('.')[2]}"
    if "form-urlencoded" in environ.get("CONTENT_TYPE", ""):
        action = urllib.parse.parse_qs(body.decode("utf-8", "replace")).get("Action")
        if action:
            return f"{service}.{action[0]}"
    verb = {"GET": "Get", "HEAD": "Head", "PUT": "Put", "POST": "Post", "DELETE": "Delete"}[environ["REQUEST_METHOD"]]
    query = environ.get("QUERY_STRING", "").split("&")[0].partition("=")[0]
    return f"{service}.{verb}{'.' + query if query and not query.startswith('x-id') else ''}"


@dataclasses.dataclass
class Loses:
    """Which answers to writes are lost.

    first: of every request its first one, so that it must be sent again, or looked whether it was carried out.
    write: that of the so-many-th write. percent: of every hundred writes so many.
    """

    first: bool = False
    write: int = 0
    percent: float = 0

    @classmethod
    def parse(cls, text: str) -> Loses:
        """From "first", "write=7", "percent=20" or "none"."""
        name, _equals, value = text.partition("=")
        return cls() if name == "none" else cls(**{name: float(value) if value else True})


class Recorder:
    """WSGI: one JSON line for each call; of every hundred calls, `fault_percent` are refused or broken off.

    loses: which answers to writes are lost (see AWSServer.lose_answers).
    break_first: an operation ("s3.Get") of which the first answer with content is broken off, whatever chance says.
    """

    def __init__(
        self, application: Callable[..., Iterable[bytes]], log: str, fault_percent: float, seed: int, break_first: str
    ) -> None:
        self.application, self.fault_percent, self.break_first = application, fault_percent, break_first
        self.random = random.Random(seed)
        self.stream = open(log, "a", encoding="utf-8")  # noqa: SIM115 -- as long as the server
        self.lock = threading.Lock()
        self.victim, self.writes_left, self.kill_before = 0, 0, False
        self.loses, self.losing = Loses(), random.Random()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"].startswith("/moto-api"):
            return self.application(environ, start_response)
        if environ["PATH_INFO"].startswith("/kill/"):
            _empty, _kill, pid, writes, moment = environ["PATH_INFO"].split("/")
            with self.lock:
                self.victim, self.writes_left, self.kill_before = int(pid), int(writes), moment == "before"
            start_response("200 OK", [("Content-Length", "0")])
            return [b""]
        if environ["PATH_INFO"].startswith("/lose/"):
            with self.lock:
                self.loses = Loses.parse(environ["PATH_INFO"].removeprefix("/lose/"))
                self.losing = random.Random(self.loses.percent)
            start_response("200 OK", [("Content-Length", "0")])
            return [b""]
        length = int(environ.get("CONTENT_LENGTH") or 0)
        form = "form-urlencoded" in environ.get("CONTENT_TYPE", "")
        body = environ["wsgi.input"].read(length) if form and length else b""
        if form:
            import io

            environ["wsgi.input"] = io.BytesIO(body)
        with self.lock:
            operation = operation_of(environ, body)
            observed = OBSERVER not in environ.get("HTTP_USER_AGENT", "")
            kinds = [*_FAULTS, *([PAGE] if observed else []), *([] if is_write(operation) else [BREAK])]
            fault = self.random.choice(kinds) if self.random.uniform(0, 100) < self.fault_percent else ""
            if not fault and observed and is_write(operation) and self._loses(environ):
                fault = LOST
            may_break = not fault and operation == self.break_first
            if not may_break:
                self._record(environ, operation, fault)
            self.writes_left -= observed and is_write(operation)
            victim = self.victim if self.victim and self.writes_left == 0 else 0
            self.victim = 0 if victim else self.victim
        if may_break:
            return self._break_first(environ, start_response, operation)
        if fault == PAGE:
            start_response("502 Bad Gateway", [("Content-Type", "text/html")])
            return [_PAGE]
        if fault == LOST:
            return self._lose(environ, start_response)
        if fault == BREAK:
            return _broken_off(b"".join(self.application(environ, start_response)), environ)
        if fault:
            return self._refuse(fault, start_response, json_protocol=bool(environ.get("HTTP_X_AMZ_TARGET")))
        if victim and self.kill_before:
            _end(victim)
            raise ConnectionResetError("the caller is gone")
        answer = self.application(environ, start_response)
        if victim:
            # The call is carried out, but its caller never learns of it: the worst moment to end.
            _end(victim)
        return answer

    def _loses(self, environ: dict[str, Any]) -> bool:
        """Whether the answer to this write is lost; each write is asked about once."""
        self.loses.write -= 1
        first = self.loses.first and "attempt=1" in environ.get("HTTP_AMZ_SDK_REQUEST", "")
        return first or self.loses.write == 0 or self.losing.uniform(0, 100) < self.loses.percent

    def _lose(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Carry it out and end the connection; what is refused is answered."""
        begun: list[tuple[Any, ...]] = []
        content = b"".join(self.application(environ, lambda *begin: begun.append(begin)))
        if begun[-1][0] >= "400":
            start_response(*begun[-1])
            return [content]
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        raise ConnectionResetError("as a fault")

    def _record(self, environ: dict[str, Any], operation: str, fault: str) -> None:
        by = "tests" if OBSERVER in environ.get("HTTP_USER_AGENT", "") else ""
        line = {"operation": operation, "path": environ["PATH_INFO"], "fault": fault, "by": by}
        self.stream.write(json.dumps(line) + "\n")
        self.stream.flush()

    def _break_first(
        self, environ: dict[str, Any], start_response: Callable[..., Any], operation: str
    ) -> Iterable[bytes]:
        """Break the answer off if it is the first with content; errors, as of a missing file, are passed on."""
        begun: list[tuple[Any, ...]] = []
        content = b"".join(self.application(environ, lambda *begin: begun.append(begin)))
        with self.lock:
            breaks = bool(self.break_first) and begun[-1][0].startswith("200") and len(content) > 1
            self.break_first = "" if breaks else self.break_first
            self._record(environ, operation, BREAK if breaks else "")
        start_response(*begun[-1])
        return _broken_off(content, environ) if breaks else [content]

    @staticmethod
    def _refuse(fault: str, start_response: Callable[..., Any], json_protocol: bool) -> Iterable[bytes]:
        status, code, message = _FAULTS[fault]
        if json_protocol:
            start_response(status, [("Content-Type", "application/x-amz-json-1.1")])
            return [json.dumps({"__type": code, "message": message}).encode()]
        start_response(status, [("Content-Type", "text/xml")])
        error = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"
        return [f"<ErrorResponse>{error}<RequestId>fault</RequestId></ErrorResponse>".encode()]


def _broken_off(content: bytes, environ: dict[str, Any]) -> Iterator[bytes]:
    """The first half of an answer, then the connection is reset."""
    yield content[: len(content) // 2]
    connection = environ["werkzeug.socket"]
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    os.close(connection.detach())
    raise ConnectionResetError("as a fault")


def _end(pid: int) -> None:
    # It may have come through meanwhile.
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def write_images(path: str) -> None:
    """The images that the channels recommend, and that of kops' own cases, as moto reads an account's images."""
    from ansible_collections.kubeops.kops.plugins.module_utils.channels.stable import STABLE

    names = sorted({image.name for image in STABLE.images if image.cloud == "aws" and "/ubuntu/" in image.name})
    known = [(f"ami-{index:017x}", name, "/dev/sda1") for index, name in enumerate(names, start=1)]
    known.append(IMAGE_OF_CASES)
    images = [
        {
            "ami_id": identity,
            "name": name.partition("/")[2],
            "owner_id": name.partition("/")[0],
            "description": "Ubuntu",
            "architecture": "arm64" if "arm64" in name else "x86_64",
            "root_device_name": root,
            "root_device_type": "ebs",
            "image_type": "machine",
            "hypervisor": "xen",
            "virtualization_type": "hvm",
            "platform": None,
            "public": True,
            "state": "available",
            "sriov": "simple",
        }
        for identity, name, root in known
    ]
    pathlib.Path(path).write_text(json.dumps(images), encoding="utf-8")


def tag_new_dhcp_options() -> None:
    """moto passes over the tags of CreateDhcpOptions."""
    from moto.ec2.responses.dhcp_options import DHCPOptions

    create_dhcp_options = DHCPOptions.create_dhcp_options

    def create_tagged_dhcp_options(self: Any) -> Any:
        answer = create_dhcp_options(self)
        for specification in self._get_param("TagSpecifications", []):
            answer.result["DhcpOptions"].add_tags({tag["Key"]: tag["Value"] for tag in specification["Tags"]})
        return answer

    DHCPOptions.create_dhcp_options = create_tagged_dhcp_options


def show_later_tags_of_launch_templates() -> None:
    """moto's DescribeLaunchTemplates shows the tags that a template was created with."""
    from moto.ec2.models.launch_templates import LaunchTemplate

    template: Any = LaunchTemplate
    template.tags = property(LaunchTemplate.get_tags, lambda self, value: None)


def delete_launch_template_versions() -> None:
    """moto does not know DeleteLaunchTemplateVersions."""
    from moto.core.responses import ActionResult
    from moto.ec2.models.launch_templates import LaunchTemplateBackend
    from moto.ec2.responses.launch_templates import LaunchTemplates

    deleted: set[tuple[str, int]] = set()
    describe = LaunchTemplateBackend.describe_launch_template_versions

    def delete_versions(self: Any) -> ActionResult:
        template = self._get_param("LaunchTemplateId")
        deleted.update((template, int(number)) for number in self._get_param("Versions", []))
        return ActionResult({})

    def describe_those_left(self: Any, **parameters: Any) -> list[Any]:
        return [pair for pair in describe(self, **parameters) if (pair[0].id, pair[1].number) not in deleted]

    responses: Any = LaunchTemplates
    backend: Any = LaunchTemplateBackend
    responses.delete_launch_template_versions = delete_versions
    backend.describe_launch_template_versions = describe_those_left


def give_out_addresses_one_at_a_time() -> None:
    """moto's subnets give out addresses from a generator, which breaks when two instances start at once."""
    from moto.ec2.models.subnets import Subnet

    get_available_subnet_ip, lock = Subnet.get_available_subnet_ip, threading.Lock()

    def get_alone(self: Any, instance: Any) -> str:
        with lock:
            return str(get_available_subnet_ip(self, instance))

    Subnet.get_available_subnet_ip = get_alone


@functools.cache
def extend_moto() -> None:
    """What a cluster's life needs and moto lacks: each function names one gap, and closes it."""
    tag_new_dhcp_options()
    show_later_tags_of_launch_templates()
    delete_launch_template_versions()
    give_out_addresses_one_at_a_time()
    from ansible_collections.kubeops.kops.tests.support import moto_additions, moto_requests, moto_resets

    moto_additions.add_all()
    moto_resets.read_managed_policies_once()
    moto_resets.make_nothing_that_is_dropped()
    moto_requests.find_services_once()
    moto_requests.list_operations_once()


def stop_with_our_parent(server: Any) -> None:
    """Stop the server when standard input ends."""
    sys.stdin.read()
    server.shutdown()


def serve(
    log: str,
    fault_percent: float,
    seed: int,
    break_first: str,
    detached: bool,
    checked: bool,
    place: tuple[str, int] = ("127.0.0.1", 0),
    consoles: str = "",
) -> None:
    """Serve at an address and a port, which is printed, until standard input ends; detached: until killed.

    checked: signatures and policies of roles' sessions are. place: by default a free port of loopback.
    consoles: a directory with the logs of containers that are instances, by their ids; moto invents a console without.
    """
    os.environ["MOTO_AMIS_PATH"] = f"{log}.images"
    write_images(os.environ["MOTO_AMIS_PATH"])
    extend_moto()
    if checked:
        from ansible_collections.kubeops.kops.tests.support.moto_checks import check_sessions_of_roles

        check_sessions_of_roles()
    if consoles:
        from ansible_collections.kubeops.kops.tests.support.moto_consoles import show_consoles

        show_consoles(pathlib.Path(consoles))
    from ansible_collections.kubeops.kops.tests.support import moto_change_sets, moto_nested, moto_stacks
    from ansible_collections.kubeops.kops.tests.support.keep_alive import make_server
    from ansible_collections.kubeops.kops.tests.support.moto_filters import Filters
    from moto.server import DomainDispatcherApplication, create_backend_app

    # Most of what it makes stays, so looking for garbage finds little.
    gc.set_threshold(_OBJECTS_UNTIL_COLLECTION)
    account = Filters(DomainDispatcherApplication(create_backend_app))
    application = Recorder(account, log, fault_percent, seed, break_first)
    server = make_server(*place, application)
    moto_stacks.make_stacks_of_services(f"http://{place[0]}:{server.server_port}")
    moto_change_sets.carry_out_change_sets()
    moto_nested.nest_stacks()
    print(server.server_port, flush=True)
    if not detached:
        threading.Thread(target=stop_with_our_parent, args=(server,), daemon=True).start()
    server.serve_forever(0.02)


def environment_of(url: str) -> dict[str, str]:
    """What a process needs in its environment to use the account at a URL and no other."""
    return {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }


@functools.lru_cache(maxsize=128)
def client_of(url: str, service: str) -> Any:
    """A boto3 client of the account at a URL, the same each time: making one takes longer than most of its calls."""
    import boto3
    import botocore.config

    return boto3.client(
        service,
        config=botocore.config.Config(user_agent_extra=OBSERVER),
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
    )


class AWSServer:
    """A context manager: the account while it runs. `environment` points every AWS SDK at it.

    checked: whether a role's session can do what the role's policies allow, and no more; the key "testing" can do all.
    """

    def __init__(
        self, *, fault_percent: float = 0, seed: int = 1, break_first: str = "", checked: bool = False
    ) -> None:
        self.fault_percent, self.seed, self.break_first = fault_percent, seed, break_first
        self.checked = checked

    def __enter__(self) -> AWSServer:
        self._directory = tempfile.TemporaryDirectory(prefix="kops-aws-")
        self.log = pathlib.Path(self._directory.name) / "calls"
        self.log.touch()
        self._process = subprocess.Popen(
            [
                sys.executable,
                __file__,
                f"--log={self.log}",
                f"--fault-percent={self.fault_percent}",
                f"--seed={self.seed}",
                f"--break-first={self.break_first}",
                *(["--checked"] if self.checked else []),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "MOTO_IAM_LOAD_MANAGED_POLICIES": "true"},
        )
        assert self._process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}"
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._directory.cleanup()

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs in its environment to use this account and no other."""
        return environment_of(self.url)

    def client(self, service: str) -> Any:
        """A boto3 client of the account."""
        return client_of(self.url, service)

    def calls(self) -> list[str]:
        """Every call so far, as service.Operation."""
        return [json.loads(line)["operation"] for line in self.log.read_text().splitlines()]

    def reset(self) -> None:
        """Make the account as new."""
        self._control("/moto-api/reset")

    @contextlib.contextmanager
    def ignoring_filters(self) -> Iterator[None]:
        """While the block runs, every listing shows the whole account, whatever it is asked for."""
        self._control("/moto-api/filters/ignored")
        try:
            yield
        finally:
            self._control("/moto-api/filters/heeded")

    def kill_at_write(self, pid: int, writes: int, *, before: bool) -> None:
        """End a process (SIGKILL) at its so-many-th write from now on: before it is carried out, or right after.

        pid: that of a process, or of a process group with a minus before it.
        """
        self._control(f"/kill/{pid}/{writes}/{'before' if before else 'after'}")

    @contextlib.contextmanager
    def lose_answers(self, which: str) -> Iterator[None]:
        """Carry out writes and answer nothing, while the block runs.

        which: "first", the first answer to each request; "write=7", that to the 7th write; "percent=20".
        """
        self._control(f"/lose/{which}")
        try:
            yield
        finally:
            self._control("/lose/none")

    def _control(self, path: str) -> None:
        urllib.request.urlopen(urllib.request.Request(self.url + path, method="POST")).close()

    @contextlib.contextmanager
    def recorded(self) -> Iterator[Counter[str]]:
        """The calls that are made while the block runs, counted by operation; filled when it ends."""
        before, counted = len(self.calls()), Counter[str]()
        yield counted
        counted.update(self.calls()[before:])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", required=True)
    parser.add_argument("--fault-percent", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--break-first", default="", metavar="OPERATION")
    parser.add_argument("--detached", action="store_true")
    parser.add_argument("--checked", action="store_true")
    parser.add_argument("--address", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--consoles", default="")
    arguments = parser.parse_args()
    serve(
        *(arguments.log, arguments.fault_percent, arguments.seed, arguments.break_first, arguments.detached),
        arguments.checked,
        (arguments.address, arguments.port),
        arguments.consoles,
    )
