# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain data -> YAML text, byte for byte as kops' YAML library (Go's yaml.v2) writes it.

Block style, keys in that library's order, lists level with their key, lines folded after column 80.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from .scalars import format_float, needs_quotes

_WIDTH = 80
# Manifests repeat their keys, words and orders of keys, so what each of these is written as is looked up.
_REMEMBERED = 4096
_LONGEST_REMEMBERED = 64  # characters
_LONGEST_SIMPLE_KEY = 128  # bytes; a longer key is written as "? key"

# Printable in YAML 1.1, which knows nothing beyond the basic plane; line and paragraph separators are escaped, too.
_SPECIAL = re.compile("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]")
_BREAK = re.compile("[\n\r\x85\u2028\u2029]")
_STARTS_AS_SYNTAX = re.compile(r"[#,\[\]{}&*!|>'\"%@`]|---|\.\.\.|[?:-](?=[ \t\n]|$)")
_READS_AS_SYNTAX = re.compile(r":(?=[ \t\n]|$)|(?<=[ \t\n])#")
_ESCAPES = {
    "\0": "0", "\x07": "a", "\x08": "b", "\t": "t", "\n": "n", "\x0b": "v", "\x0c": "f", "\r": "r", "\x1b": "e",
    '"': '"', "\\": "\\", "\x85": "N", "\xa0": "_", "\u2028": "L", "\u2029": "P",
}  # fmt: skip


def dump_plain(data: Any) -> str:
    """YAML text of plain data (mappings with text keys, lists, text, numbers, booleans, None), ending in a newline."""
    if isinstance(data, (dict, list)) and data:
        return _block(data, 0)
    return _after(data, 0, 0, -1, compact=True)[1:]


def _block(data: Any, indent: int) -> str:
    """A mapping or list that is not empty, every line indented; ends in a newline."""
    pad = " " * indent
    if isinstance(data, list):
        return "".join(f"{pad}-{_after(item, indent, indent + 2, indent + 1, compact=True)}" for item in data)
    lines = []
    for key in _in_order(tuple(data)):
        value = data[key]
        name = _key(key)
        if name is None:
            lines.append(f"{pad}?{_after(key, indent, indent + 2, indent + 1, compact=True)}")
            lines.append(f"{pad}:{_after(value, indent, indent + 2, indent + 1, compact=True)}")
        else:
            nested = indent if isinstance(value, list) else indent + 2
            lines.append(f"{pad}{name}:{_after(value, indent, nested, indent + len(name) + 1, compact=False)}")
    return "".join(lines)


def _after(value: Any, indent: int, nested: int, column: int, *, compact: bool) -> str:
    """What follows a key's colon or a list's dash.

    indent: of the line; nested: of a mapping or list below; column: where the text goes on.
    """
    if isinstance(value, (dict, list)) and value:
        text = _block(value, nested)
        return " " + text[nested:] if compact else "\n" + text
    text = _inline(value, indent, column)
    return text if text.endswith("\n") else text + "\n"


def _inline(value: Any, indent: int, column: int) -> str:
    """A scalar or an empty container, with the space before it; further lines are indented by two more."""
    if value is None:
        return " null"
    if isinstance(value, bool):
        return " true" if value else " false"
    if isinstance(value, str):
        return _text(str(value), indent + 2, column + 1)
    if isinstance(value, int):
        return f" {value}"
    if isinstance(value, float):
        return f" {format_float(value)}"
    return " {}" if isinstance(value, dict) else " []"


def _text(text: str, indent: int, column: int) -> str:
    if "\n" in text:
        if _SPECIAL.search(text) or " \n" in text or text.endswith(" "):
            return " " + _double_quoted(text, indent, column)
        return _literal(text, indent)
    quotes = _quotes(text) if len(text) <= _LONGEST_REMEMBERED else _quotes_of(text)
    if quotes == '"':
        return " " + _double_quoted(text, indent, column)
    if not quotes:
        return " " + _fold(text, indent, column)
    return " '" + _fold(text.replace("'", "''"), indent, column + 1) + "'"


def _quotes_of(text: str) -> str:
    """The quotation mark that text of one line needs, or none."""
    if _SPECIAL.search(text) or needs_quotes(text):
        return '"'
    return "" if _plain_allowed(text) else "'"


