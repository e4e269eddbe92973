# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The attestation key of an instance: it is in the instance's virtual TPM, and only there.

Google writes the template of the key into the TPM's memory when it makes the instance, and tells whoever may read the
instance what the public key is (getShieldedInstanceIdentity). The key signs nothing that looks like a statement of the
TPM itself: it is restricted, so the TPM hashes what it signs.
Source: GceAttestationKeyRSA of go-tpm-tools, which kops signs with.
"""

from __future__ import annotations

from ...base.errors import KopsError
from ..keys import der
from . import rsa
from .tpm import ENDORSEMENT, LARGEST_DATA, NULL, SHA256, TPM, Reader, TPMError

# Where Google keeps the template of the RSA key.
TEMPLATE_INDEX = 0x01C10001
_RSA, _RSASSA = 0x0001, 0x0014
_USUAL_EXPONENT = 65537
_NO_SUCH_INDEX = 0x18B


class AttestationKey:
    """The key in a TPM, for one use: with "with", it is loaded and given back. Raises TPMError, KopsError, OSError."""

    def __init__(self, tpm: TPM) -> None:
        self._tpm = tpm
        self._handle = 0
        self.public_key = ""

    def __enter__(self) -> AttestationKey:
        try:
            stored = self._tpm.stored(TEMPLATE_INDEX)
        except TPMError as error:
            if error.code != _NO_SUCH_INDEX:
                raise
            raise KopsError(
                "the TPM of this instance has no attestation key of Google Cloud; the instance must be one of Compute "
                "Engine with the virtual TPM enabled"
            ) from error
        self._handle, public = self._tpm.create_primary(ENDORSEMENT, _public_area(stored)[0])
        try:
            self.public_key = _pem(_public_area(public)[1])
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_raised: object) -> None:
        self._tpm.flush(self._handle)

    def sign(self, data: bytes) -> bytes:
        """The signature (PKCS #1, version 1.5, SHA-256) of data, of which a TPM takes little at once."""
        if len(data) > LARGEST_DATA:
            raise TPMError(f"takes {LARGEST_DATA} bytes to sign, not {len(data)}")
        digest, ticket = self._tpm.hashed(data)
        algorithm, hashed_by, signature = self._tpm.sign(self._handle, digest, ticket)
        if (algorithm, hashed_by) != (_RSASSA, SHA256):
            raise TPMError(f"the attestation key signs with algorithm {algorithm:#x}, and not as RSA keys of Google do")
        return signature


def _public_area(data: bytes) -> tuple[bytes, rsa.PublicKey]:
    """A public part, or a template of one (TPMT_PUBLIC), without what may be after it; and its numbers.

    Raises TPMError if it is of no RSA key.
    """
    area = Reader(data)
    if area.number(2) != _RSA:
        raise TPMError("the attestation key is no RSA key")
    # Algorithm of its name, attributes; then its policy.
    area.take(6)
    area.sized()
    if area.number(2) != NULL:
        # Size and mode of what it encrypts with.
        area.take(4)
    if area.number(2) != NULL:
        # The hash that it signs with.
        area.take(2)
    area.take(2)
    exponent = area.number(4) or _USUAL_EXPONENT
    modulus = area.sized()
    return area.taken, rsa.PublicKey(int.from_bytes(modulus, "big"), exponent)


def _pem(key: rsa.PublicKey) -> str:
    return der.to_pem(key.encoded(), rsa.LABEL)
