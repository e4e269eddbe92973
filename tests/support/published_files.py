# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that is published over HTTPS, on loopback: a proxy that answers for all servers, and an authority for it.

For runs in processes of their own, which load files of upstream releases: each file is a small definition.
"""

from __future__ import annotations

import contextlib
import http.server
import pathlib
import socket
import ssl
import threading
from collections.abc import Iterator

from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset

from .upstream import small_definition


class _Proxy(http.server.BaseHTTPRequestHandler):
    authority: Keyset
    directory: pathlib.Path

    def do_CONNECT(self) -> None:
        host = self.path.partition(":")[0]
        key = pki.generate_elliptic_key()
        request = pki.CertificateRequest("server", pki.Subject(host), (host,), private_key=key)
        files = {"crt": pki.issue(request, self.authority.signer()).certificate, "key": key}
        for name, text in files.items():
            (self.directory / f"{host}.{name}").write_text(text)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.directory / f"{host}.crt", self.directory / f"{host}.key")
        self.send_response(200)
        self.end_headers()
        with contextlib.suppress(OSError), context.wrap_socket(self.connection, server_side=True) as encrypted:
            self._answer(host, encrypted)
        self.close_connection = True

    def _answer(self, host: str, connection: socket.socket) -> None:
        asked = b""
        while b"\r\n\r\n" not in asked:
            asked += connection.recv(4096) or b"\r\n\r\n"
        path = asked.split(b" ", 2)[1].decode()
        content = small_definition(f"https://{host}{path}")
        connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n".encode())
        connection.sendall(content)

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


@contextlib.contextmanager
def published(directory: pathlib.Path) -> Iterator[dict[str, str]]:
    """The variables with which a process loads them."""
    authority = Keyset()
    authority.add(pki.issue(pki.CertificateRequest("ca", pki.Subject("published"))), primary=True)
    (directory / "authority.crt").write_text(authority.certificate_bundle())
    handler = type("Handler", (_Proxy,), {"authority": authority, "directory": directory})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        place = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield {"https_proxy": place, "no_proxy": "127.0.0.1", "SSL_CERT_FILE": str(directory / "authority.crt")}
        finally:
            server.shutdown()
            thread.join(5)
