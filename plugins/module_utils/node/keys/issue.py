# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Issues certificates from bare public keys, and sees whether a certificate is what would be issued.

Made here is what is signed; the command openssl signs, in any version: options that issue without a signing request
(``x509 -new``) are only in OpenSSL 3, which Debian 11 and RHEL 8 lack. Same content as statestore/pki.py writes.
"""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import os
import secrets
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ...base.errors import KopsError
from ...exchange.certificates import RENEWED_BEFORE, Wanted
from ..system.host import PATH
from . import der

# The clocks of new nodes may be slow: kops backdates by two days.
BACKDATED = datetime.timedelta(hours=48)
CERTIFICATE, PUBLIC_KEY, ELLIPTIC_KEY = "CERTIFICATE", "PUBLIC KEY", "EC PRIVATE KEY"
_ORGANIZATION, _COMMON_NAME = "2.5.4.10", "2.5.4.3"
_KEY_USAGE, _EXTENDED_USAGE, _CONSTRAINTS = "2.5.29.15", "2.5.29.37", "2.5.29.19"
_SUBJECT_KEY, _AUTHORITY_KEY, _ALTERNATE_NAMES = "2.5.29.14", "2.5.29.35", "2.5.29.17"
_SERVER_AUTH, _CLIENT_AUTH = "1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"
_DIGITAL_SIGNATURE, _KEY_ENCIPHERMENT = 0, 2
# Type -> bits of the key usage, and extended usages in their order.
_USAGES = {
    "client": ((_DIGITAL_SIGNATURE,), (_CLIENT_AUTH,)),
    "clientServer": ((_DIGITAL_SIGNATURE, _KEY_ENCIPHERMENT), (_CLIENT_AUTH, _SERVER_AUTH)),
    "server": ((_DIGITAL_SIGNATURE, _KEY_ENCIPHERMENT), (_SERVER_AUTH,)),
}
# Kind of the authority's key -> the algorithm of its signatures, with SHA-256.
_RSA, _ELLIPTIC, _P256 = "1.2.840.113549.1.1.1", "1.2.840.10045.2.1", "1.2.840.10045.3.1.7"
_ALGORITHMS = {
    der.object_identifier(_RSA): der.encode(
        der.SEQUENCE, der.object_identifier("1.2.840.113549.1.1.11"), der.encode(der.NULL)
    ),
    der.object_identifier(_ELLIPTIC): der.encode(der.SEQUENCE, der.object_identifier("1.2.840.10045.4.3.2")),
}
_EXPLICIT_VERSION, _EXTENSIONS, _KEY_IDENTIFIER, _DNS_NAME, _ADDRESS = 0xA0, 0xA3, 0x80, 0x82, 0x87
# The curve P-256: y^2 = x^3 - 3x + b (SEC 2, secp256r1).
_P = 2**256 - 2**224 + 2**192 + 2**96 - 1
_B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
_COORDINATE = 32
_ON_P256 = der.encode(der.SEQUENCE, der.object_identifier(_ELLIPTIC), der.object_identifier(_P256))
_SECONDS = 60


class IssueError(KopsError):
    """A certificate that cannot be issued, or a key that cannot be used. The message holds nothing of a key."""


@dataclass(frozen=True)
class Authority:
    """What signs: the certificate of an authority and its key, both PEM. Raises EncodingError where it is neither."""

    certificate: str
    private_key: str = field(repr=False)

    @cached_property
    def parts(self) -> Parts:
        """The parts of its certificate."""
        return Parts.of(self.certificate)


@dataclass(frozen=True)
class Parts:
    """The parts of a certificate that issuing and comparing need, as they are encoded.

    signed: what the signature is of. extensions: by identifier; of each the value. public_key: SubjectPublicKeyInfo.
    """

    signed: bytes
    signature: bytes
    issuer: bytes
    subject: bytes
    not_after: datetime.datetime
    public_key: bytes
    extensions: dict[bytes, bytes]

    @classmethod
    def of(cls, pem: str) -> Parts:
        """Of the first certificate of a PEM text. Raises EncodingError."""
        try:
            whole = der.only(der.from_pem(pem, CERTIFICATE), der.SEQUENCE).children()
            fields = [each for each in whole[0].children() if each.tag != _EXPLICIT_VERSION]
            last = fields[6:]
            extensions = next((each.children()[0].children() for each in last if each.tag == _EXTENSIONS), [])
            return cls(
                signed=whole[0].encoded,
                signature=whole[2].content[1:],
                issuer=fields[2].encoded,
                not_after=der.read_time(fields[3].children()[1]),
                subject=fields[4].encoded,
                public_key=fields[5].encoded,
                extensions={each.children()[0].encoded: each.children()[-1].content for each in extensions},
            )
        except IndexError:
            raise der.EncodingError("a certificate with parts missing") from None


def issue(
    wanted: Wanted,
    public_key: str,
    authority: Authority,
    *,
    now: datetime.datetime | None = None,
    serial: int | None = None,
) -> str:
    """A certificate for a public key, as PEM. Raises IssueError, EncodingError.

    public_key: of the curve P-256, PEM ("PUBLIC KEY"). now, serial: for tests.
    """
    moment = (now or datetime.datetime.now(datetime.timezone.utc)).replace(microsecond=0)
    signer = authority.parts
    algorithm = _ALGORITHMS.get(der.only(signer.public_key, der.SEQUENCE).children()[0].children()[0].encoded)
    if algorithm is None:
        raise IssueError("the authority's key is neither RSA nor of an elliptic curve")
    signed = der.encode(
        der.SEQUENCE,
        der.encode(_EXPLICIT_VERSION, der.integer(2)),
        der.integer(secrets.randbits(127) + 1 if serial is None else serial),
        algorithm,
        signer.subject,
        der.encode(der.SEQUENCE, der.time(moment - BACKDATED), der.time(moment + wanted.validity)),
        _subject(wanted),
        checked_public_key(public_key),
        der.encode(_EXTENSIONS, der.encode(der.SEQUENCE, *_extensions(wanted, signer))),
    )
    with _readable(authority.private_key.encode()) as key:
        signature = _openssl("dgst", "-sha256", "-sign", key, stdin=signed)
    return der.to_pem(der.encode(der.SEQUENCE, signed, algorithm, der.bit_string(signature)), CERTIFICATE)


def fits(pem: str, wanted: Wanted, authority: Authority, now: datetime.datetime | None = None) -> bool:
    """Whether a certificate is what would be issued today, by this authority, and does not end soon."""
    try:
        parts = Parts.of(pem)
        mine = dict(_pair(each) for each in _extensions(wanted, authority.parts))
        names = der.object_identifier(_ALTERNATE_NAMES)
        theirs_named, mine_named = (_names(each.get(names)) for each in (parts.extensions, mine))
    except KopsError:
        return False
    return (
        parts.subject == _subject(wanted)
        and parts.issuer == authority.parts.subject
        and theirs_named == mine_named
        and {**parts.extensions, names: b""} == {**mine, names: b""}
        and parts.not_after - (now or datetime.datetime.now(datetime.timezone.utc)) > RENEWED_BEFORE
        and _is_signed_by(parts, authority.parts.public_key)
    )


def generate_key() -> tuple[str, str]:
    """A new key of the curve P-256 and its public key, both PEM. Raises IssueError."""
    private = _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout").decode()
    return private, public_key_of(private)


def public_key_of(private: str) -> str:
    """The public key of a key of the curve P-256 ("EC PRIVATE KEY"), both PEM. Raises EncodingError."""
    fields = der.only(der.from_pem(private, ELLIPTIC_KEY), der.SEQUENCE).children()
    # RFC 5915: [1] holds the point.
    points = [each.children()[0].content[1:] for each in fields if each.tag == 0xA1]
    if not points:
        raise der.EncodingError("a private key without its public key")
    return der.to_pem(der.encode(der.SEQUENCE, _ON_P256, der.bit_string(points[0])), PUBLIC_KEY)


def belongs(certificate: str, private_key: str) -> bool:
    """Whether a certificate is of a private key of any kind, both PEM; False as well for what is neither."""
    try:
        theirs = Parts.of(certificate).public_key
        if f"BEGIN {ELLIPTIC_KEY}" in private_key:
            return theirs == der.from_pem(public_key_of(private_key), PUBLIC_KEY)
        with _readable(private_key.encode()) as key:
            return theirs == der.from_pem(_openssl("pkey", "-in", key, "-pubout").decode(), PUBLIC_KEY)
    except KopsError:
        return False


def checked_public_key(pem: str) -> bytes:
    """The encoding of a public key that is a point of the curve P-256. Raises EncodingError for any other."""
    encoded = der.from_pem(pem, PUBLIC_KEY)
    point = encoded[-2 * _COORDINATE :]
    x, y = (int.from_bytes(part, "big") for part in (point[:_COORDINATE], point[_COORDINATE:]))
    if encoded != der.encode(der.SEQUENCE, _ON_P256, der.bit_string(b"\x04" + point)):
        raise der.EncodingError("a public key must be of the curve P-256, with both coordinates")
    if x >= _P or y >= _P or (y * y - (x * x * x - 3 * x + _B)) % _P:
        raise der.EncodingError("a public key that is not a point of the curve P-256")
    return encoded


def public_key_text(certificate: str) -> str:
    """A certificate's public key as kops gives it to the API server: PKIX, labelled RSA PUBLIC KEY."""
    return der.to_pem(Parts.of(certificate).public_key, "RSA PUBLIC KEY")


