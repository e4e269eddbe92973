# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An account that passes over filters, as long as it is told to: it answers every listing with all that there is."""

from __future__ import annotations

import io
import json
import urllib.parse
from collections.abc import Callable, Iterable
from typing import Any

CONTROL = "/moto-api/filters/"
IGNORED, HEEDED = "ignored", "heeded"
# In JSON, what keeps the listings of EventBridge and SQS short.
_PREFIXES = ("NamePrefix", "QueueNamePrefix")


class Filters:
    """WSGI: leaves filters out of requests between a POST to CONTROL + IGNORED and one to CONTROL + HEEDED."""

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self.application, self.is_ignoring = application, False

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"].startswith(CONTROL):
            self.is_ignoring = environ["PATH_INFO"] == CONTROL + IGNORED
            start_response("200 OK", [("Content-Length", "0")])
            return [b""]
        kind = environ.get("CONTENT_TYPE", "")
        if self.is_ignoring and ("form-urlencoded" in kind or "x-amz-json" in kind):
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            body = _without_filters(body) if "form-urlencoded" in kind else _without_prefixes(body)
            environ = {**environ, "wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        return self.application(environ, start_response)


def _without_filters(body: bytes) -> bytes:
    """Of the protocols of EC2 and Auto Scaling."""
    fields = urllib.parse.parse_qsl(body.decode(), keep_blank_values=True)
    return urllib.parse.urlencode([field for field in fields if not field[0].startswith("Filter")]).encode()


def _without_prefixes(body: bytes) -> bytes:
    fields = json.loads(body or b"{}")
    return json.dumps({key: value for key, value in fields.items() if key not in _PREFIXES}).encode()
