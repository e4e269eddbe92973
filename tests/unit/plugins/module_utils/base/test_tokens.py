# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of a token is known by the same id as in Kubernetes."""

from __future__ import annotations

import base64
import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.tokens import key_id, signer_of
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki

# In the form in which kops gives public keys to the API server.
PUBLIC_KEY = """-----BEGIN RSA PUBLIC KEY-----
MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBANiW3hfHTcKnxCig+uWhpVbOfH1pANKm
XVSysPKgE80QSU4tZ6m49pAEeIMsvwvDMaLsb2v6JvXe0qvCmueU+/sCAwEAAQ==
-----END RSA PUBLIC KEY-----
"""


def token(header: object) -> str:
    encoded = base64.urlsafe_b64encode(json.dumps(header).encode()).decode().rstrip("=")
    return f"{encoded}.payload.signature\n"


def test_the_id_is_the_hash_of_the_key() -> None:
    """As keyIDFromPublicKey of Kubernetes (pkg/serviceaccount/jwt.go)."""
    from cryptography.hazmat.primitives import hashes, serialization

    key = serialization.load_pem_public_key(PUBLIC_KEY.replace("RSA PUBLIC", "PUBLIC").encode())
    digest = hashes.Hash(hashes.SHA256())
    digest.update(key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo))
    assert key_id(PUBLIC_KEY) == base64.urlsafe_b64encode(digest.finalize()).decode().rstrip("=")


def test_all_keys_of_a_keyset_have_ids_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOPS_RSA_PRIVATE_KEY_SIZE", "1024")
    pairs = [pki.issue(pki.CertificateRequest("ca", pki.Subject("service-account"))) for _index in range(2)]
    assert len({key_id(pki.public_key_pem(pair.certificate)) for pair in pairs}) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (token({"alg": "RS256", "kid": "key"}), "key"),
        (token({"alg": "RS256"}), ""),
        (token(["kid"]), ""),
        ("", ""),
        ("rubbish", ""),
    ],
)
def test_a_token_names_its_key(text: str, expected: str) -> None:
    assert signer_of(text) == expected