def _subject(wanted: Wanted) -> bytes:
    # All organizations are in one relative distinguished name, as Go writes it; a set is sorted in DER.
    groups = [
        [(_ORGANIZATION, name) for name in wanted.organizations],
        [(_COMMON_NAME, wanted.common_name)] if wanted.common_name else [],
    ]
    return der.encode(
        der.SEQUENCE, *(der.encode(der.SET, *sorted(_attribute(*each) for each in group)) for group in groups if group)
    )


def _attribute(kind: str, value: str) -> bytes:
    return der.encode(der.SEQUENCE, der.object_identifier(kind), der.encode(der.UTF8, value.encode()))


def _extensions(wanted: Wanted, signer: Parts) -> Iterator[bytes]:
    if wanted.type not in _USAGES:
        raise IssueError(f"{wanted.type!r} is not a type of certificates of nodes; types are {', '.join(_USAGES)}")
    bits, usages = _USAGES[wanted.type]
    yield _extension(_KEY_USAGE, der.named_bits(bits), critical=True)
    yield _extension(_EXTENDED_USAGE, der.encode(der.SEQUENCE, *map(der.object_identifier, usages)))
    yield _extension(_CONSTRAINTS, der.encode(der.SEQUENCE), critical=True)
    identifier = signer.extensions.get(der.object_identifier(_SUBJECT_KEY))
    if identifier is not None:
        content = der.only(identifier, der.OCTET_STRING).content
        yield _extension(_AUTHORITY_KEY, der.encode(der.SEQUENCE, der.encode(_KEY_IDENTIFIER, content)))
    if wanted.alternate_names:
        addresses = [found for found in map(_address, wanted.alternate_names) if found]
        names = [_ascii(name) for name in wanted.alternate_names if not _address(name)]
        encoded = [der.encode(_DNS_NAME, name) for name in names] + [der.encode(_ADDRESS, each) for each in addresses]
        critical = not (wanted.common_name or wanted.organizations)
        yield _extension(_ALTERNATE_NAMES, der.encode(der.SEQUENCE, *encoded), critical=critical)


