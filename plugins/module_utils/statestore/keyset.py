# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A keyset: the past, present and next key pairs of one CA, or of the service account issuer.

The primary item signs. All items that are not distrusted are trusted. A rotation adds a secondary item, updates all
nodes so that they trust it, promotes it, updates all nodes so that they use it, and distrusts the old item.
"""

from __future__ import annotations

import base64
import datetime
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..api import keyset as api
from ..api.meta import ObjectMeta
from ..base.errors import KopsError
from . import pki
from .certificates import read_certificate

KUBERNETES_CA = "kubernetes-ca"
_TYPE_KEYPAIR = "Keypair"


class KeysetError(KopsError):
    """The keyset cannot be read, or a step of a rotation is not allowed."""


@dataclass
class KeysetItem:
    """One key pair.

    id: a decimal number that grows with time. certificate, private_key: PEM, "" if missing.
    distrusted: time since when it is distrusted (RFC 3339), None if it is trusted.
    """

    id: str
    certificate: str = ""
    private_key: str = field(default="", repr=False)
    distrusted: str | None = None

    @property
    def can_sign(self) -> bool:
        """Whether the key pair can be primary."""
        return bool(self.certificate and self.private_key and self.distrusted is None)

    @property
    def pair(self) -> pki.KeyPair:
        """Certificate and private key."""
        return pki.KeyPair(self.certificate, self.private_key)


def age(item_id: str) -> tuple[int, int, str]:
    """Sort key of item ids, oldest first. Ids that are not numbers count as older than all others."""
    return (1, int(item_id), "") if item_id.isdigit() else (0, 0, item_id)


@dataclass
class Keyset:
    """All key pairs of one name.

    items: by id. primary: the item that signs, None only in an empty keyset.
    legacy_format: it was read from the place where kops before 1.22 kept it, and should be rewritten.
    etag: of the file when it was read, so that changes of other processes are not overwritten.
    """

    items: dict[str, KeysetItem] = field(default_factory=dict)
    primary: KeysetItem | None = None
    legacy_format: bool = False
    etag: str | None = None

    @property
    def trusted(self) -> list[KeysetItem]:
        """The trusted items, oldest first."""
        return [item for item in self.sorted_items if item.distrusted is None]

    @property
    def sorted_items(self) -> list[KeysetItem]:
        """All items, oldest first."""
        return [self.items[item_id] for item_id in sorted(self.items, key=age)]

    def used_ids(self) -> list[str]:
        """The ids of the items that are not distrusted: the primary first, then the others, oldest first."""
        others = [item.id for item in self.trusted if item is not self.primary]
        return [*([self.primary.id] if self.primary else []), *others]

    def certificate_bundle(self) -> str:
        """The trust bundle: the certificates of all trusted items, oldest first."""
        return "".join(item.certificate for item in self.trusted)

    def public_keys(self) -> str:
        """The public keys of all trusted items, oldest first: they verify service account tokens."""
        return "".join(pki.public_key_pem(item.certificate) for item in self.trusted if item.certificate)

    def problem(self) -> str:
        """Why it cannot sign, without a subject; "" if it can."""
        if self.primary is None:
            return "has no key pair that is trusted"
        missing = [
            what
            for what, text in (("certificate", self.primary.certificate), ("private key", self.primary.private_key))
            if not text
        ]
        return f"its primary key pair {self.primary.id} has no {' and no '.join(missing)}" if missing else ""

    def signer(self) -> pki.KeyPair:
        """The primary item's key pair. Raises KeysetError if there is none."""
        if self.primary is None or not self.primary.can_sign:
            raise KeysetError("the keyset has no primary key pair that can sign")
        return self.primary.pair

    # -- rotation -----------------------------------------------------------------------------------------------

    def add(self, pair: pki.KeyPair, *, primary: bool = False) -> KeysetItem:
        """Add a key pair, or only a certificate to trust.

        Its id is the certificate's serial number, if that keeps the ids in the order in which items were added.
        """
        if not pair.private_key and primary:
            raise KeysetError("a certificate without its private key cannot be made primary")
        if not primary and self.primary is None:
            raise KeysetError("the first key pair of a keyset must be primary")
        serial = pki.load_certificate(pair.certificate).serial_number
        newest = max((int(item_id) for item_id in self.items if item_id.isdigit()), default=0)
        number = pki.build_serial()
        if serial <= number and (not primary or serial > newest):
            number = serial
        if not pair.private_key and self.primary is not None and age(self.primary.id) <= age(str(number)):
            # It must not look newer than the primary, as the next primary does.
            number = next(free for free in range(len(self.items) + 1) if str(free) not in self.items)
        item = KeysetItem(str(number), pair.certificate, pair.private_key)
        self.items[item.id] = item
        if primary:
            self.primary = item
        return item

    def reissued(self, pair: pki.KeyPair) -> KeysetItem:
        """Add a new certificate for the primary's key, and make it primary. Its id is its serial number."""
        item = KeysetItem(str(pki.load_certificate(pair.certificate).serial_number), pair.certificate, pair.private_key)
        self.items[item.id] = item
        self.primary = item
        return item

    def newest_candidate(self) -> KeysetItem | None:
        """The newest item that can be primary."""
        return next((item for item in reversed(self.sorted_items) if item.can_sign and item.id.isdigit()), None)

    def promote(self, item_id: str = "") -> bool:
        """Make an item primary, by default the newest that can be. Returns whether this changed anything."""
        item = self._named(item_id) if item_id else self.newest_candidate()
        if item is None:
            raise KeysetError("the keyset has no key pair that could be primary")
        if item.distrusted is not None:
            raise KeysetError(f"key pair {item.id} is distrusted and cannot be primary")
        if not item.can_sign:
            raise KeysetError(f"key pair {item.id} lacks its private key or certificate and cannot be primary")
        changed = self.primary is not item
        self.primary = item
        return changed

    def distrust(self, item_ids: Iterable[str] = ()) -> list[str]:
        """Distrust items, by default all that are older than the primary. Returns the ids that were changed."""
        named = [self._named(item_id) for item_id in item_ids] or self._older_than_primary()
        if self.primary is not None and any(item is self.primary for item in named):
            raise KeysetError(
                f"key pair {self.primary.id} is primary and cannot be distrusted; promote another one first"
            )
        changed = [item for item in named if item.distrusted is None]
        for item in changed:
            item.distrusted = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        return [item.id for item in changed]

    def trust(self, item_ids: Iterable[str]) -> list[str]:
        """Trust items again. Returns the ids that were changed."""
        changed = [item for item in map(self._named, item_ids) if item.distrusted is not None]
        for item in changed:
            item.distrusted = None
        return [item.id for item in changed]

    def _named(self, item_id: str) -> KeysetItem:
        if item_id not in self.items:
            known = ", ".join(item.id for item in self.sorted_items) or "none"
            raise KeysetError(f"the keyset has no key pair {item_id}; it has {known}")
        return self.items[item_id]

    def _older_than_primary(self) -> list[KeysetItem]:
        if self.primary is None:
            return []
        border = read_certificate(self.primary.certificate).serial
        return [
            item
            for item in self.sorted_items
            if item.distrusted is None and item.certificate and read_certificate(item.certificate).serial < border
        ]

    # -- API object ---------------------------------------------------------------------------------------------

    @classmethod
    def from_api(cls, stored: api.Keyset) -> Keyset:
        """The keyset of an API object. Raises KeysetError if its content is not valid."""
        items = {}
        for key in stored.spec.keys:
            item_id = key.id or ""
            items[item_id] = KeysetItem(
                id=item_id,
                certificate=_decoded(key.public_material, item_id),
                private_key=_decoded(key.private_material, item_id),
                distrusted=key.distrust_timestamp,
            )
        candidates = [item for item in items.values() if item.distrusted is None and item.id.isdigit()]
        named = next((item for item in candidates if item.id == stored.spec.primary_id), None)
        return cls(items, named or max(candidates, key=lambda item: age(item.id), default=None))

    def to_api(self, name: str) -> api.Keyset:
        """The API object, with the items from oldest to newest."""
        keys = [
            api.KeysetItem(
                id=item.id,
                distrust_timestamp=item.distrusted,
                public_material=_encoded(item.certificate),
                private_material=_encoded(item.private_key),
            )
            for item in self.sorted_items
        ]
        primary = self.primary.id if self.primary else None
        return api.Keyset(ObjectMeta(name=name), api.KeysetSpec(type=_TYPE_KEYPAIR, primary_id=primary, keys=keys))


def _decoded(material: str | None, item_id: str) -> str:
    try:
        return base64.b64decode(material or "", validate=True).decode("ascii")
    except ValueError:
        raise KeysetError(f"key pair {item_id}: its content is not PEM text in base64") from None


def _encoded(text: str) -> str | None:
    return base64.b64encode(text.encode("ascii")).decode("ascii") if text else None
