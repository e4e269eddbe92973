# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of a cluster that rotate, where each of them stands, and the step that would come next.

A key pair is added, which is trusted beside the others (step ADD); it signs (PROMOTE); older ones are trusted no more
(DISTRUST). The key of encryption at rest has the same steps: it decrypts, it encrypts, the older ones are removed.
Where it stands is in the store alone: a key pair newer than the primary one, or trusted older ones beside it.
"""

from __future__ import annotations

import copy
import datetime
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...base.errors import KopsError
from ...statestore.certificates import read_certificate
from ...statestore.keyset import Keyset, KeysetItem, age
from ...statestore.keysets import is_rotatable
from ...statestore.secrets import ENCRYPTION_CONFIG
from ...statestore.store import ClusterStore
from ..store.keypairs import ALL, new_pair
from .encryption import EncryptionKeys, refuse_wildcards

ADD, PROMOTE, DISTRUST = "present", "promoted", "distrusted"
_AGE = re.compile(r"([1-9]\d{0,4})([dh])")
STEPS = (ADD, PROMOTE, DISTRUST)
# Ids of key pairs begin with nanoseconds since 1970 (pki.build_serial); these of kops' clusters are of such years.
_YEARS = (2010, 2200)


@dataclass(frozen=True)
class Wish:
    """What to rotate. names: of keysets, or encryptionconfig; empty is all. before: what was made before this moment
    is replaced; None begins nothing, but completes what was begun. until: the last step that may be taken.
    """

    names: frozenset[str] = frozenset()
    before: datetime.datetime | None = None
    until: str = DISTRUST

    def allows(self, name: str, step: str) -> bool:
        """Whether the step of a keyset may be taken."""
        return (not self.names or name in self.names) and STEPS.index(step) <= STEPS.index(self.until)


@dataclass
class Keys:
    """The keys in the store. encryption: None if nothing is encrypted, or not by keys that could rotate."""

    keysets: dict[str, Keyset]
    encryption: EncryptionKeys | None = None
    stored_encryption: bytes = field(default=b"", repr=False)

    @classmethod
    def read(cls, store: ClusterStore, wish: Wish, *, encrypts: bool) -> Keys:
        """encrypts: whether the specification asks for it. Raises KopsError for names that are not there."""
        keysets = {name: each for name, each in store.keysets.list().items() if is_rotatable(name)}
        value = store.secrets.find(ENCRYPTION_CONFIG) if encrypts else None
        known = {*keysets, *([ENCRYPTION_CONFIG] if value is not None else [])}
        unknown = sorted(wish.names - known)
        if unknown:
            raise KopsError(
                f"cluster {store.name} has no keys {', '.join(unknown)} that could be rotated; it has"
                f" {', '.join(sorted(known)) or 'none'}"
            )
        chosen = value is not None and (not wish.names or ENCRYPTION_CONFIG in wish.names)
        encryption = EncryptionKeys(value) if chosen and value is not None else None
        if encryption is not None:
            refuse_wildcards(encryption)
        return cls(keysets, encryption if encryption and encryption.resources else None, value or b"")

    def hash_of_encryption(self) -> str:
        """The SHA-256 of the secret encryptionconfig in the store; "" if there is none."""
        return hashlib.sha256(self.stored_encryption).hexdigest() if self.stored_encryption else ""

    def next_steps(self, wish: Wish) -> dict[str, str]:
        """Name -> the step that comes next; nothing for keys that need none."""
        found = {name: _next_of_keyset(keyset, wish.before) for name, keyset in self.keysets.items()}
        if self.encryption is not None:
            found[ENCRYPTION_CONFIG] = _next_of_encryption(self.encryption, wish.before)
        return {name: step for name, step in sorted(found.items()) if step and wish.allows(name, step)}

    def after(self, name: str, step: str) -> Keyset:
        """A keyset as it would be after a step. Raises KeysetError."""
        keyset = copy.deepcopy(self.keysets[name])
        if step == ADD:
            keyset.add(new_pair(name), primary=False)
        elif step == PROMOTE:
            keyset.promote()
        else:
            keyset.distrust([item.id for item in _replaced(keyset)])
        return keyset

    def encryption_after(self, step: str, now: datetime.datetime) -> EncryptionKeys:
        """The encryption configuration after a step."""
        if self.encryption is None:
            raise KopsError(f"there is no {ENCRYPTION_CONFIG} to change")
        made = self.encryption.copy()
        if step == ADD:
            made.add(now)
        elif step == PROMOTE:
            made.promote()
        else:
            made.remove()
        return made


def made_at(item: KeysetItem) -> datetime.datetime:
    """When a key pair was made: its id says so, unless it is a user's own; then its certificate does."""
    if item.id.isdigit():
        # Rounded up, so that no key pair looks older than the moment at which its rotation was asked for.
        seconds = -(-(int(item.id) >> 32) // 1000) / 1_000_000
        first, last = (int(datetime.datetime(year, 1, 1).timestamp()) for year in _YEARS)
        if first < seconds < last:
            return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return read_certificate(item.certificate).not_before


def _next_of_keyset(keyset: Keyset, before: datetime.datetime | None) -> str:
    newest, primary = keyset.newest_candidate(), keyset.primary
    if primary is None:
        return ""
    if newest is not None and age(newest.id) > age(primary.id):
        return PROMOTE
    if _replaced(keyset):
        return DISTRUST
    return ADD if before is not None and made_at(primary) < before else ""


def _replaced(keyset: Keyset) -> Sequence[KeysetItem]:
    """Trusted key pairs that signed before the primary one; not certificates that were only meant to be trusted."""
    primary = keyset.primary
    if primary is None:
        return []
    return [item for item in keyset.trusted if item.private_key and age(item.id) < age(primary.id)]


def _next_of_encryption(keys: EncryptionKeys, before: datetime.datetime | None) -> str:
    if keys.waiting:
        return PROMOTE
    if keys.old:
        return DISTRUST
    return ADD if before is not None and keys.older_than(before) else ""


def sentence(step: str, name: str) -> str:
    """A step, for people."""
    if name == ENCRYPTION_CONFIG:
        words = {ADD: "add a key", PROMOTE: "encrypt with the new key", DISTRUST: "remove the old key"}
    else:
        words = {
            ADD: "add a key pair, which is trusted and signs nothing",
            PROMOTE: "sign with the new key pair",
            DISTRUST: "distrust the old key pair",
        }
    return f"{name}: {words[step]}"


def moment(text: str, now: datetime.datetime) -> datetime.datetime | None:
    """The moment that a user means: RFC 3339, or an age in days or hours (90d, 12h); None for "".

    Raises KopsError; also for one that has not come yet, as each run would rotate again.
    """
    if not text:
        return None
    age_given = _AGE.fullmatch(text)
    if age_given:
        return now - datetime.timedelta(hours=int(age_given[1]) * (24 if age_given[2] == "d" else 1))
    try:
        found = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise KopsError(
            f"before is {text!r}; give a moment with its time zone (2026-05-08T12:00:00Z), or an age (90d, 12h)"
        )
    if found > now:
        raise KopsError(f"before is {text}, which has not come yet; every run until then would rotate again")
    return found


def names_of(given: Sequence[str]) -> frozenset[str]:
    """The names of a wish; empty for all."""
    names = frozenset(name for name in given if name)
    return frozenset() if ALL in names else names


def grouped(steps: Mapping[str, str]) -> list[str]:
    """Steps as lines, in the order in which they are taken."""
    return [sentence(step, name) for step in STEPS for name, each in steps.items() if each == step]
