# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The secrets document of a node, made without a controller: on a control plane from the files of the store.

A worker makes its own of what the bootstrap server answers. Its content is what model/node/build.py makes on a
controller.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...base.errors import KopsError
from ...exchange import schema
from ...exchange.certificates import wanted
from ...exchange.items import KUBERNETES_CA, Certificate
from ...exchange.kubeconfigs import kubeconfig_text
from ...exchange.references import content
from . import issue, keysets
from .keysets import Keyset, Read


@dataclass(frozen=True)
class Issued:
    """A certificate with its key, both PEM. chain: certificates that its file goes on with."""

    certificate: str
    private_key: str = field(repr=False)
    chain: str = ""


class StoreSource:
    """The keysets and secrets of a store, each read once (a Source of stored.py)."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self.keyset = functools.lru_cache(maxsize=None)(self._load)

    def _load(self, name: str) -> Keyset:
        return keysets.load(self._read, name)

    def authority(self, name: str) -> bytes:
        """The trusted certificates of a keyset, as PEM."""
        return self.keyset(name).bundle().encode()

    def public_keys(self, name: str) -> bytes:
        """The public keys of a keyset's trusted certificates, as PEM."""
        trusted = self.keyset(name).trusted
        return "".join(issue.public_key_text(pair.certificate) for pair in trusted if pair.certificate).encode()

    def signer_certificate(self, name: str) -> bytes:
        """The certificate of the key pair with which a keyset signs, as PEM."""
        return self.keyset(name).signer().certificate.encode()

    def signing_key(self, name: str) -> bytes:
        """The private key with which a keyset signs, as PEM."""
        return self.keyset(name).signer().private_key.encode()

    def secret(self, name: str) -> bytes:
        """A secret of the cluster. Raises KopsError if there is none, or if its file cannot be read as one."""
        data = self._read(f"secrets/{name}")
        if data is None:
            raise KopsError(f"the cluster has no secret {name}")
        try:
            return base64.b64decode(json.loads(data)["Data"] or "", validate=True)
        except (ValueError, KeyError, TypeError, binascii.Error):
            raise KopsError(f"secrets/{name} is not a readable secret") from None

    def signer(self, name: str) -> issue.Authority:
        """The authority by which a keyset signs."""
        pair = self.keyset(name).signer()
        return issue.Authority(pair.certificate, pair.private_key)


def secrets_document(
    config: Mapping[str, Any],
    read: Read,
    facts: Mapping[str, str],
    present: Mapping[str, Any] | None = None,
    now: datetime.datetime | None = None,
) -> dict[str, str]:
    """The secrets document of this control plane: name -> base64.

    config: the NodeConfig, as plain data. read: gives a file below the cluster's directory of the store, None if there
    is none. present: what the node has, as observe() reports it; of that, what still fits is not issued again and not
    in the result. now: for tests. Raises KopsError, and whatever read raises.
    """
    source, present = StoreSource(read), present or {}
    document = {reference: content(reference, source) for reference in stored_references(config)}
    for certificate in certificates_of(config):
        asked, authority = wanted(certificate, facts), source.signer(certificate.signer)
        has = (present.get("certificates") or {}).get(certificate.name, "")
        if has and _leads_there(certificate, source, present) and issue.fits(has, asked, authority, now):
            continue
        private_key, public_key = issue.generate_key()
        chain = authority.certificate if certificate.with_authority else ""
        made = Issued(issue.issue(asked, public_key, authority, now=now), private_key, chain)
        document.update(files_of(certificate, made, source.authority(KUBERNETES_CA).decode()))
    return encoded(document)


def certificates_of(config: Mapping[str, Any]) -> list[Certificate]:
    """The certificates that a NodeConfig lists. Raises KopsError if one of them does not say what it has to be."""
    problems: list[str] = []
    found: list[Certificate] = schema.list_of(schema.an_item(Certificate))(
        list(config.get("certificates") or ()), "certificates", problems
    )
    problems += [f"certificates: {each.name} has no subject" for each in found if not each.common_name]
    if problems:
        raise KopsError("the NodeConfig cannot be used to issue certificates: " + "; ".join(problems))
    return found


def stored_references(config: Mapping[str, Any]) -> list[str]:
    """The references of a NodeConfig's files to what the store has, and not to what is issued."""
    issued = {name for each in certificates_of(config) for name in names_of(each)}
    references = [str(file["reference"]) for file in config.get("files") or () if file.get("reference")]
    return [name for name in dict.fromkeys(references) if name not in issued]


def names_of(certificate: Certificate) -> list[str]:
    """The names in the secrets document of what is made of a certificate: the kubeconfig, or certificate and key."""
    if certificate.kind == "kubeconfig":
        return [f"kubeconfig/{certificate.name}"]
    return [f"certificate/{certificate.name}", f"key/{certificate.name}"]


def files_of(certificate: Certificate, issued: Issued, authorities: str) -> dict[str, bytes]:
    """What is made of an issued certificate. authorities: of the API server, PEM; only kubeconfigs hold them."""
    names = names_of(certificate)
    if certificate.kind == "kubeconfig":
        text = kubeconfig_text(
            certificate.name, certificate.server, authorities, issued.certificate, issued.private_key
        )
        return {names[0]: text.encode()}
    return {names[0]: (issued.certificate + issued.chain).encode(), names[1]: issued.private_key.encode()}


def encoded(document: Mapping[str, bytes]) -> dict[str, str]:
    """A secrets document as the converger takes it: the contents in base64."""
    return {name: base64.b64encode(each).decode() for name, each in document.items()}


def _leads_there(certificate: Certificate, source: StoreSource, present: Mapping[str, Any]) -> bool:
    """Whether a kubeconfig has the server and trusts the CAs that it would get today. Other certificates have neither.

    Without this, a node would trust a new CA only once it has a certificate of it, when it is too late.
    """
    if certificate.kind != "kubeconfig":
        return True
    asked = {"server": certificate.server, "authorities": source.authority(KUBERNETES_CA).decode()}
    return (present.get("kubeconfigs") or {}).get(certificate.name) == asked
