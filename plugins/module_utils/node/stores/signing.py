# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signature version 4, which requests to AWS and to S3-compatible services carry.

Source: "Create a signed AWS API request" in AWS' documentation of IAM.
"""

from __future__ import annotations

import datetime
import hashlib
import hmac
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional

_ALGORITHM = "AWS4-HMAC-SHA256"
_TIME = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True)
class Credentials:
    """Keys of a user, or with a token those of a role's session."""

    access_key_id: str
    secret_access_key: str = field(repr=False)
    token: str = field(default="", repr=False)


def signed_headers(
    method: str,
    url: str,
    service: str,
    region: str,
    credentials: Credentials,
    body: bytes = b"",
    headers: Optional[Mapping[str, str]] = None,
    now: Optional[datetime.datetime] = None,
    digest: str = "",
) -> dict[str, str]:
    """The headers to send with a request: those given and the signature's, names in lower case, without ``host``.

    url: its path and query are percent-encoded already. All headers are signed. now: for tests.
    digest: the SHA-256 of a body that is not in memory, in hexadecimal.
    """
    target = urllib.parse.urlsplit(url)
    time = (now or datetime.datetime.now(datetime.timezone.utc)).strftime(_TIME)
    digest = digest or hashlib.sha256(body).hexdigest()
    sent = {name.lower(): value.strip() for name, value in (headers or {}).items()}
    sent.update({"host": target.netloc, "x-amz-date": time})
    if service == "s3":
        sent["x-amz-content-sha256"] = digest
    if credentials.token:
        sent["x-amz-security-token"] = credentials.token
    names = ";".join(sorted(sent))
    lines = "".join(f"{name}:{sent[name]}\n" for name in sorted(sent))
    query = "&".join(sorted(target.query.split("&")))
    canonical = "\n".join([method, target.path or "/", query, lines, names, digest])
    scope = f"{time[:8]}/{region}/{service}/aws4_request"
    text = "\n".join([_ALGORITHM, time, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{credentials.secret_access_key}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    identity = f"Credential={credentials.access_key_id}/{scope}"
    del sent["host"]
    sent["authorization"] = f"{_ALGORITHM} {identity}, SignedHeaders={names}, Signature={signature}"
    return sent
