# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the keysets of a cluster's store (``pki/private/NAME/keyset.yaml``) without a YAML library, which nodes lack.

It reads the shapes that kops and this collection write, block style with a value on each line, and JSON; anything else
is an error. Whatever it says holds nothing of a key.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass, field
from typing import Any, Callable

from ...base.errors import KopsError

# The content of a file below the cluster's directory of the store; None if there is none.
Read = Callable[[str], "bytes | None"]

# Former names of keysets (until kops 1.19, 1.22).
_LEGACY_NAMES = {"service-account": "master", "kubernetes-ca": "ca"}
_LINE = re.compile(r"(?P<indent> *)(?P<dash>- )?(?P<key>[A-Za-z][A-Za-z0-9/._-]*):(?: (?P<value>\S.*?))? *")
_PLAIN = re.compile(r"[A-Za-z0-9+/=._:-]+(?: [A-Za-z0-9+/=._:-]+)*")
_QUOTED = re.compile(r'"(?P<double>[^"\\]*)"|\'(?P<single>[^\']*)\'')
_NOTHING = {"null": None, "~": None, "{}": None, "[]": None, "": None}


class KeysetError(KopsError):
    """A keyset that is missing or cannot be read."""


@dataclass(frozen=True)
class KeyPair:
    """A key pair of a keyset. certificate, private_key: PEM, "" if missing. trusted: it was not distrusted."""

    id: str
    certificate: str
    private_key: str = field(repr=False)
    trusted: bool = True

    @property
    def can_sign(self) -> bool:
        """Whether certificates can be issued with it."""
        return bool(self.trusted and self.certificate and self.private_key)


@dataclass(frozen=True)
class Keyset:
    """The key pairs of one name, oldest first. primary: the one that signs, None if there is none."""

    name: str
    pairs: tuple[KeyPair, ...]
    primary: KeyPair | None

    @property
    def trusted(self) -> list[KeyPair]:
        """Those that are not distrusted, oldest first."""
        return [pair for pair in self.pairs if pair.trusted]

    @property
    def used(self) -> list[KeyPair]:
        """Those that are not distrusted, the primary first."""
        return [*([self.primary] if self.primary else []), *(pair for pair in self.trusted if pair is not self.primary)]

    def bundle(self) -> str:
        """The certificates of all trusted key pairs, oldest first."""
        return "".join(pair.certificate for pair in self.trusted)

    def signer(self) -> KeyPair:
        """The primary. Raises KeysetError if there is none that can sign."""
        if self.primary is None or not self.primary.can_sign:
            raise KeysetError(f"keyset {self.name} has no primary key pair that can sign")
        return self.primary


def location(name: str) -> str:
    """Where a keyset is, below the cluster's directory of the store."""
    return f"pki/private/{name}/keyset.yaml"


def load(read: Read, name: str) -> Keyset:
    """A keyset of the store, under its present or its former name. Raises KeysetError, and whatever read raises."""
    for each in (name, _LEGACY_NAMES.get(name, "")):
        content = read(location(each)) if each else None
        if content is not None:
            return parse(content, name)
    raise KeysetError(f"the cluster has no keyset {name}")


def parse(content: bytes, name: str) -> Keyset:
    """The keyset that a file holds. name: of the keyset, for messages. Raises KeysetError."""
    try:
        text = content.decode("ascii")
    except UnicodeDecodeError:
        raise KeysetError(f"keyset {name}: a character that no keyset has") from None
    data = _json(text, name) if text.lstrip().startswith("{") else _Reader(text, name).read()
    if data.get("kind") != "Keyset" or not isinstance(data.get("spec"), dict):
        raise KeysetError(f"keyset {name}: the file holds no Keyset")
    spec = data["spec"]
    items = spec.get("keys") or []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise KeysetError(f"keyset {name}: spec.keys is not a list of key pairs")
    pairs = sorted((_pair(item, name) for item in items), key=lambda pair: _age(pair.id))
    candidates = [pair for pair in pairs if pair.trusted and pair.id.isdigit()]
    named = [pair for pair in candidates if pair.id == spec.get("primaryId")]
    primary = (named or candidates)[-1] if candidates else None
    return Keyset(name, tuple(pairs), primary)


def _pair(item: dict[str, Any], name: str) -> KeyPair:
    known = {key: str(item.get(key) or "") for key in ("id", "publicMaterial", "privateMaterial", "distrustTimestamp")}
    return KeyPair(
        known["id"],
        _decoded(known["publicMaterial"], name),
        _decoded(known["privateMaterial"], name),
        trusted=not known["distrustTimestamp"],
    )


def _decoded(material: str, name: str) -> str:
    try:
        return base64.b64decode(material, validate=True).decode("ascii")
    except ValueError:
        raise KeysetError(f"keyset {name}: a key pair that is not PEM text in base64") from None


def _age(item_id: str) -> tuple[int, int, str]:
    """Sort key, oldest first. Ids that are not numbers count as older than all others."""
    return (1, int(item_id), "") if item_id.isdigit() else (0, 0, item_id)


def _json(text: str, name: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise KeysetError(f"keyset {name}: the file is no JSON object")
    return data


class _Reader:
    """Mappings, and lists of mappings, in block style."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.lines = []
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and line.strip() != "---" and not line.lstrip().startswith("#"):
                self.lines.append((number, line))
        self.next = 0

    def read(self) -> dict[str, Any]:
        """The mapping that the text is."""
        data = self._mapping(0)
        if self.next < len(self.lines):
            raise self._problem("is indented in a way that is not expected")
        return data

    def _mapping(self, indent: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (line := self._at(indent)) is not None and not (line["dash"] and found):
            key, value = line["key"], line["value"]
            if key in found:
                raise self._problem("gives a key again")
            self.next += 1
            found[key] = self._below(indent) if value is None else self._scalar(value)
        return found

    def _at(self, indent: int) -> re.Match[str] | None:
        """The next line, if its key stands in that column; a dash counts as a part of the indentation."""
        if self.next == len(self.lines):
            return None
        line = _LINE.fullmatch(self.lines[self.next][1])
        if line is None:
            raise self._problem("is not KEY: VALUE")
        return line if line.start("key") == indent else None

    def _below(self, indent: int) -> Any:
        """What follows a key without a value: a mapping, a list (which may stand in the key's column), or nothing."""
        if self.next == len(self.lines):
            return None
        line = _LINE.fullmatch(self.lines[self.next][1])
        if line is None:
            raise self._problem("is not KEY: VALUE")
        column, begins = line.start("key"), len(line["indent"])
        if line["dash"] and begins >= indent:
            items = []
            while (item := self._at(column)) is not None and item["dash"] and len(item["indent"]) == begins:
                items.append(self._mapping(column))
            return items
        return self._mapping(column) if not line["dash"] and column > indent else None

    def _scalar(self, text: str) -> str | None:
        if text in _NOTHING:
            return _NOTHING[text]
        quoted = _QUOTED.fullmatch(text)
        if quoted:
            return quoted["double"] if quoted["double"] is not None else quoted["single"]
        if not _PLAIN.fullmatch(text):
            self.next -= 1
            raise self._problem("has a value that is not written as in a keyset")
        return text

    def _problem(self, what: str) -> KeysetError:
        return KeysetError(f"keyset {self.name}: line {self.lines[self.next][0]} {what}")
