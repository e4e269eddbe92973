# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import hashlib
import hmac
import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.server_credentials import (
    NONCE_PLACEHOLDER,
    credentials_document,
    for_server,
    proof_of,
    read_credentials,
)

NONCE, KEY = b"n" * 32, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI"


def test_a_proof_is_of_type_and_key_whatever_stands_behind_them():
    expected = hmac.new(NONCE, KEY.encode(), hashlib.sha256).hexdigest()
    assert proof_of(NONCE, KEY) == proof_of(NONCE, f"{KEY} root@server\n") == expected
    assert proof_of(NONCE, f"{KEY}A") != expected
    assert proof_of(b"m" * 32, KEY) != expected


def test_each_server_is_told_its_own_nonce():
    assert for_server(f"A={NONCE_PLACEHOLDER} B", NONCE) == f"A={NONCE.hex()} B"


def test_what_is_written_is_read():
    document = credentials_document("token", "key", "secret")
    assert document == credentials_document("token", "key", "secret")
    assert read_credentials(document) == {"token": "token", "store": {"accessKey": "key", "secretKey": "secret"}}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"the-secret",
        b"\xff\xfe",
        b"[]",
        b'{"token": "the-secret"}',
        json.dumps({"token": "the-secret", "store": {"accessKey": "", "secretKey": "the-secret"}}).encode(),
        json.dumps({"token": "the-secret", "store": {"accessKey": "a", "secretKey": 5}}).encode(),
        json.dumps({"token": "the-secret", "store": "the-secret"}).encode(),
    ],
)
def test_what_is_no_such_document_is_refused_and_not_shown(content):
    with pytest.raises(ValueError, match=r"no JSON with the texts token") as refused:
        read_credentials(content)
    assert "the-secret" not in str(refused.value)
    assert refused.value.__context__ is None
