# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credentials that control planes are given: a login of vCenter for nodes, and the key of the state store.

The login of nodes is another one than the controller's: it needs to read only (docs/vsphere.md).
"""

from __future__ import annotations

import json
import os

from ...base.errors import KopsError
from ...exchange.server_credentials import credentials_document

NODE_USER, NODE_PASSWORD = "VSPHERE_NODE_USER", "VSPHERE_NODE_PASSWORD"
# The names of kops first, then those of the programs of AWS.
ACCESS_KEYS, SECRET_KEYS = ("S3_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID"), ("S3_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY")


def document() -> bytes:
    """What is written on control planes. Raises KopsError if the environment lacks a part of it."""
    access, secret = _first(ACCESS_KEYS), _first(SECRET_KEYS)
    parts = {NODE_USER: os.environ.get(NODE_USER), NODE_PASSWORD: os.environ.get(NODE_PASSWORD)}
    parts.update({ACCESS_KEYS[0]: access, SECRET_KEYS[0]: secret})
    missing = [name for name, value in parts.items() if not value]
    if missing:
        raise KopsError(
            f"control planes are given credentials of the environment, which lacks {', '.join(missing)}: a user of"
            " vCenter for nodes, who only reads, and a key for the bucket of the state store"
        )
    login = json.dumps({"user": parts[NODE_USER], "password": parts[NODE_PASSWORD]}, sort_keys=True)
    return credentials_document(login, access, secret)


def _first(variables: tuple[str, ...]) -> str:
    return next((os.environ[name] for name in variables if os.environ.get(name)), "")