_quotes = functools.lru_cache(_REMEMBERED)(_quotes_of)


@functools.lru_cache(_REMEMBERED)
def _in_order(keys: tuple[str, ...]) -> list[str]:
    return sorted(keys, key=functools.cmp_to_key(compare_keys))


@functools.lru_cache(_REMEMBERED)
def _key(key: str) -> str | None:
    """The key as it is written; None if it is too long, or has too many lines, for a simple one."""
    if len(key.encode()) > _LONGEST_SIMPLE_KEY or _BREAK.search(key):
        return None
    quotes = _quotes_of(key)
    if quotes == '"':
        return _double_quoted(key, 0, None)
    return quotes + key.replace("'", "''") + quotes if quotes else key


def _plain_allowed(text: str) -> bool:
    return not (
        text.startswith(" ") or text.endswith(" ") or _STARTS_AS_SYNTAX.match(text) or _READS_AS_SYNTAX.search(text)
    )


def _fold(text: str, indent: int, column: int) -> str:
    """Break the line at a single space once the column is past the width."""
    if column + len(text) <= _WIDTH:
        return text
    written: list[str] = []
    last = len(text) - 1
    for index, char in enumerate(text):
        single = char == " " and 0 < index < last and text[index - 1] != " " and text[index + 1] != " "
        if single and column > _WIDTH:
            written.append("\n" + " " * indent)
            column = indent
        else:
            written.append(char)
            column += 1
    return "".join(written)


def _double_quoted(text: str, indent: int, column: int | None) -> str:
    """Escaped text in double quotes; column None: a key, which is never folded."""
    written = ['"']
    column = None if column is None else column + 1
    spaces = False
    last = len(text) - 1
    for index, char in enumerate(text):
        if char == " " and column is not None and column > _WIDTH and not spaces and 0 < index < last:
            more = "\\" if text[index + 1] == " " else ""
            written.append("\n" + " " * indent + more)
            column = indent + len(more)
        else:
            piece = _escape(char)
            written.append(piece)
            column = None if column is None else column + len(piece)
        spaces = char == " "
    return "".join(written) + '"'


def _escape(char: str) -> str:
    if char not in '"\\\n' and not _SPECIAL.match(char):
        return char
    if char in _ESCAPES:
        return "\\" + _ESCAPES[char]
    code = ord(char)
    return f"\\x{code:02X}" if code <= 0xFF else f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _literal(text: str, indent: int) -> str:
    """A block scalar: the header says how many line ends at the end belong to the text."""
    hint = "2" if text[0] in " \n" else ""
    kept = "+" if text == "\n" or text.endswith("\n\n") else ""
    chomp = kept if text.endswith("\n") else "-"
    pad = " " * indent
    body = "".join(f"{pad}{line}\n" if line else "\n" for line in text.split("\n")[: -1 if chomp != "-" else None])
    return f" |{hint}{chomp}\n{body}"


def compare_keys(one: str, other: str) -> int:
    """yaml.v2's order of keys: letters after everything else, runs of digits by their number."""
    for index in range(min(len(one), len(other))):
        left, right = one[index], other[index]
        if left == right:
            continue
        if left.isalpha() and right.isalpha():
            return -1 if left < right else 1
        if left.isalpha() or right.isalpha():
            return -1 if right.isalpha() else 1
        return _compare_digits(one, other, index)
    return len(one) - len(other)


def _compare_digits(one: str, other: str, index: int) -> int:
    lead = 0
    if "0" in (one[index], other[index]):
        digits = re.search(r"\d*$", one[:index])
        lead = 1 if digits and digits.group().strip("0") else 0
    left, right = (re.match(r"\d*", text[index:]) for text in (one, other))
    ends = [len(found.group()) if found else 0 for found in (left, right)]
    numbers = [int(f"{lead}{found.group()}") if found and found.group() else lead for found in (left, right)]
    if numbers[0] != numbers[1]:
        return numbers[0] - numbers[1]
    if ends[0] != ends[1]:
        return ends[0] - ends[1]
    return -1 if one[index] < other[index] else 1
