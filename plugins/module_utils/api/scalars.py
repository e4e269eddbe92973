# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scalars with their own text form: durations and quantities keep kops' canonical text."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Union

# Values of any type: Kubernetes types that are not interpreted here (tolerations, affinity, env).
JSON = Any
IntOrString = Union[int, str]

# Whole numbers of Go's smaller types; a plain int is its int or int64.
Int16 = Annotated[int, "int16"]
Int32 = Annotated[int, "int32"]
UInt8 = Annotated[int, "uint8"]
UInt32 = Annotated[int, "uint32"]
# Text with any characters, such as the content of a file; other text has no control characters.
FileText = Annotated[str, "file"]
CONTROL_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")

_INT64 = 2**63

_DURATION_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_DURATION_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")


class Duration(str):
    """A Go duration ("48h20m0s"). Create it with :meth:`parse`, which makes it canonical."""

    @classmethod
    def parse(cls, text: str) -> Duration:
        """The canonical form of a Go duration. Raises ValueError for other text."""
        return cls.from_nanoseconds(_nanoseconds(text))

    @classmethod
    def from_nanoseconds(cls, value: int) -> Duration:
        """The text that Go's time.Duration prints for value nanoseconds."""
        sign, value = ("-", -value) if value < 0 else ("", value)
        if value == 0:
            return cls("0s")
        if value < 10**9:
            unit, size = next((u, s) for u, s in (("ms", 10**6), ("µs", 10**3), ("ns", 1)) if value >= s)
            return cls(sign + _decimal(Decimal(value) / size) + unit)
        minutes, rest = divmod(value, 60 * 10**9)
        hours, minutes = divmod(minutes, 60)
        text = _decimal(Decimal(rest) / 10**9) + "s"
        if hours:
            text = f"{hours}h{minutes}m{text}"
        elif minutes:
            text = f"{minutes}m{text}"
        return cls(sign + text)

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return _nanoseconds(self) / 10**9


def _nanoseconds(text: str) -> int:
    sign, body = (-1, text[1:]) if text.startswith("-") else (1, text.lstrip("+"))
    if body == "0":
        return 0
    parts = _DURATION_PART.findall(body)
    if not parts or "".join(number + unit for number, unit in parts) != body:
        raise ValueError(f"{text!r} is not a duration; examples are 90s, 10m and 1h30m")
    value = sign * sum(int(Decimal(number) * _DURATION_UNITS[unit]) for number, unit in parts)
    if not -_INT64 <= value < _INT64:
        raise ValueError(f"{text!r} is longer than a duration can be, which is 2562047h47m")
    return value


def _decimal(value: Decimal) -> str:
    text = format(value.normalize(), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


_QUANTITY = re.compile(r"([+-]?)(\d+(?:\.\d*)?|\.\d+)(|n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d{1,2})")
_LONGEST_QUANTITY = 100  # characters; larger numbers than fit into them are beyond every type
_DECIMAL_SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_NANO = 10**9


class Quantity(str):
    """A Kubernetes resource quantity ("100m", "64Mi"). Create it with :meth:`parse`, which makes it canonical."""

    @classmethod
    def parse(cls, text: str | int | float) -> Quantity:
        """The canonical form: the largest suffix of the same family that leaves an integer.

        Raises ValueError if the text is not a quantity. Fractions below a billionth are rounded away from zero.
        """
        nanos, suffix = _split_quantity(str(text))
        if suffix in _BINARY_SUFFIXES:
            return cls(_binary(nanos))
        return cls(_decimal_suffix(nanos, exponential=suffix[1:].lstrip("+-").isdigit()))

    @property
    def value(self) -> Decimal:
        """The number that the quantity represents."""
        return Decimal(_split_quantity(self)[0]).scaleb(-9)


def _split_quantity(text: str) -> tuple[int, str]:
    """The quantity in billionths, and its suffix."""
    found = _QUANTITY.fullmatch(text.strip()) if len(text) <= _LONGEST_QUANTITY else None
    if not found:
        raise ValueError(f"{text!r} is not a quantity; examples are 500m, 2, 100Mi and 1Gi")
    sign, number, suffix = found.groups()
    whole, _point, fraction = number.partition(".")
    exponent = 0 if suffix in _BINARY_SUFFIXES else _exponent_of(suffix)
    scaled = int(whole + fraction or "0") << _BINARY_SUFFIXES.get(suffix, 0)
    power = 9 + exponent - len(fraction)
    nanos = scaled * 10**power if power >= 0 else -(-scaled // 10**-power)
    return (-nanos if sign == "-" else nanos), suffix


def _exponent_of(suffix: str) -> int:
    return _DECIMAL_SUFFIXES[suffix] if suffix in _DECIMAL_SUFFIXES else int(suffix[1:])


def _binary(nanos: int) -> str:
    value, rest = divmod(nanos, _NANO)
    if rest or abs(value) < 1024:
        return _decimal_suffix(nanos)
    best = ""
    for suffix, power in _BINARY_SUFFIXES.items():
        if value % 2**power == 0:
            best = suffix
    return f"{value // 2 ** _BINARY_SUFFIXES.get(best, 0)}{best}"


def _decimal_suffix(nanos: int, *, exponential: bool = False) -> str:
    if nanos == 0:
        return "0"
    number, power = nanos, -9
    while number % 1000 == 0 and power < 18:
        number, power = number // 1000, power + 3
    if exponential:
        return f"{number}e{power}" if power else str(number)
    return str(number) + next(suffix for suffix, known in _DECIMAL_SUFFIXES.items() if known == power)
