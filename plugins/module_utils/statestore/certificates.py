# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of an existing certificate, in kops' terms."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .pki import CERTIFICATE_TYPES, EXTENDED_USAGES, KEY_USAGES, load_certificate

if TYPE_CHECKING:
    from cryptography import x509

# Attribute types of a name (X.520) that kops abbreviates; others are shown by their OID.
_NAME_KEYS = {
    "2.5.4.3": "cn",
    "2.5.4.5": "serial",
    "2.5.4.6": "c",
    "2.5.4.7": "l",
    "2.5.4.10": "o",
    "2.5.4.11": "ou",
}


@dataclass(frozen=True)
class CertificateFacts:
    """What a certificate contains.

    subject, issuer: ``o=...,cn=...``. type: a key of pki.CERTIFICATE_TYPES, or the sorted list of usages.
    alternate_names: sorted. key_length: bits of an RSA key, else None.
    """

    subject: str
    issuer: str
    serial: int
    type: str
    is_ca: bool
    alternate_names: list[str]
    not_before: datetime.datetime
    not_after: datetime.datetime
    key_length: int | None


def read_certificate(pem: str) -> CertificateFacts:
    """Read the first certificate of a PEM text. PKIError if there is none."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    certificate = load_certificate(pem)
    usages = _usages(certificate)
    spelled = ",".join(sorted(usages))
    public_key = certificate.public_key()
    names = _extension(certificate, x509.SubjectAlternativeName)
    return CertificateFacts(
        subject=_name_text(certificate.subject),
        issuer=_name_text(certificate.issuer),
        serial=certificate.serial_number,
        type=next((name for name, usual in CERTIFICATE_TYPES.items() if usual == spelled), spelled),
        is_ca="CA" in usages,
        alternate_names=sorted(str(name.value) for name in names or ()),
        not_before=certificate.not_valid_before_utc,
        not_after=certificate.not_valid_after_utc,
        key_length=public_key.key_size if isinstance(public_key, RSAPublicKey) else None,
    )


def _name_text(name: x509.Name) -> str:
    return ",".join(
        f"{_NAME_KEYS.get(attribute.oid.dotted_string, attribute.oid.dotted_string)}={attribute.value!s}"
        for attribute in name
    )


def _extension(certificate: x509.Certificate, kind: type[Any]) -> Any:
    from cryptography import x509

    try:
        return certificate.extensions.get_extension_for_class(kind).value
    except x509.ExtensionNotFound:
        return None


def _usages(certificate: x509.Certificate) -> list[str]:
    from cryptography import x509

    constraints = _extension(certificate, x509.BasicConstraints)
    found = ["CA"] if constraints is not None and constraints.ca else []
    usage = _extension(certificate, x509.KeyUsage)
    if usage is not None:
        # encipher_only and decipher_only only exist with key agreement; without it the library raises an error.
        asked = {
            name: argument for name, argument in KEY_USAGES.items() if usage.key_agreement or "_only" not in argument
        }
        found += [name for name, argument in asked.items() if getattr(usage, argument)]
    extended = {getattr(x509.oid.ExtendedKeyUsageOID, argument): name for name, argument in EXTENDED_USAGES.items()}
    found += [
        extended.get(oid, f"ExtKeyUsage:{oid.dotted_string}")
        for oid in _extension(certificate, x509.ExtendedKeyUsage) or ()
    ]
    return found
