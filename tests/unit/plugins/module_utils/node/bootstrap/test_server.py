# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A verifier that asks callers back. All else is asked of a running server in integration/test_bootstrap_server.py."""

from __future__ import annotations

import contextlib
import json
import pathlib
import socket
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import PATH, Answer, Request
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import content_hash
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Journal
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.connection import ask
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.serve import listener
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.server import Limits, Server
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.service import Service
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.identity import (
    Admission,
    Evidence,
    Identity,
    Unavailable,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.tests.support import bootstrap_server

CLUSTER, NAME = "demo.example.com", "kops-controller.internal.demo.example.com"
CONFIG = json.dumps({"cluster": CLUSTER, "instanceGroup": "nodes-a"}).encode()
FILES = {f"igconfig/node/nodes-a/nodeconfig/{content_hash(CONFIG)}.json": CONFIG}
REQUEST = Request({}, content_hash(CONFIG)).text()


class AsksBack:
    """Knows an instance by what it answers at a port of the address that the request comes from. port: of all."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.seen: list[Evidence] = []

    def identify(self, evidence: Evidence, admission: Admission) -> Identity:
        self.seen.append(evidence)
        admission.ask_cloud()
        with admission.ask_caller() as seconds:
            try:
                with socket.create_connection((evidence.caller, self.port), seconds) as connection:
                    name = connection.recv(64).decode()
            except OSError as error:
                raise Unavailable(f"the instance does not say who it is: {error}") from error
        return Identity("nodes-a", {"NODE_NAME": name, "INTERNAL_IP": evidence.caller})


class Nodes:
    """None is ready."""

    def is_ready(self, name: str) -> bool:
        return False


@contextlib.contextmanager
def instance(*, answers: bool = True) -> Iterator[int]:
    """The port at which an instance says its name to whoever asks, or says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening, contextlib.ExitStack() as stack:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection = stack.enter_context(listening.accept()[0])
                    if answers:
                        connection.sendall(b"server-1")
                        connection.close()

        threading.Thread(target=serve, daemon=True).start()
        yield int(listening.getsockname()[1])


@contextlib.contextmanager
def serving(directory: pathlib.Path, verifier: AsksBack, limits: Limits) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """What boot.json says of a server, and its journal."""
    authority = bootstrap_server.new_authority()
    key = pki.generate_elliptic_key()
    pair = pki.issue(pki.CertificateRequest("server", pki.Subject(NAME), (NAME,), private_key=key), authority)
    (directory / "server.pem").write_text(pair.certificate + pair.private_key)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(directory / "server.pem")
    lines: list[str] = []
    listening = listener(0, "127.0.0.1")
    port = listening.getsockname()[1]
    service = Service(CLUSTER, FILES.get, verifier, Nodes())
    server = Server(listening, tls, service, Journal(lines.append), limits)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield {"addresses": ["127.0.0.1"], "port": port, "name": NAME, "ca": authority.certificate}, lines
    finally:
        server.stop()
        thread.join(5)


def test_an_instance_without_a_proof_is_asked_at_the_address_that_it_calls_from(tmp_path: pathlib.Path) -> None:
    with instance() as port:
        verifier = AsksBack(port)
        with serving(tmp_path, verifier, Limits()) as (servers, _lines):
            response = ask(servers, "POST", PATH, REQUEST)
    assert response.status == 200
    assert Answer.read(response.content).node_config == CONFIG.decode()
    assert verifier.seen == [Evidence("", REQUEST, "127.0.0.1")]


def test_callers_that_do_not_answer_take_few_places_and_not_for_long(tmp_path: pathlib.Path) -> None:
    limits = Limits(threads=4, asked_back=2, asked_seconds=1.5, patience_seconds=0.2)
    with instance(answers=False) as port, serving(tmp_path, AsksBack(port), limits) as (servers, lines):
        with ThreadPoolExecutor(6) as threads:
            slow = [threads.submit(_status, servers) for _each in range(6)]
            # Meanwhile, others are served.
            for _time in range(5):
                assert ask(servers, "GET", "/healthz").status == 200
            statuses = [each.result() for each in slow]
        assert set(statuses) == {429, 503}
        assert statuses.count(503) >= 2
        assert any("too many callers are being asked who they are" in line for line in lines)
        assert any("the instance does not say who it is" in line for line in lines)


def _status(servers: dict[str, Any]) -> int:
    """The status of the answer; 503 is one that is tried elsewhere."""
    try:
        return ask(servers, "POST", PATH, REQUEST).status
    except OSError as error:
        assert "the answer is 503" in str(error)
        return 503


def test_who_is_asked_leaves_places_for_others() -> None:
    assert 0 < Limits().asked_back < Limits().threads
