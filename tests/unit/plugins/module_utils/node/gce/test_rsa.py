# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import hashlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.rsa import LABEL, PublicKey
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys import der
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

KEY = rsa.generate_private_key(65537, 2048)


def pem_of(public) -> str:
    return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


PUBLIC = PublicKey.of_pem(pem_of(KEY.public_key()))
SIGNATURE = KEY.sign(b"data", padding.PKCS1v15(), hashes.SHA256())


def private(number: int) -> bytes:
    """What the private key makes of a number."""
    numbers = KEY.private_numbers()
    return pow(number, numbers.d, PUBLIC.modulus).to_bytes(256, "big")


def test_a_key_is_read_and_written_as_others_do() -> None:
    assert der.to_pem(PUBLIC.encoded(), LABEL) == pem_of(KEY.public_key())
    assert PUBLIC.modulus == KEY.public_key().public_numbers().n


def test_a_signature_is_of_its_data() -> None:
    assert PUBLIC.has_signed(b"data", SIGNATURE)
    assert not PUBLIC.has_signed(b"date", SIGNATURE)


@pytest.mark.parametrize(
    "signature",
    [
        b"",
        bytes(256),
        bytes(255) + b"\1",
        b"\xff" * 256,
        SIGNATURE[:-1],
        b"\0" + SIGNATURE,
        SIGNATURE + b"\0",
        SIGNATURE[:-1] + bytes([SIGNATURE[-1] ^ 1]),
        # The same number, once more around.
        (int.from_bytes(SIGNATURE, "big") + PUBLIC.modulus).to_bytes(257, "big"),
        KEY.sign(b"data", padding.PKCS1v15(), hashes.SHA1()),
        KEY.sign(b"data", padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256()),
    ],
    # The keys are new in each process, and the names of tests must not be.
    ids=["empty", "zeros", "one", "ones", "short", "front", "behind", "bit", "around", "sha1", "pss"],
)
def test_whatever_else_is_no_signature(signature: bytes) -> None:
    assert not PUBLIC.has_signed(b"data", signature)


def test_a_padding_that_is_too_short_is_none() -> None:
    """The forgery of Bleichenbacher: the hash early in the block, and anything behind it."""
    prefix = bytes.fromhex("3031300d060960864801650304020105000420")
    digest = hashlib.sha256(b"data").digest()
    block = b"\0\1" + b"\xff" * 8 + b"\0" + prefix + digest
    forged = private(int.from_bytes(block.ljust(256, b"\0"), "big"))
    assert not PUBLIC.has_signed(b"data", forged)
    right = b"\0\1" + b"\xff" * 202 + b"\0" + prefix + digest
    assert private(int.from_bytes(right, "big")) == SIGNATURE


def encoded(modulus: int, exponent: int) -> str:
    return der.to_pem(PublicKey(modulus, exponent).encoded(), LABEL)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no PUBLIC KEY block"),
        (pem_of(ec.generate_private_key(ec.SECP256R1()).public_key()), "no RSA key"),
        (der.to_pem(b"\x30\x00", LABEL), "no RSA key"),
        (encoded(PUBLIC.modulus, 3), "too small"),
        (encoded(PUBLIC.modulus, 65538), "too small"),
        (encoded(PUBLIC.modulus, 2**33 + 1), "too large"),
        (encoded(2**1023 + 1, 65537), "too small"),
        (encoded(2**2048, 65537), "too small"),
        (encoded(2**8192 + 1, 65537), "too large"),
    ],
    ids=["empty", "elliptic", "none", "small-exponent", "even-exponent", "large-exponent", "small", "even", "large"],
)
def test_keys_that_nobody_should_trust(text: str, said: str) -> None:
    with pytest.raises(der.EncodingError, match=said):
        PublicKey.of_pem(text)
