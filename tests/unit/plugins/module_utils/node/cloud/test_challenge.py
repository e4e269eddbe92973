# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server answers for its own requests, and for no others."""

from __future__ import annotations

import contextlib
import secrets
import socket

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud import challenge
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.challenge import (
    Listener,
    header,
    is_answered,
    read_header,
)

SCHEME = "x-kubeops-test"
SERVER, BODY = "4a7c1f0e-8d29-4b3c-9a51-0d6ee1c5a001", b'{"certs": {}}'


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def test_it_answers_for_its_last_request(port: int) -> None:
    listener = Listener(SCHEME, "127.0.0.1", port)
    said = read_header(SCHEME, listener.proof(SERVER, BODY))
    assert said is not None
    server, key = said
    assert server == SERVER
    # As many control planes as there are may ask.
    for _again in range(3):
        assert is_answered("127.0.0.1", key, BODY, 5, port)
    assert not is_answered("127.0.0.1", key, BODY + b" ", 5, port)
    assert not is_answered("127.0.0.1", secrets.token_bytes(32), BODY, 5, port)
    following = read_header(SCHEME, listener.proof(SERVER, b"another"))
    assert following is not None
    assert not is_answered("127.0.0.1", key, BODY, 5, port)
    assert is_answered("127.0.0.1", following[1], b"another", 5, port)


@pytest.mark.parametrize("said", [b"", b"\n", b"zz\n", b"00\n", b"0" * 1000], ids=len)
def test_what_is_no_question_gets_no_answer_and_keeps_nobody_from_asking(port: int, said: bytes) -> None:
    listener = Listener(SCHEME, "127.0.0.1", port)
    found = read_header(SCHEME, listener.proof(SERVER, BODY))
    assert found is not None
    # Of a line that is too long, not all is read.
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as connection:
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
    assert is_answered("127.0.0.1", found[1], BODY, 5, port)


def test_nobody_is_there(port: int) -> None:
    with pytest.raises(OSError):
        is_answered("127.0.0.1", b"0" * 32, BODY, 1, port)


def test_the_port_closes_when_nobody_asks(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(challenge, "_OPEN_SECONDS", 0.05)
    listener = Listener(SCHEME, "127.0.0.1", port)
    listener.proof(SERVER, BODY)
    assert listener._thread is not None
    listener._thread.join(5)
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), 1)
    # It opens again for the next request.
    found = read_header(SCHEME, listener.proof(SERVER, BODY))
    assert found is not None


@pytest.mark.parametrize(
    "proof",
    ["", "Bearer x", SCHEME, f"{SCHEME} e30=", f"{SCHEME} {'A' * 4000}", header("x-another-cloud", SERVER, b"k" * 32)],
)
def test_what_is_no_header(proof: str) -> None:
    assert read_header(SCHEME, proof) is None
