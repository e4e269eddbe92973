# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of S3 that control planes are given if any part of the state store is there: that of the controller itself.

It is kept nowhere but on the servers. What servers are made from says by a hash which key they have.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Mapping

from ...base.errors import KopsError
from ...statestore.vfs import boto
from ...statestore.vfs.s3 import compatible_endpoint
from .sealing import LONGEST, text_of

_ID, _SECRET = "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"
_USERS_KEY = "give that of a user, by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
# Tenths of a second for each guess.
_ROUNDS, _LENGTH = 600_000, 16
# Of the SDK. Control planes are told of S3_ENDPOINT only.
_ENDPOINTS_OF_SDK = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")


def key_of_environment() -> Mapping[str, str]:
    """Id and secret, as the state store is read with now (statestore/vfs/s3.py).

    Raises KopsError if there is none, or one that control planes could not keep; ImportError without boto3.
    """
    found = _of_compatible_service() if compatible_endpoint() else _of_sdk()
    if len(text_of(found)) > LONGEST:
        raise KopsError(f"the key of this environment is too long: id and secret may have {LONGEST - 1} bytes together")
    return found


def untold_endpoint() -> str:
    """The variable by which the SDK finds a service that control planes would not find; "" for none."""
    given = [name for name in _ENDPOINTS_OF_SDK if os.environ.get(name)]
    return given[0] if given and not compatible_endpoint() else ""


def key_of_servers(cluster: str, fingerprint: str) -> Mapping[str, str]:
    """That of the environment, for servers whose template has this fingerprint. Raises KopsError if that is another."""
    found = key_of_environment()
    if fingerprint != fingerprint_of(found, cluster):
        raise KopsError(
            "this environment has another key of S3 than the one for which control planes were planned: "
            "use that one, or run update_cluster with this one first"
        )
    return found


def fingerprint_of(key: Mapping[str, str], cluster: str) -> str:
    """A hash by which nobody finds a key: it takes long, and is another one for each key and cluster."""
    return _fingerprint(key["id"], key["secret"], cluster)


@functools.lru_cache(maxsize=8)
def _fingerprint(identifier: str, secret: str, cluster: str) -> str:
    salt = hashlib.sha256(f"{cluster}\0{identifier}".encode()).digest()
    return hashlib.pbkdf2_hmac("sha256", secret.encode(), salt, _ROUNDS, _LENGTH).hex()


def _of_compatible_service() -> dict[str, str]:
    missing = [name for name in (_ID, _SECRET) if not os.environ.get(name)]
    if missing:
        raise KopsError(f"S3_ENDPOINT is set, so {' and '.join(missing)} must be set too")
    return {"id": os.environ[_ID], "secret": os.environ[_SECRET]}


def _of_sdk() -> dict[str, str]:
    from botocore.exceptions import BotoCoreError

    try:
        credentials = boto.default_session().get_credentials()
        found = credentials.get_frozen_credentials() if credentials else None
    except BotoCoreError as error:
        raise KopsError(f"the key of this environment cannot be read: {error}") from error
    if found is None or not found.access_key or not found.secret_key:
        raise KopsError(f"this environment has no key of S3, which control planes are given: {_USERS_KEY}")
    if found.token:
        raise KopsError(
            f"the key of this environment is of a session, and ends, but control planes keep it: {_USERS_KEY}"
        )
    return {"id": found.access_key, "secret": found.secret_key}
