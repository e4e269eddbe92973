# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import base64
import hashlib
import json

from ansible_collections.kubeops.kops.plugins.module_utils.node.gce import identity

PLACE = ("project-1", "us-test1-a", "nodes-x1y2")


def test_a_token_is_in_the_form_of_kops() -> None:
    signed: list[bytes] = []

    def sign(data: bytes) -> bytes:
        signed.append(data)
        return b"signature"

    made = identity.token(b"body", PLACE, "demo.example.com", sign, lambda: 1700000000.7)
    scheme, encoded = made.split(" ")
    assert scheme == "x-gce-tpm"
    given = json.loads(base64.b64decode(encoded))
    assert base64.b64decode(given["signature"]) == b"signature"
    assert [base64.b64decode(given["data"])] == signed
    said = json.loads(signed[0])
    assert len(bytes.fromhex(said.pop("nonce"))) == 16
    assert said == {
        "gcpProjectID": "project-1",
        "zone": "us-test1-a",
        "instance": "nodes-x1y2",
        "cluster": "demo.example.com",
        "requestHash": base64.b64encode(hashlib.sha256(b"body").digest()).decode(),
        "timestamp": 1700000000,
        "audience": "kops.k8s.io/node-bootstrap",
    }


def test_no_two_tokens_are_the_same_and_all_fit_into_a_tpm() -> None:
    longest = ("p" * 30, "northamerica-northeast1-a", "n" * 63)
    found = {identity.statement(b"body", longest, "c" * 250, 1700000000) for _time in range(3)}
    assert len(found) == 3
    assert max(map(len, found)) < 1024
