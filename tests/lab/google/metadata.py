# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata server of all instances: who asks is known by its address."""

from __future__ import annotations

import http.server
import json
import secrets
import threading
import time
import urllib.parse
from collections.abc import Mapping
from typing import Any

from ansible_collections.kubeops.kops.tests.lab.cloud import network
from ansible_collections.kubeops.kops.tests.lab.google import account

_ROOT, _FLAVOR = "/computeMetadata/v1/", {"Metadata-Flavor": "Google"}
_SECONDS = 3599


class Tokens:
    """Access tokens that instances were given: token -> address of the service account."""

    def __init__(self) -> None:
        self.known: dict[str, tuple[str, float]] = {}
        self._of: dict[str, str] = {}

    def of(self, email: str) -> str:
        """One that is good for a while; the same one as before, as Google does."""
        token = self._of.get(email, "")
        if not token or self.known[token][1] < time.time() + 300:
            token = self._of[email] = f"ya29.{secrets.token_urlsafe(24)}"
            self.known[token] = email, time.time() + _SECONDS
        return token

    def account(self, token: str) -> str:
        """Whose it is; "" if it is nobody's, or has ended."""
        email, ends = self.known.get(token, ("", 0.0))
        return email if ends > time.time() else ""


def paths_of(instance: Mapping[str, Any]) -> dict[str, str]:
    """What the server says to an instance, but for its tokens: path -> text."""
    first, zone = instance["networkInterfaces"][0], instance["zone"].rpartition("/")[2]
    items = instance.get("metadata", {}).get("items", ())
    network_name = first["network"].rpartition("/")[2]
    return {
        "project/project-id": account.PROJECT,
        "project/numeric-project-id": account.NUMBER,
        "instance/id": instance["id"],
        "instance/name": instance["name"],
        "instance/hostname": f"{instance['name']}.{zone}.c.{account.PROJECT}.internal",
        "instance/zone": f"projects/{account.NUMBER}/zones/{zone}",
        "instance/machine-type": f"projects/{account.NUMBER}/machineTypes/{instance['machineType'].rpartition('/')[2]}",
        "instance/network-interfaces/0/ip": first["networkIP"],
        "instance/network-interfaces/0/network": f"projects/{account.NUMBER}/networks/{network_name}",
        "instance/service-accounts/default/email": email_of(instance),
        **{f"instance/attributes/{each['key']}": each["value"] for each in items},
    }


def email_of(instance: Mapping[str, Any]) -> str:
    """The service account that an instance runs as."""
    return next((str(each["email"]) for each in instance.get("serviceAccounts") or ()), "")


class Metadata:
    """What the server says. instances: address -> paths."""

    def __init__(self) -> None:
        self.instances: dict[str, dict[str, str]] = {}
        self.tokens = Tokens()

    def serve(self) -> None:
        """Serve in a thread, as long as the process lives."""
        handler = type("Handler", (_Handler,), {"metadata": self})
        server = http.server.ThreadingHTTPServer((network.BRIDGE.gateway, network.METADATA_PORT), handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    metadata: Metadata

    def do_GET(self) -> None:
        path = urllib.parse.urlsplit(self.path).path.removeprefix(_ROOT)
        paths = self.metadata.instances.get(self.client_address[0])
        if paths is None or "X-Forwarded-For" in self.headers:
            self._answer(403, "")
        elif self.headers.get("Metadata-Flavor") != "Google" and path.strip("/"):
            self._answer(403, "Missing required header: Metadata-Flavor")
        elif path.endswith("/token"):
            token = self.metadata.tokens.of(paths["instance/service-accounts/default/email"])
            self._answer(200, json.dumps({"access_token": token, "expires_in": _SECONDS, "token_type": "Bearer"}))
        elif path in paths or not path.strip("/"):
            self._answer(200, paths.get(path, ""))
        else:
            self._answer(404, "not found")

    def _answer(self, status: int, text: str) -> None:
        self.send_response(status)
        for name, value in {**_FLAVOR, "Content-Length": str(len(text.encode()))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""
