# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata service of an instance (IMDSv2) on loopback."""

from __future__ import annotations

import contextlib
import http.server
import json
import secrets
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.signing import Credentials

REGION, ZONE = "us-east-1", "us-east-1a"
CREDENTIALS = "meta-data/iam/security-credentials/"


class MetadataService(http.server.BaseHTTPRequestHandler):
    """paths: path below latest/ -> text. tokens: those that are valid. asked: methods and paths of all requests.

    statuses: of the next answers, whatever is asked for.
    """

    protocol_version = "HTTP/1.1"
    paths: dict[str, str] = {}
    tokens: set[str] = set()
    asked: list[str] = []
    statuses: list[int] = []

    def do_PUT(self) -> None:
        seconds = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds", "")
        if self.path != "/latest/api/token" or not seconds.isdigit() or not 1 <= int(seconds) <= 21600:
            self.answer(400)
            return
        token = secrets.token_urlsafe(16)
        self.tokens.add(token)
        # SDKs other than Python's take no token without it.
        self.answer(200, token, **{"X-aws-ec2-metadata-token-ttl-seconds": seconds})

    def do_GET(self) -> None:
        path = self.path.removeprefix("/latest/")
        if self.headers.get("X-aws-ec2-metadata-token") not in self.tokens:
            self.answer(401)
        elif path in self.paths:
            self.answer(200, self.paths[path])
        else:
            below = sorted({each.removeprefix(path).split("/")[0] for each in self.paths if each.startswith(path)})
            self.answer(200 if below else 404, "\n".join(below))

    def answer(self, status: int, text: str = "", **headers: str) -> None:
        self.asked.append(f"{self.command} {self.path}")
        status = self.statuses.pop(0) if self.statuses else status
        self.send_response(status)
        for name, value in {"Content-Length": str(len(text.encode())), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_arguments: object) -> None:
        """Nothing: requests are looked at in tests."""


def paths_of_an_instance(
    instance: str = "i-0123456789abcdef0", address: str = "10.0.0.7", zone: str = ZONE
) -> dict[str, str]:
    """What the service of an instance without a role says."""
    region = zone[:-1]
    return {
        "meta-data/instance-id": instance,
        "meta-data/instance-type": "t3.medium",
        "meta-data/local-ipv4": address,
        "meta-data/local-hostname": f"ip-{address.replace('.', '-')}.ec2.internal",
        "meta-data/placement/availability-zone": zone,
        "meta-data/placement/region": region,
        "meta-data/services/domain": "amazonaws.com",
        "meta-data/services/partition": "aws",
    }


def paths_of_credentials(role: str, credentials: Mapping[str, Any]) -> dict[str, str]:
    """The same of a role; credentials: as AssumeRole gives them."""
    document = {
        "Code": "Success",
        "Type": "AWS-HMAC",
        "AccessKeyId": credentials["AccessKeyId"],
        "SecretAccessKey": credentials["SecretAccessKey"],
        "Token": credentials["SessionToken"],
        "Expiration": str(credentials.get("Expiration", "")),
    }
    return {f"{CREDENTIALS}{role}": json.dumps(document)}


def as_document(credentials: Credentials) -> dict[str, str]:
    """Credentials in the form in which AssumeRole gives them."""
    return {
        "AccessKeyId": credentials.access_key_id,
        "SecretAccessKey": credentials.secret_access_key,
        "SessionToken": credentials.token,
    }


@contextlib.contextmanager
def running(paths: Mapping[str, str]) -> Iterator[tuple[str, type[MetadataService]]]:
    """Its URL (for AWS_EC2_METADATA_SERVICE_ENDPOINT), and what it says."""
    own = {"paths": dict(paths), "tokens": set(), "asked": [], "statuses": []}
    handler = type("Handler", (MetadataService,), own)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", handler
        finally:
            server.shutdown()
