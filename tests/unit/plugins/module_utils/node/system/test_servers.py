# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers that are waited for."""

from __future__ import annotations

import pathlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.system import servers
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki


@pytest.fixture
def server() -> Iterator[socket.socket]:
    """One that does not listen yet."""
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        yield made


def target(server: socket.socket) -> str:
    return f"127.0.0.1:{server.getsockname()[1]}"


def test_whether_a_server_accepts_connections(server: socket.socket) -> None:
    assert servers.refused(target(server)) == f"{target(server)}: Connection refused"
    server.listen()
    assert servers.refused(target(server)) == ""
    assert servers.refused("nowhere.invalid:443").startswith("nowhere.invalid:443: ")


def test_a_server_that_does_not_come_is_not_waited_for_any_longer(server: socket.socket) -> None:
    begun = time.monotonic()
    assert not servers.await_tls(target(server), 0.3)
    assert 0.1 < time.monotonic() - begun < 5
    assert not servers.await_tls("nowhere.invalid:443", 0)


def test_a_server_that_serves_later_than_it_accepts_connections(server: socket.socket, tmp_path: pathlib.Path) -> None:
    authority = pki.issue(pki.CertificateRequest("ca", pki.Subject("ca")))
    (tmp_path / "pair").write_text(authority.certificate + authority.private_key)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "pair")
    server.listen()
    begun = time.monotonic()

    def serve() -> None:
        time.sleep(0.5)
        with server.accept()[0] as plain, tls.wrap_socket(plain, server_side=True):
            pass

    serving = threading.Thread(target=serve)
    serving.start()
    assert servers.await_tls(target(server), 30)
    assert time.monotonic() - begun >= 0.5
    serving.join()
