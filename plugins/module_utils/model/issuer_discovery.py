# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The public documents by which others verify service-account tokens (pkg/model/issuerdiscovery.go of kops)."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from typing import Any

from ..base.errors import KopsError
from ..cloud.tasks.keypair import Keypair
from ..cloud.tasks.managed_file import ManagedFile
from ..engine.task import Deferred
from ..statestore.vfs.public_urls import is_own_url
from . import pki
from .context import ModelContext

JWKS = "openid/v1/jwks"
CONFIGURATION = ".well-known/openid-configuration"


def build(context: ModelContext) -> None:
    """The issuer's keys and its configuration; nothing without spec.serviceAccountIssuerDiscovery.discoveryStore."""
    discovery = context.cluster.spec.service_account_issuer_discovery
    store = discovery.discovery_store if discovery else None
    if not store:
        return
    api_server = context.cluster.spec.kube_api_server
    issuer = (api_server.service_account_issuer if api_server else None) or ""
    keypair = context.get(Keypair, pki.SERVICE_ACCOUNT)
    for name, location, contents in (
        ("keys.json", JWKS, Deferred([keypair], lambda: jwks(context.stored.signing_certificates()))),
        ("discovery.json", CONFIGURATION, configuration(issuer)),
    ):
        context.add(
            ManagedFile(
                name,
                context.layers.cluster,
                base=store,
                location=location,
                contents=contents,
                public=is_own_url(store, issuer) or None,
            )
        )


def configuration(issuer: str) -> str:
    """The OpenID configuration of an issuer."""
    return _text(
        {
            "issuer": issuer,
            "jwks_uri": f"{issuer}/{JWKS}",
            "authorization_endpoint": "urn:kubernetes:programmatic_authorization",
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "claims_supported": ["sub", "iss"],
        }
    )


def jwks(certificates: Iterable[bytes]) -> str:
    """The keys of the service-account certificates (PEM) as a JSON Web Key Set, in the order of their ids."""
    keys = [_key(pem) for pem in certificates]
    return _text({"keys": sorted(keys, key=lambda key: key["kid"])})


def _key(pem: bytes) -> dict[str, str]:
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    public = x509.load_pem_x509_certificate(pem).public_key()
    if not isinstance(public, RSAPublicKey):
        raise KopsError("keyset service-account: its keys must be RSA keys, as tokens are signed with RS256")
    der = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    numbers = public.public_numbers()
    return {
        "use": "sig",
        "kty": "RSA",
        "kid": _base64url(hashlib.sha256(der).digest()),
        "alg": "RS256",
        "n": _base64url(_bytes(numbers.n)),
        "e": _base64url(_bytes(numbers.e)),
    }


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _text(document: dict[str, Any]) -> str:
    # kops' layout: every member on a line of its own, none indented.
    return json.dumps(document, indent=0)
