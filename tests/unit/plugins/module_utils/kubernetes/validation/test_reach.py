# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hop fails, and what to do, on a server of TLS on loopback."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import pathlib
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import Credentials
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation import reach
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import Failure
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki

NAME = "api.internal.demo.example.com"
HOUR = datetime.timedelta(hours=1)


@pytest.fixture(scope="module")
def authority() -> pki.KeyPair:
    return pki.issue(pki.CertificateRequest("ca", pki.Subject("kubernetes-ca")))


def server_pair(signer: pki.KeyPair, name: str = NAME, validity: datetime.timedelta = HOUR) -> pki.KeyPair:
    request = pki.CertificateRequest("server", pki.Subject("apiserver"), alternate_names=(name,), validity=validity)
    return pki.issue(request, signer)


@contextlib.contextmanager
def server(directory: pathlib.Path, pair: pki.KeyPair | None, answer: str = "") -> Iterator[int]:
    """The port of a server that answers once, or that closes each connection without a certificate."""
    context = None
    if pair is not None:
        file = directory / "server.pem"
        file.write_text(pair.certificate + pair.private_key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _address = listener.accept()
                with connection, contextlib.suppress(OSError):
                    if context is not None:
                        with context.wrap_socket(connection, server_side=True) as safe:
                            if safe.recv(4096):
                                safe.sendall(answer.encode())

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield listener.getsockname()[1]
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(5)


def response(status: int, body: str = "") -> str:
    return f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}"


def place(authority: pki.KeyPair, port: int, host: str = "127.0.0.1", access: Sequence[str] = ()) -> reach.Place:
    return reach.Place(host, port, "the name of the API", NAME, Credentials(authority.certificate), access)


NOT_READY = "[+]ping ok\n[-]etcd failed: reason withheld\n[-]poststarthook/rbac/bootstrap-roles failed: reason\n"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (response(200, "ok"), None),
        (response(401), "does not accept the administrator's certificate (401); it has expired or a clock is wrong"),
        (response(403), "refuses an administrator (403); look at spec.authorization"),
        (response(429), "has too many requests (429)"),
        (
            response(500, NOT_READY),
            "is not ready (status 500): the checks etcd, poststarthook/rbac/bootstrap-roles fail; look at etcd on the",
        ),
        (response(503), "is not ready (status 503); it starts, stops or misses etcd"),
        ("", "does not answer: the API server"),
    ],
)
def test_what_an_api_server_answers(
    authority: pki.KeyPair, tmp_path: pathlib.Path, answer: str, message: str | None
) -> None:
    with server(tmp_path, server_pair(authority), answer) as port:
        failure = reach.unreachable(place(authority, port))
    if message is None:
        assert failure is None
    else:
        assert failure is not None
        assert (failure.kind, failure.name) == ("APIServer", "127.0.0.1")
        assert failure.message.startswith(f"the name of the API {message}")


def test_certificates(authority: pki.KeyPair, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = pki.issue(pki.CertificateRequest("ca", pki.Subject("other")))
    cases = [
        (server_pair(other), "has a certificate that the CA of the cluster has not signed ("),
        (server_pair(authority, "api.other.example.com"), f"has a certificate that is not for {NAME}; another server"),
        (server_pair(authority, validity=-HOUR), "has a certificate that has expired; look at the clocks"),
        (None, "breaks TLS off ("),
    ]
    monkeypatch.setattr(pki, "BACKDATED", -HOUR)
    cases.append((server_pair(authority, validity=3 * HOUR), "has a certificate that is not valid yet; look at the"))
    for pair, message in cases:
        with server(tmp_path, pair) as port:
            failure = reach.unreachable(place(authority, port))
        assert failure is not None
        assert failure.kind == "TLS"
        assert failure.message.startswith(f"the name of the API {message}")


def test_a_connection_that_is_refused(authority: pki.KeyPair) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    message = (
        f"the name of the API at this address port {port}: Connection refused; no API server listens there yet, so look"
        " at the console of the control plane"
    )
    assert reach.unreachable(place(authority, port)) == Failure("TCP", "127.0.0.1", message)


@pytest.mark.parametrize(
    ("own", "other", "access", "kind", "message"),
    [
        ("192.0.2.9", "10.0.0.1", [], "TCP", "look at routes and firewalls"),
        ("10.9.0.9", "10.0.0.1", ["10.0.0.0/8"], "TCP", "spec.api.access lets this machine (10.9.0.9) in, so look at"),
        ("8.8.8.8", "1.1.1.1", ["9.0.0.0/8"], "SecurityGroup", "(9.0.0.0/8) does not let this machine (8.8.8.8) in"),
        ("10.9.0.9", "10.0.0.1", ["10.1.0.0/16", "pl-1"], "SecurityGroup", "(10.1.0.0/16, pl-1) does not let this"),
        # Its public address is another one.
        ("10.9.0.9", "1.1.1.1", ["9.0.0.0/8"], "TCP", "spec.api.access lets only 9.0.0.0/8 in, so add the public"),
        (None, "1.1.1.1", ["::/0"], "TCP", "spec.api.access lets only ::/0 in"),
    ],
)
def test_no_answer(
    authority: pki.KeyPair,
    monkeypatch: pytest.MonkeyPatch,
    own: str | None,
    other: str,
    access: list[str],
    kind: str,
    message: str,
) -> None:
    def silent(*_arguments: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", silent)
    monkeypatch.setattr(reach, "_own_address", lambda *_: ipaddress.ip_address(own) if own else None)
    failure = reach.unreachable(place(authority, 443, other, access))
    assert failure is not None
    assert failure.kind == kind
    assert message in failure.message
    assert "at this address port 443: no answer; " in failure.message


def test_the_address_of_this_machine() -> None:
    assert reach._own_address("127.0.0.1", 443) == ipaddress.ip_address("127.0.0.1")


def test_names_without_a_use(authority: pki.KeyPair, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_arguments: object, **_options: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    failure = reach.unreachable(place(authority, 443, "api.demo"))
    message = (
        "the name of the API has no address (Name or service not known); look whether the record exists and this"
        " machine asks the right DNS servers"
    )
    assert failure == Failure("DNS", "api.demo", message)
    answer = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("203.0.113.123", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments, **options: answer)
    failure = reach.unreachable(place(authority, 443, "api.demo"))
    assert failure is not None
    assert "still has the address that it was created with (203.0.113.123); the control plane writes" in failure.message
