# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bootstrap server on loopback that believes everyone: what a node asks of one can be looked at, and be refused."""

from __future__ import annotations

import contextlib
import http.server
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import Answer, Request
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.pki import CertificateRequest, Subject


class BootstrapServer(http.server.BaseHTTPRequestHandler):
    """files: by their path. asked: bodies of POST requests. proofs: their headers Authorization. shown: the names in
    the certificates that callers showed with them, "" for none.

    statuses: of the next answers, whatever is asked for. answer: to a request.
    """

    protocol_version = "HTTP/1.1"
    files: dict[str, bytes] = {}
    asked: list[bytes] = []
    proofs: list[str] = []
    shown: list[str] = []
    statuses: list[int] = []
    answer: Callable[[Request], Answer] = staticmethod(lambda request: Answer())

    def do_GET(self) -> None:
        self._send(200 if self.path in self.files else 404, self.files.get(self.path, b""))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append(body)
        self.proofs.append(self.headers.get("Authorization", ""))
        self.shown.append(_common_name(self.connection))
        self._send(200, self.answer(Request.read(body)).text())

    def _send(self, status: int, content: bytes) -> None:
        status = self.statuses.pop(0) if self.statuses else status
        content = content if status == 200 else b"no"
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: object) -> None:
        """Nothing: requests are looked at in tests."""


def _common_name(connection: Any) -> str:
    subject = (connection.getpeercert() or {}).get("subject", ())
    return next((value for group in subject for name, value in group if name == "commonName"), "")


def new_authority(name: str = "kubernetes-ca") -> pki.KeyPair:
    """A certificate authority that signs itself."""
    return pki.issue(
        CertificateRequest(type="ca", subject=Subject(name), private_key=pki.generate_elliptic_key()), None
    )


@contextlib.contextmanager
def running(
    directory: Path, authority: pki.KeyPair, name: str, address: str = "127.0.0.1"
) -> Iterator[tuple[dict[str, Any], type[BootstrapServer]]]:
    """What boot.json says of it, and what it does. directory: for its key. name: in its certificate."""
    wanted = CertificateRequest(
        type="server", subject=Subject(name), alternate_names=(name,), private_key=pki.generate_elliptic_key()
    )
    pair = pki.issue(wanted, authority)
    (directory / "server.pem").write_text(pair.certificate + pair.private_key)
    own: Mapping[str, Any] = {"files": {}, "asked": [], "proofs": [], "shown": [], "statuses": []}
    handler = type("Handler", (BootstrapServer,), dict(own))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(directory / "server.pem")
    tls.verify_mode = ssl.CERT_OPTIONAL
    tls.load_verify_locations(cadata=authority.certificate)
    with http.server.ThreadingHTTPServer((address, 0), handler) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        said = {"addresses": [address], "name": name, "port": server.server_port, "ca": authority.certificate}
        try:
            yield said, handler
        finally:
            server.shutdown()
