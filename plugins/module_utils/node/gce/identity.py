# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How an instance proves who it is: it signs its request with the attestation key of its virtual TPM.

kops' protocol (upup/pkg/fi/cloudup/gce/tpm), in which the cluster and a number that is used once are signed as well.
Every pod can ask the metadata server for tokens of the instance, and pass them on; so a token proves nothing here. The
device of the TPM, in contrast, is root's on the machine, and no container has it unless it is privileged.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Callable

SCHEME = "x-gce-tpm"
# What is signed is meant for this use of the key, and no other.
AUDIENCE = "kops.k8s.io/node-bootstrap"
_NONCE_BYTES = 16


def statement(body: bytes, instance: tuple[str, str, str], cluster: str, now: int) -> bytes:
    """What is signed. instance: its project, zone and name. now: seconds since 1970."""
    project, zone, name = instance
    said = {
        "gcpProjectID": project,
        "zone": zone,
        "instance": name,
        "cluster": cluster,
        "requestHash": body_hash(body),
        "timestamp": now,
        "audience": AUDIENCE,
        "nonce": secrets.token_hex(_NONCE_BYTES),
    }
    return json.dumps(said, sort_keys=True).encode()


def token(
    body: bytes,
    instance: tuple[str, str, str],
    cluster: str,
    sign: Callable[[bytes], bytes],
    now: Callable[[], float] = time.time,
) -> str:
    """The header ``Authorization`` of a request with this body. sign: gives the signature of the instance's key."""
    said = statement(body, instance, cluster, int(now()))
    signed = {"data": _text(said), "signature": _text(sign(said))}
    return f"{SCHEME} {_text(json.dumps(signed).encode())}"


def body_hash(body: bytes) -> str:
    """Base64 of the SHA-256 of a body."""
    return _text(hashlib.sha256(body).digest())


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
