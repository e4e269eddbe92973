# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RSA keys for tests, from a pool in the user's cache: to generate them takes a part of the tests' CPU time.

All processes of a run take keys from the pool in turn, so that no test meets a key twice.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

# Far more than one test asks for, and all that run beside it.
_KEYS = 256
# What clusters have; keys of other sizes are generated.
_EXPONENT, _BITS = 65537, 2048
_generate = rsa.generate_private_key
# Runs that are forked may have another home.
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
_POOL = _CACHE / "kubeops-kops-gates" / "rsa-keys"


def take_keys_from_pool() -> None:
    """Let this process, and its forks, take its keys from the pool from now on."""
    rsa.generate_private_key = _take


def _take(public_exponent: int, key_size: int, backend: Any = None) -> rsa.RSAPrivateKey:
    if (public_exponent, key_size) != (_EXPONENT, _BITS):
        return _generate(public_exponent, key_size, backend)
    path = _POOL / str(_next() % _KEYS)
    try:
        # They were generated here; to verify them takes as long as to generate them.
        loaded = serialization.load_der_private_key(path.read_bytes(), None, unsafe_skip_rsa_key_validation=True)
        assert isinstance(loaded, rsa.RSAPrivateKey)
        return loaded
    except FileNotFoundError:
        made = _generate(public_exponent, key_size)
        _write(path, made)
        return made


def _next() -> int:
    """A number that no other process gets: each adds a byte to one file."""
    _POOL.mkdir(parents=True, exist_ok=True, mode=0o700)
    turns = os.open(_POOL / "turns", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    try:
        os.write(turns, b".")
        return os.lseek(turns, 0, os.SEEK_CUR)
    finally:
        os.close(turns)


def _write(path: Path, key: rsa.RSAPrivateKey) -> None:
    der = key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_bytes(der)
    new.replace(path)
