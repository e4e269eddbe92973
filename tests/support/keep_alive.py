# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""moto's web server with connections that stay, as those of AWS do.

Werkzeug closes each one after its request, and waits ten milliseconds before, since it does not know whether the
application has read all of the request. Here all of it is read first.
"""

from __future__ import annotations

import io
import types
from collections.abc import Callable, Iterable
from typing import Any

from werkzeug import serving


class _NothingIsLeft:
    """In place of the selector that tells Werkzeug whether a request goes on."""

    def register(self, *_what: Any) -> None:
        """Nothing."""

    def select(self, timeout: float) -> list[Any]:
        return []

    def close(self) -> None:
        """Nothing."""


class _Handler(serving.WSGIRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer is one packet, or its second one would wait until the client has confirmed the first.
    wbufsize = -1
    disable_nagle_algorithm = True

    def make_environ(self) -> dict[str, Any]:
        # What the client may wait for before it sends all of the request: 100 Continue.
        self.wfile.flush()
        environ = super().make_environ()
        whole, length = environ.get("wsgi.input_terminated"), int(environ.get("CONTENT_LENGTH") or 0)
        environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read() if whole else self.rfile.read(length))
        return environ

    def send_header(self, keyword: str, value: str) -> None:
        if (keyword, value) != ("Connection", "close"):
            super().send_header(keyword, value)

    def connection_dropped(self, error: BaseException, environ: dict[str, Any] | None = None) -> None:
        self.close_connection = True

    def log_request(self, *args: Any) -> None:
        """Nothing."""


def make_server(
    host: str, port: int, application: Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
) -> serving.BaseWSGIServer:
    """A server of a WSGI application at an address, with a thread for each connection; port 0: a free one."""
    module: Any = serving
    module.selectors = types.SimpleNamespace(DefaultSelector=_NothingIsLeft, EVENT_READ=None)
    return serving.make_server(host, port, application, threaded=True, request_handler=_Handler)