def _extension(kind: str, value: bytes, *, critical: bool = False) -> bytes:
    flag = [der.encode(der.BOOLEAN, b"\xff")] if critical else []
    return der.encode(der.SEQUENCE, der.object_identifier(kind), *flag, der.encode(der.OCTET_STRING, value))


def _pair(extension: bytes) -> tuple[bytes, bytes]:
    fields = der.only(extension, der.SEQUENCE).children()
    return fields[0].encoded, fields[-1].content


def _names(value: bytes | None) -> set[bytes]:
    return set() if value is None else {each.encoded for each in der.only(value, der.SEQUENCE).children()}


def _address(name: str) -> bytes:
    try:
        return ipaddress.ip_address(name).packed
    except ValueError:
        return b""


def _ascii(name: str) -> bytes:
    if not name.isascii():
        raise IssueError(f"{name!r} is not a DNS name in ASCII")
    return name.encode()


# -- the command openssl ----------------------------------------------------------------------------------------------


def _is_signed_by(parts: Parts, public_key: bytes) -> bool:
    pem = der.to_pem(public_key, PUBLIC_KEY).encode()
    with _readable(pem) as key, _readable(parts.signature) as signature:
        try:
            _openssl("dgst", "-sha256", "-verify", key, "-signature", signature, stdin=parts.signed)
        except IssueError:
            return False
    return True


@contextlib.contextmanager
def _readable(content: bytes) -> Iterator[str]:
    """A path under which commands that this process starts read the content, which is in memory only."""
    descriptor = os.memfd_create("openssl")
    try:
        os.write(descriptor, content)
        yield f"/dev/fd/{descriptor}"
    finally:
        os.close(descriptor)


def _openssl(*arguments: str, stdin: bytes = b"") -> bytes:
    """The output of openssl. Raises IssueError; standard error is left out, as it could name parts of a key."""
    kept = [int(each.rpartition("/")[2]) for each in arguments if each.startswith("/dev/fd/")]
    try:
        done = subprocess.run(  # noqa: S603 - no shell; arguments are those of this module
            ["openssl", *arguments],  # noqa: S607 - PATH is the one below
            input=stdin,
            capture_output=True,
            pass_fds=kept,
            timeout=_SECONDS,
            check=False,
            env={**os.environ, "PATH": PATH, "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        raise IssueError("the command openssl is missing; install the distribution's package openssl") from error
    except subprocess.TimeoutExpired:
        raise IssueError(f"'openssl {arguments[0]}' did not end within {_SECONDS} s") from None
    if done.returncode:
        raise IssueError(f"'openssl {arguments[0]}' ended with exit code {done.returncode}")
    return done.stdout
