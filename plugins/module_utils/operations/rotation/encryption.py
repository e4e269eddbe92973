# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of encryption at rest in an EncryptionConfiguration: one is added, made the first, and the others removed.

Source: "Rotating a decryption key" in the documentation of Kubernetes. The first key of the first provider encrypts;
all others only decrypt.
"""

from __future__ import annotations

import base64
import copy
import datetime
import secrets
from collections.abc import Iterator
from typing import Any

from ...api.yaml.read import read_plain
from ...api.yaml.write import dump_plain
from ...base.errors import KopsError
from ...statestore.secrets import ENCRYPTION_CONFIG, check_secret, encryption_key_made, encryption_key_name

# Providers whose keys are in the configuration itself -> the length of a new key, in bytes.
_KEY_BYTES = {"secretbox": 32, "aescbc": 32, "aesgcm": 32}
_Keys = list[dict[str, str]]


class EncryptionKeys:
    """An EncryptionConfiguration. Raises KopsError if its keys cannot be rotated."""

    def __init__(self, value: bytes) -> None:
        check_secret(ENCRYPTION_CONFIG, value)
        self._data: dict[str, Any] = read_plain(value)
        self._lists = list(_keys_of(self._data))

    def value(self) -> bytes:
        """The configuration as it is stored."""
        return dump_plain(self._data).encode()

    def copy(self) -> EncryptionKeys:
        """Another one that can be changed."""
        made = EncryptionKeys.__new__(EncryptionKeys)
        made._data = copy.deepcopy(self._data)
        made._lists = list(_keys_of(made._data))
        return made

    @property
    def resources(self) -> list[str]:
        """The names of what is encrypted by keys that rotate, such as secrets or configmaps."""
        named = [name for entry, _keys in self._lists for name in entry.get("resources") or ()]
        return list(dict.fromkeys(map(str, named)))

    @property
    def waiting(self) -> list[str]:
        """The names of keys that were added to become the first."""
        return [keys[-1]["name"] for _entry, keys in self._lists if _is_waiting(keys)]

    @property
    def old(self) -> list[str]:
        """The names of keys that only decrypt, and that one of a rotation has replaced."""
        return [
            key["name"]
            for _entry, keys in self._lists
            if _made(keys[0]) is not None and not _is_waiting(keys)
            for key in keys[1:]
        ]

    def older_than(self, before: datetime.datetime) -> bool:
        """Whether a key that encrypts was made before, or at an unknown time."""
        made = [_made(keys[0]) for _entry, keys in self._lists]
        # Names say seconds only.
        return any(each is None or each + datetime.timedelta(seconds=1) <= before for each in made)

    def add(self, now: datetime.datetime) -> None:
        """Add a key to each provider that encrypts, as its last one. Its name says a later second than all others."""
        known = [made for _entry, keys in self._lists for made in map(_made, keys) if made is not None]
        name = encryption_key_name(max([now, *(made + datetime.timedelta(seconds=1) for made in known)]))
        for entry, keys in self._lists:
            if not _is_waiting(keys):
                keys.append({"name": name, "secret": _new_key(_provider_of(entry))})

    def promote(self) -> None:
        """Make the keys that wait the first ones."""
        for _entry, keys in self._lists:
            if _is_waiting(keys):
                keys.insert(0, keys.pop())

    def remove(self) -> None:
        """Remove the keys that only decrypt."""
        gone = set(self.old)
        for _entry, keys in self._lists:
            keys[1:] = [key for key in keys[1:] if key["name"] not in gone]


def _keys_of(data: dict[str, Any]) -> Iterator[tuple[dict[str, Any], _Keys]]:
    """Each entry of resources that a key of the configuration encrypts, with the keys of its first provider."""
    for entry in data.get("resources") or ():
        kind = _provider_of(entry)
        if kind in _KEY_BYTES:
            keys = (entry["providers"][0][kind] or {}).get("keys") or ()
            if keys:
                yield entry, keys


def _provider_of(entry: dict[str, Any]) -> str:
    """The kind of the provider that encrypts; "" if there is none."""
    providers = entry.get("providers") or ()
    return next(iter(providers[0]), "") if providers and isinstance(providers[0], dict) else ""


def _is_waiting(keys: _Keys) -> bool:
    """Whether the last key is one of a rotation that has not begun to encrypt."""
    last, first = _made(keys[-1]), _made(keys[0])
    return len(keys) > 1 and last is not None and (first is None or first < last)


def _made(key: dict[str, str]) -> datetime.datetime | None:
    return encryption_key_made(str(key.get("name")))


def _new_key(kind: str) -> str:
    return base64.b64encode(secrets.token_bytes(_KEY_BYTES[kind])).decode()


def refuse_wildcards(keys: EncryptionKeys) -> None:
    """Raise KopsError if it is not known which objects have to be written again."""
    unclear = [name for name in keys.resources if "*" in name]
    if unclear:
        raise KopsError(
            f"encryptionconfig encrypts {', '.join(unclear)}; its keys can only be rotated where it names each resource"
        )
