# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How an instance proves who it is: a signed request to STS, which its server has carried out.

kops' protocol (pkg/bootstrap/awsbootstrap): only an instance can sign as its role's session, whose name is the
instance's. The hash of what it asks of the server is among the signed headers, so that it is good for nothing else.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
from typing import Optional

from ..stores.signing import Credentials, signed_headers

SCHEME = "x-aws-sts"
HASH_HEADER = "X-Kops-Request-SHA"
# What is signed, and what a server sends to STS in the instance's name.
REQUEST = b"Action=GetCallerIdentity&Version=2011-06-15"
FORM = "application/x-www-form-urlencoded; charset=utf-8"


def token(body: bytes, sts: str, region: str, credentials: Credentials, now: Optional[datetime.datetime] = None) -> str:
    """The header ``Authorization`` of a request with this body. sts: the URL of STS. now: for tests."""
    headers = {"Content-Type": FORM, HASH_HEADER: body_hash(body)}
    signed = signed_headers("POST", sts, "sts", region, credentials, REQUEST, headers, now)
    given = json.dumps({name: [value] for name, value in sorted(signed.items())})
    return f"{SCHEME} {base64.b64encode(given.encode()).decode()}"


def body_hash(body: bytes) -> str:
    """The value of the signed header: base64 of the SHA-256, without its padding."""
    return base64.b64encode(hashlib.sha256(body).digest()).decode().rstrip("=")
