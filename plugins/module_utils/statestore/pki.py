# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates and keys, issued as kops issues them. All input and output is PEM."""

from __future__ import annotations

import datetime
import functools
import ipaddress
import os
import re
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..base.errors import KopsError

if TYPE_CHECKING:
    from cryptography import x509

# The clocks of new nodes may be slow: kops backdates by two days. Validity: ten years of 365 days.
BACKDATED = datetime.timedelta(hours=48)
VALIDITY = datetime.timedelta(hours=10 * 365 * 24)
RSA_BITS = 2048
_CERTIFICATE = re.compile("-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)

# Type -> its usages, as kops names them. Instead of a type, such a list of usages can be given.
CERTIFICATE_TYPES: dict[str, str] = {
    "ca": "CA,KeyUsageCRLSign,KeyUsageCertSign",
    "client": "ExtKeyUsageClientAuth,KeyUsageDigitalSignature",
    "clientServer": "ExtKeyUsageClientAuth,ExtKeyUsageServerAuth,KeyUsageDigitalSignature,KeyUsageKeyEncipherment",
    "server": "ExtKeyUsageServerAuth,KeyUsageDigitalSignature,KeyUsageKeyEncipherment",
}
# Usage -> cryptography's argument of x509.KeyUsage.
KEY_USAGES = {
    "KeyUsageDigitalSignature": "digital_signature",
    "KeyUsageContentCommitment": "content_commitment",
    "KeyUsageKeyEncipherment": "key_encipherment",
    "KeyUsageDataEncipherment": "data_encipherment",
    "KeyUsageKeyAgreement": "key_agreement",
    "KeyUsageCertSign": "key_cert_sign",
    "KeyUsageCRLSign": "crl_sign",
    "KeyUsageEncipherOnly": "encipher_only",
    "KeyUsageDecipherOnly": "decipher_only",
}
EXTENDED_USAGES = {
    "ExtKeyUsageClientAuth": "CLIENT_AUTH",
    "ExtKeyUsageServerAuth": "SERVER_AUTH",
    "ExtKeyUsageCodeSigning": "CODE_SIGNING",
    "ExtKeyUsageEmailProtection": "EMAIL_PROTECTION",
    "ExtKeyUsageTimeStamping": "TIME_STAMPING",
    "ExtKeyUsageOCSPSigning": "OCSP_SIGNING",
}


class PKIError(KopsError):
    """Key material that cannot be read, or a certificate that cannot be issued."""


def require_library() -> None:
    """Raise PKIError if the cryptography library is missing. For checks before anything is written."""
    try:
        import cryptography  # noqa: F401
    except ImportError as error:
        message = "the Python library cryptography is missing: install it with 'pip install cryptography'"
        raise PKIError(message) from error


@dataclass(frozen=True)
class Subject:
    """A certificate's subject: the parts of a distinguished name that kops uses.

    serial_number: the attribute serialNumber, which differs between the CAs of one keyset.
    """

    common_name: str = ""
    organizations: tuple[str, ...] = ()
    serial_number: str = ""

    @classmethod
    def parse(cls, text: str) -> Subject:
        """The subject in kops' notation, ``o=system:masters,cn=kubecfg``. Raises PKIError for other keys."""
        common_name, organizations, serial_number = "", [], ""
        for part in text.split(","):
            key, separator, value = part.strip().partition("=")
            if key.lower() == "cn" and separator:
                common_name = value
            elif key.lower() == "o" and separator:
                organizations.append(value)
            elif key.lower() == "serial" and separator:
                serial_number = value
            else:
                raise PKIError(f"{text!r} is not a certificate subject; an example is o=system:masters,cn=kubecfg")
        return cls(common_name, tuple(organizations), serial_number)

    def __str__(self) -> str:
        parts = [("o", name) for name in self.organizations]
        parts += [("cn", self.common_name), ("serial", self.serial_number)]
        return ",".join(f"{key}={value}" for key, value in parts if value)


@dataclass(frozen=True)
class CertificateRequest:
    """The certificate to issue.

    type: a key of CERTIFICATE_TYPES, or a comma-separated list of usages.
    alternate_names: DNS names and IP addresses. validity: None means ten years.
    serial: None means random. private_key: PEM; "" generates one. public_key: PEM; for a key that another party has.
    """

    type: str
    subject: Subject
    alternate_names: tuple[str, ...] = ()
    validity: datetime.timedelta | None = None
    serial: int | None = None
    private_key: str = field(default="", repr=False)
    public_key: str = ""


@dataclass(frozen=True)
class KeyPair:
    """A certificate and its private key, both PEM. private_key is "" if it is not known."""

    certificate: str
    private_key: str = field(default="", repr=False)


def build_serial(nanoseconds: int | None = None) -> int:
    """A serial number that grows with time: nanoseconds since 1970, followed by 32 random bits."""
    return (time.time_ns() if nanoseconds is None else nanoseconds) << 32 | secrets.randbits(32)


def generate_private_key() -> str:
    """A new RSA key of KOPS_RSA_PRIVATE_KEY_SIZE bits, by default 2048."""
    return _private_pem(_generate_rsa_key())


def generate_elliptic_key() -> str:
    """A new key on the curve P-256: as strong as RSA with 3072 bits, and much faster to generate."""
    from cryptography.hazmat.primitives.asymmetric import ec

    return _private_pem(ec.generate_private_key(ec.SECP256R1()))


def issue(request: CertificateRequest, signer: KeyPair | None = None) -> KeyPair:
    """Issue a certificate: a CA is self-signed, others are signed by signer. PKIError if this is not possible."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    usages = CERTIFICATE_TYPES.get(request.type, request.type).split(",")
    is_ca = "CA" in usages
    if not is_ca and (signer is None or not signer.private_key):
        raise PKIError(
            f"cannot issue a certificate for {request.subject}: there is no CA with a private key to sign it"
        )

    key: Any = None
    if request.private_key:
        key = _load_private_key(request.private_key)
    elif not request.public_key:
        key = _generate_rsa_key()
    elif is_ca:
        raise PKIError(f"cannot issue a certificate for {request.subject}: a CA is signed with its own private key")
    public_key = key.public_key() if key else _load_public_key(request.public_key.encode())
    if is_ca or signer is None:
        issuer, signing_key = None, key
    else:
        issuer, signing_key = load_certificate(signer.certificate), _load_private_key(signer.private_key)

    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    subject = _name(request.subject)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.subject if issuer else subject)
        .public_key(public_key)
        .serial_number(secrets.randbits(127) + 1 if request.serial is None else request.serial)
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + (request.validity or VALIDITY))
    )
    for extension, critical in _extensions(request, usages, public_key, issuer):
        builder = builder.add_extension(extension, critical)
    private_pem = request.private_key or (_private_pem(key) if key else "")
    return KeyPair(_certificate_pem(builder.sign(signing_key, hashes.SHA256())), private_pem)


def _name(subject: Subject) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    # All organizations are in one relative distinguished name, as Go writes it.
    groups = [
        [(NameOID.ORGANIZATION_NAME, name) for name in subject.organizations],
        [(NameOID.COMMON_NAME, subject.common_name)],
        [(NameOID.SERIAL_NUMBER, subject.serial_number)],
    ]
    attributes = [[x509.NameAttribute(oid, value) for oid, value in group if value] for group in groups]
    return x509.Name([x509.RelativeDistinguishedName(group) for group in attributes if group])


def _extensions(
    request: CertificateRequest, usages: list[str], public_key: Any, issuer: x509.Certificate | None
) -> list[tuple[Any, bool]]:
    from cryptography import x509
    from cryptography.x509.oid import ExtendedKeyUsageOID

    unknown = set(usages) - KEY_USAGES.keys() - EXTENDED_USAGES.keys() - {"CA"}
    if unknown:
        raise PKIError(f"{sorted(unknown)[0]!r} is not a certificate type or usage; types are {_known_types()}")
    flags = {argument: usage in usages for usage, argument in KEY_USAGES.items()}
    found: list[tuple[Any, bool]] = [(x509.KeyUsage(**flags), True)]
    extended = [getattr(ExtendedKeyUsageOID, EXTENDED_USAGES[usage]) for usage in usages if usage in EXTENDED_USAGES]
    if extended:
        found.append((x509.ExtendedKeyUsage(extended), False))
    is_ca = "CA" in usages
    found.append((x509.BasicConstraints(ca=is_ca, path_length=None), True))
    if is_ca:
        found.append((x509.SubjectKeyIdentifier.from_public_key(public_key), False))
    if issuer is not None:
        try:
            identifier = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
            found.append((x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), False))
        except x509.ExtensionNotFound:
            pass  # an old CA without a key identifier: then the certificate has no authority key identifier
    names = [name.strip() for name in request.alternate_names if name.strip()]
    if names:
        addresses = [name for name in names if _is_address(name)]
        alternatives: list[Any] = [x509.DNSName(name) for name in names if name not in addresses]
        alternatives += [x509.IPAddress(ipaddress.ip_address(name)) for name in addresses]
        found.append((x509.SubjectAlternativeName(alternatives), not str(request.subject)))
    return found


def _known_types() -> str:
    return ", ".join(CERTIFICATE_TYPES)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


# -- PEM ------------------------------------------------------------------------------------------------------------


def load_certificate(pem: str) -> x509.Certificate:
    """The first certificate of a PEM text. PKIError if there is none."""
    from cryptography import x509

    block = _block(pem, "CERTIFICATE")
    try:
        return x509.load_pem_x509_certificate(block.encode())
    except ValueError as error:
        raise PKIError(f"not a PEM certificate: {error}") from error


def certificates_of(bundle: str) -> list[str]:
    """Certificates of a PEM text, each as PEM. The last line may lack its end, and ends may be of Windows."""
    return [f"{found}\n" for found in _CERTIFICATE.findall(bundle)]


def normal_certificate(pem: str) -> str:
    """The first certificate of a PEM text, alone and in canonical form."""
    return _certificate_pem(load_certificate(pem))


def normal_private_key(pem: str) -> str:
    """The private key of a PEM text in the form that kops stores (PKCS#1 for RSA, SEC1 for elliptic curves)."""
    return _private_pem(_load_private_key(pem))


def belongs_to(certificate_pem: str, private_key_pem: str) -> bool:
    """Whether the certificate has the private key's public key."""
    theirs, ours = load_certificate(certificate_pem).public_key(), _load_private_key(private_key_pem).public_key()
    return _public_der(theirs) == _public_der(ours)


def is_issued_by(certificate_pem: str, issuer_pem: str) -> bool:
    """Whether the certificate names the issuer and has its signature."""
    from cryptography.exceptions import InvalidSignature

    try:
        load_certificate(certificate_pem).verify_directly_issued_by(load_certificate(issuer_pem))
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def public_key_pem(certificate_pem: str) -> str:
    """A certificate's public key in the form that kops gives to the API server: PKIX, labelled RSA PUBLIC KEY."""
    import base64
    import textwrap

    encoded = base64.b64encode(_public_der(load_certificate(certificate_pem).public_key())).decode()
    return "\n".join(
        ["-----BEGIN RSA PUBLIC KEY-----", *textwrap.wrap(encoded, 64), "-----END RSA PUBLIC KEY-----", ""]
    )


def _block(pem: str, label: str) -> str:
    begin, end = f"-----BEGIN {label}-----", f"-----END {label}-----"
    start, stop = pem.find(begin), pem.find(end)
    if start < 0 or stop < start:
        raise PKIError(f"no {label} block in the PEM text")
    return pem[start : stop + len(end)] + "\n"


def _generate_rsa_key() -> Any:
    from cryptography.hazmat.primitives.asymmetric import rsa

    size = os.environ.get("KOPS_RSA_PRIVATE_KEY_SIZE") or str(RSA_BITS)
    if not size.isdigit():
        raise PKIError(f"KOPS_RSA_PRIVATE_KEY_SIZE must be a number of bits, not {size!r}")
    return rsa.generate_private_key(public_exponent=65537, key_size=int(size))


# The library verifies an RSA key each time it is loaded, which takes longer than a signature. A CA signs many times.
@functools.lru_cache(maxsize=32)
def _load_private_key(pem: str) -> Any:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        return load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError) as error:
        # The library's message is omitted: messages must not contain parts of a private key.
        raise PKIError("not an unencrypted private key in PEM form") from error


def _load_public_key(pem: bytes) -> Any:
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        return load_pem_public_key(pem)
    except ValueError as error:
        raise PKIError("not a public key in PEM form") from error


def _private_pem(key: Any) -> str:
    from cryptography.hazmat.primitives import serialization

    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode()


def _certificate_pem(certificate: x509.Certificate) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM).decode()


def _public_der(key: Any) -> bytes:
    from cryptography.hazmat.primitives import serialization

    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
