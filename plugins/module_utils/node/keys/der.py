# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DER, the encoding of certificates (ITU-T X.690): as much of it as issuing and reading certificates takes."""

from __future__ import annotations

import base64
import binascii
import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ...base.errors import KopsError

BOOLEAN, INTEGER, BIT_STRING, OCTET_STRING, NULL, OBJECT, UTF8 = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0C
UTC_TIME, GENERALIZED_TIME, SEQUENCE, SET = 0x17, 0x18, 0x30, 0x31
_LONG, _MOST_LENGTH_BYTES = 0x80, 3
# The last year that UTCTime has.
_LAST_OF_UTC_TIME = 2049


class EncodingError(KopsError):
    """Bytes that are not the DER, or text that is not the PEM, that is expected."""


@dataclass(frozen=True)
class Element:
    """An element. tag: its identifier octet. content: its contents. encoded: the whole element."""

    tag: int
    content: bytes
    encoded: bytes

    def children(self) -> list[Element]:
        """The elements in it. Raises EncodingError."""
        return elements(self.content)


def encode(tag: int, *contents: bytes) -> bytes:
    """An element with these contents."""
    content = b"".join(contents)
    length = len(content)
    if length < _LONG:
        return bytes([tag, length]) + content
    size = (length.bit_length() + 7) // 8
    return bytes([tag, _LONG | size]) + length.to_bytes(size, "big") + content


def integer(number: int) -> bytes:
    """A number that is not negative."""
    return encode(INTEGER, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def bit_string(content: bytes, unused: int = 0) -> bytes:
    """Whole bytes as bits, of which the last few are unused."""
    return encode(BIT_STRING, bytes([unused]) + content)


def named_bits(bits: Iterable[int]) -> bytes:
    """Named bits by their numbers (0 is the highest bit of the first byte); zeros at the end are left out."""
    given = set(bits)
    size = max(given) + 1
    content = bytearray((size + 7) // 8)
    for bit in given:
        content[bit // 8] |= 0x80 >> bit % 8
    return bit_string(bytes(content), -size % 8)


def object_identifier(dotted: str) -> bytes:
    """An identifier such as 2.5.4.3."""
    first, second, *rest = map(int, dotted.split("."))
    content = bytearray()
    for number in (first * 40 + second, *rest):
        groups = [number & 0x7F]
        while number := number >> 7:
            groups.append(number & 0x7F | 0x80)
        content += bytes(reversed(groups))
    return encode(OBJECT, bytes(content))


def time(moment: datetime.datetime) -> bytes:
    """A moment (in UTC) as certificates have it."""
    if moment.year <= _LAST_OF_UTC_TIME:
        return encode(UTC_TIME, moment.strftime("%y%m%d%H%M%SZ").encode())
    return encode(GENERALIZED_TIME, moment.strftime("%Y%m%d%H%M%SZ").encode())


def read_time(element: Element) -> datetime.datetime:
    """The moment of an element, in UTC. Raises EncodingError."""
    text = element.content.decode("ascii", "replace")
    if element.tag == UTC_TIME:
        text = ("20" if text[:2] < "50" else "19") + text
    try:
        moment = datetime.datetime.strptime(text, "%Y%m%d%H%M%SZ")
    except ValueError:
        raise EncodingError("a time in a certificate cannot be read") from None
    return moment.replace(tzinfo=datetime.timezone.utc)


def elements(data: bytes) -> list[Element]:
    """The elements that bytes consist of. Raises EncodingError."""
    found, position = [], 0
    while position < len(data):
        header = data[position : position + 2]
        if len(header) < 2:
            raise EncodingError("DER ends in the middle of an element")
        start, length = position + 2, header[1]
        if length >= _LONG:
            size = length - _LONG
            if not 1 <= size <= _MOST_LENGTH_BYTES:
                raise EncodingError("DER with a length that is not allowed")
            length, start = int.from_bytes(data[start : start + size], "big"), start + size
        end = start + length
        if end > len(data):
            raise EncodingError("DER ends in the middle of an element")
        found.append(Element(header[0], data[start:end], data[position:end]))
        position = end
    return found


def only(data: bytes, tag: int) -> Element:
    """The one element that bytes consist of. Raises EncodingError if there is not exactly one, of that tag."""
    found = elements(data)
    if len(found) != 1 or found[0].tag != tag:
        raise EncodingError("DER of another kind than expected")
    return found[0]


# -- PEM ------------------------------------------------------------------------------------------------------------


def from_pem(text: str, label: str) -> bytes:
    """The content of the first block with that label. Raises EncodingError, whose message holds nothing of it."""
    found = re.search(f"-----BEGIN {label}-----([A-Za-z0-9+/=\\s]+)-----END {label}-----", text)
    if found is None:
        raise EncodingError(f"no {label} block in the PEM text")
    try:
        return base64.b64decode("".join(found.group(1).split()), validate=True)
    except (ValueError, binascii.Error):
        raise EncodingError(f"the {label} block of the PEM text is not base64") from None


def to_pem(content: bytes, label: str) -> str:
    """Bytes as a PEM block."""
    encoded = base64.b64encode(content).decode()
    lines = [encoded[start : start + 64] for start in range(0, len(encoded), 64)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])
