# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signatures of RSA keys (PKCS #1, version 1.5, with SHA-256), which need nothing but Python to verify.

A signature is right if it is the one that the standard prescribes for the data: that is compared as a whole, so nothing
of a signature is parsed. Source: RFC 8017, sections 8.2.2 and 9.2.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from ..keys import der

LABEL = "PUBLIC KEY"
_ALGORITHM = der.encode(der.SEQUENCE, der.object_identifier("1.2.840.113549.1.1.1"), der.encode(der.NULL))
_SHA256 = der.encode(der.SEQUENCE, der.object_identifier("2.16.840.1.101.3.4.2.1"), der.encode(der.NULL))
_SMALLEST, _LARGEST, _LEAST_EXPONENT, _LARGEST_EXPONENT = 2048, 4096, 65537, 2**32


@dataclass(frozen=True)
class PublicKey:
    """A public key."""

    modulus: int
    exponent: int

    @classmethod
    def of_pem(cls, text: str) -> PublicKey:
        """Of a PEM text. Raises EncodingError for what is no RSA key, or one that nobody should trust."""
        fields = der.only(der.from_pem(text, LABEL), der.SEQUENCE).children()
        if len(fields) != 2 or fields[0].encoded != _ALGORITHM or fields[1].tag != der.BIT_STRING:
            raise der.EncodingError("a public key that is no RSA key")
        numbers = der.only(fields[1].content[1:], der.SEQUENCE).children()
        if [each.tag for each in numbers] != [der.INTEGER, der.INTEGER]:
            raise der.EncodingError("an RSA key needs two numbers")
        modulus, exponent = (int.from_bytes(each.content, "big") for each in numbers)
        if not (
            _SMALLEST <= modulus.bit_length() <= _LARGEST
            and modulus % 2
            and _LEAST_EXPONENT <= exponent < _LARGEST_EXPONENT
            and exponent % 2
        ):
            raise der.EncodingError("an RSA key whose numbers are too small, or too large")
        return cls(modulus, exponent)

    def encoded(self) -> bytes:
        """As in certificates (SubjectPublicKeyInfo)."""
        numbers = der.encode(der.SEQUENCE, der.integer(self.modulus), der.integer(self.exponent))
        return der.encode(der.SEQUENCE, _ALGORITHM, der.bit_string(numbers))

    def has_signed(self, data: bytes, signature: bytes) -> bool:
        """Whether the signature is that of the data by this key."""
        size = (self.modulus.bit_length() + 7) // 8
        number = int.from_bytes(signature, "big")
        if len(signature) != size or number >= self.modulus:
            return False
        found = pow(number, self.exponent, self.modulus).to_bytes(size, "big")
        wanted = der.encode(der.SEQUENCE, _SHA256, der.encode(der.OCTET_STRING, hashlib.sha256(data).digest()))
        return hmac.compare_digest(found, b"\0\1" + b"\xff" * (size - len(wanted) - 3) + b"\0" + wanted)
