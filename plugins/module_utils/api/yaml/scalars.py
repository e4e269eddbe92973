# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an unquoted YAML scalar means to kops' YAML library (Go's yaml.v2): YAML 1.1 with its own number rules.

Reading and writing share this: text that would read as something else has to be quoted.
"""

from __future__ import annotations

import datetime
import math
import re
from decimal import Decimal
from typing import Any


def _spellings(*words: str) -> list[str]:
    return [spelling for word in words for spelling in (word, word.capitalize(), word.upper())]


_INFINITY = (".inf", ".Inf", ".INF")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(["", "~", *_spellings("null")], None),
    **dict.fromkeys(_spellings("y", "yes", "on", "true"), True),
    **dict.fromkeys(_spellings("n", "no", "off", "false"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys([sign + word for sign in ("", "+") for word in _INFINITY], math.inf),
    **dict.fromkeys(["-" + word for word in _INFINITY], -math.inf),
}
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|([1-9][0-9]*|0))")
_BASES = (16, 2, 8, 10)
_LONGEST_INTEGER = 67  # characters of 64 bits in base 2 with sign and 0b; any longer one is beyond every type
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_DIGIT_SEPARATOR = re.compile(r"(?<=\d)_(?=\d)")
_TIMESTAMP = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)"
    r"(?:[Tt](\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?(?:Z|[-+]\d\d:\d\d)| (\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?)?"
)
_BASE_60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
_WORD_STARTS = frozenset("yYnNtTfFoO~.+-0123456789")


class Timestamp(str):
    """Text that YAML calls a date or a time; it stays text, but has to be quoted when written."""


def resolve(text: str) -> Any:
    """The value of an unquoted scalar: None, bool, int, float, Timestamp or the text itself."""
    if text and text[0] not in _WORD_STARTS:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        return _float(_DIGIT_SEPARATOR.sub("", text), text)
    if text[0] in "+-" or text[0].isdigit():
        return _number(text)
    return text


def needs_quotes(text: str) -> bool:
    """Whether text, written without quotes, would read as something other than this text."""
    return resolve(text).__class__ is not str or _BASE_60.fullmatch(text) is not None


def format_float(value: float) -> str:
    """A float as Go writes it into YAML after a trip through JSON: whole numbers below 1e21 without a fraction."""
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else (".inf" if value > 0 else "-.inf")
    if value.is_integer() and -(2**63) <= value < 2**64:
        return str(int(value))
    digits, exponent = Decimal(repr(value)).normalize().as_tuple()[1:]
    magnitude = len(digits) + int(exponent) - 1
    if -4 <= magnitude < 6:
        return format(Decimal(repr(value)).normalize(), "f")
    mantissa = "".join(map(str, digits))
    mantissa = mantissa[0] + ("." + mantissa[1:] if len(mantissa) > 1 else "")
    return f"{'-' if value < 0 else ''}{mantissa}e{'-' if magnitude < 0 else '+'}{abs(magnitude):02d}"


def _number(text: str) -> Any:
    if _is_timestamp(text):
        return Timestamp(text)
    plain = text.replace("_", "")
    found = _INTEGER.fullmatch(plain)
    if found and len(plain) <= _LONGEST_INTEGER:
        sign, *digits = found.groups()
        value = next(int(part, base) for part, base in zip(digits, _BASES) if part is not None)
        value = -value if sign == "-" else value
        if -(2**63) <= value < 2**63 or (not sign and value < 2**64):
            return value
    return _float(plain, text)


def _float(digits: str, text: str) -> float | str:
    value = float(digits) if _FLOAT.fullmatch(digits) else math.inf
    return text if math.isinf(value) else value


def _is_timestamp(text: str) -> bool:
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        return False
    year, month, day, *clock = found.groups()
    hour, minute, second = (int(part) for part in ([part for part in clock if part is not None] or ("0", "0", "0")))
    try:
        datetime.datetime(int(year), int(month), int(day), hour, minute, second)
    except ValueError:
        return False
    return True
