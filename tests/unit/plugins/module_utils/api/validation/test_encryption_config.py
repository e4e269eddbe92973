# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EncryptionConfigurations that API servers start with, and others."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation.encryption_config import (
    validate_encryption_config,
)

KMS = {"apiVersion": "v2", "name": "vault", "endpoint": "unix:///run/kms.sock", "timeout": "3s"}


def keys(size: int, *names: str) -> dict[str, Any]:
    secret = base64.b64encode(b"x" * size).decode()
    return {"keys": [{"name": name, "secret": secret} for name in names or ("first",)]}


def document(*providers: Any, **change: Any) -> dict[str, Any]:
    head = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "EncryptionConfiguration"}
    return {**head, "resources": [{"resources": ["secrets"], "providers": list(providers)}], **change}


@pytest.mark.parametrize(
    "taken",
    [
        document({"secretbox": keys(32)}, {"identity": {}}),
        document({"aescbc": keys(16, "a", "b")}, {"aesgcm": keys(24)}),
        document({"kms": KMS}),
        document({"kms": {**KMS, "apiVersion": "v1", "cachesize": 100}}),
        document({"identity": {}}, resources=[{"resources": ["*.*", "jobs.batch"], "providers": [{"identity": {}}]}]),
    ],
)
def test_what_api_servers_take(taken: dict[str, Any]) -> None:
    assert validate_encryption_config(taken) == []


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("text", "must be a mapping"),
        (document(resourses=[]), "resourses is unknown here; these are apiVersion, kind, resources; did you mean"),
        (document({"identity": {}}, kind="Encryption"), "kind: must be EncryptionConfiguration"),
        (document({"identity": {}}, apiVersion="v1"), "apiVersion: must be apiserver.config.k8s.io/v1"),
        (document(resources=[]), "resources: must be a list"),
        (document(), "resources[0].providers: must be a list"),
        (document({"secretbox": keys(16)}), "keys[0].secret: is a key of 16 bytes; it must be of 32"),
        (document({"aescbc": keys(20)}), "is a key of 20 bytes; it must be of 16 or 24 or 32"),
        (document({"aescbc": {"keys": [{"name": "a", "secret": "hunter2!"}]}}), "secret: is not base64"),
        (document({"aescbc": keys(16, "a:b")}), "keys[0].name: cannot have a ':'"),
        (document({"aescbc": keys(16, "a", "a")}), "keys[1].name: is listed before"),
        (document({"aescbc": {"key": []}}), "key is unknown here; these are keys; did you mean keys?"),
        (document({"aescbcs": keys(16)}), "did you mean aescbc?"),
        (document({"identity": {}, "kms": KMS}), "must have exactly one of"),
        (document({"kms": {**KMS, "endpoint": "/run/kms.sock"}}), "kms.endpoint: must be a socket"),
        (document({"kms": {**KMS, "cachesize": 1}}), "KMS v2 has no cachesize"),
        (document({"kms": {**KMS, "timeout": "3"}}), "kms.timeout: '3' is not a duration"),
        (document({"kms": KMS}, {"kms": KMS}), "kms.name: is listed before"),
    ],
)
def test_what_no_api_server_starts_with(data: Any, told: str) -> None:
    found = [str(problem) for problem in validate_encryption_config(data)]
    assert [each for each in found if told in each], found
    assert not [each for each in found if "hunter2" in each]
