# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads plain data into dataclasses and validates it. Each field declares the reader of its value.

A reader takes (value, where, problems) and returns the value to use. It adds errors to problems and continues, so that
all errors of a document are found at once.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

Reader = Callable[[Any, str, list[str]], Any]
ItemClass = TypeVar("ItemClass")

URL_SCHEMES = ("http", "https", "file")


# The functions below are called in the bodies of dataclasses, as dataclasses.field is.
_declare: Any = functools.partial(dataclasses.field)


def optional(reader: Reader, default: Any = None, *, required: bool = False) -> Any:
    """Declare an optional field. default may be a factory (list, dict)."""
    metadata = {"reader": reader, "required": required}
    if callable(default):
        return _declare(default_factory=default, metadata=metadata)
    return _declare(default=default, metadata=metadata)


def required(reader: Reader) -> Any:
    """Declare a required field."""
    return optional(reader, required=True)


def read(cls: type[ItemClass], data: Any, where: str, problems: list[str]) -> ItemClass:
    """Read an item from plain data with keys in camelCase. Errors are added to problems."""
    if not isinstance(data, Mapping):
        problems.append(f"{where}: must be a mapping, not {_kind(data)}")
        return cls()
    fields = _fields(cls)
    for name in data:
        if name not in fields:
            near = difflib.get_close_matches(str(name), fields, 1)
            problems.append(f"{_join(where, name)}: unknown key" + (f"; is it {near[0]!r}?" if near else ""))
    values: dict[str, Any] = {}
    for name, field in fields.items():
        if data.get(name) is not None:
            values[field.name] = field.metadata["reader"](data[name], _join(where, name), problems)
        elif field.metadata["required"]:
            problems.append(f"{_join(where, name)}: is missing")
    return cls(**values)


def an_item(cls: type) -> Reader:
    """Reader of one item."""
    return lambda value, where, problems: read(cls, value, where, problems)


def list_of(reader: Reader) -> Reader:
    """Reader of a list; reader reads its elements."""

    def read_list(value: Any, where: str, problems: list[str]) -> list[Any]:
        if not isinstance(value, (list, tuple)):
            problems.append(f"{where}: must be a list, not {_kind(value)}")
            return []
        return [reader(each, f"{where}[{index}]", problems) for index, each in enumerate(value)]

    return read_list


def items_of(cls: type) -> Any:
    """Declare an optional field that is a list of items."""
    return optional(list_of(an_item(cls)), list)


def mapping(name_reader: Reader) -> Reader:
    """Reader of a mapping to texts; name_reader reads its keys."""

    def read_mapping(value: Any, where: str, problems: list[str]) -> dict[str, str]:
        if not isinstance(value, Mapping):
            problems.append(f"{where}: must be a mapping, not {_kind(value)}")
            return {}
        return {name_reader(each, where, problems): a_text(value[each], _join(where, each), problems) for each in value}

    return read_mapping


def a_text(value: Any, where: str, problems: list[str]) -> str:
    """A text. A number is converted to text."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        problems.append(f"{where}: must be text, not {_kind(value)}")
        return ""
    return str(value)


def a_line(value: Any, where: str, problems: list[str]) -> str:
    """A text of one line."""
    value = a_text(value, where, problems)
    if re.search(r"[\x00\r\n]", value):
        problems.append(f"{where}: must be one line")
    return str(value)


def a_name(value: Any, where: str, problems: list[str]) -> str:
    """A name that is safe as a command's argument and as a part of a path."""
    value = a_line(value, where, problems)
    if not value or value.startswith(("-", ".")) or re.search(r"[/\s]", value):
        problems.append(
            f"{where}: {value!r} is not a valid name; it must not be empty, start with - or ., or contain / or spaces"
        )
    return str(value)


# systemd.unit(5); a template's instance follows its @.
_UNIT = re.compile(r"[A-Za-z0-9:_.\\@-]+\.(automount|device|mount|path|scope|service|slice|socket|swap|target|timer)")
_LONGEST_UNIT = 255


def a_unit(value: Any, where: str, problems: list[str]) -> str:
    """The name of a systemd unit, with its ending."""
    value = a_line(value, where, problems)
    if not _UNIT.fullmatch(value) or value.startswith(("-", ".")) or len(value) > _LONGEST_UNIT:
        problems.append(
            f"{where}: {value!r} is not the name of a unit; it has letters, digits and :_.-@\\, ends as in .service,"
            f" and has at most {_LONGEST_UNIT} characters"
        )
    return str(value)


def a_sysctl(value: Any, where: str, problems: list[str]) -> str:
    """The name of a kernel parameter, with dots or slashes; * matches any part of a name."""
    value = a_line(value, where, problems)
    parts = re.split(r"[./]", value)
    if len(parts) < 2 or not all(re.fullmatch(r"[A-Za-z0-9_*?@:-]+", part) for part in parts):
        problems.append(f"{where}: {value!r} is not the name of a kernel parameter, such as net.core.somaxconn")
    return str(value)


def a_sysctl_value(value: Any, where: str, problems: list[str]) -> str:
    """The value of a kernel parameter, as it is written to /proc/sys: in no quotes, which would be written, too."""
    value = a_line(value, where, problems)
    if not value or value[0] in "'\"" or value[-1] in "'\"":
        problems.append(
            f"{where}: {value!r} is not a value; it must not be empty or in quotes, such as 4096 87380 16777216"
        )
    return str(value)


def a_path(value: Any, where: str, problems: list[str]) -> str:
    """An absolute path without .. in it."""
    return a_place(value, where, problems).rstrip("/")


def a_place(value: Any, where: str, problems: list[str]) -> str:
    """An absolute path of a file, or of a directory if it ends with /.

    A path that starts with a marker is checked after the marker was replaced.
    """
    value = a_line(value, where, problems)
    if not re.match("/[^/]|@@[A-Z]", value) or posixpath.normpath(value) != value.rstrip("/"):
        problems.append(f"{where}: {value!r} must be an absolute path without . or .. or //")
    return str(value)


def a_mode(value: Any, where: str, problems: list[str]) -> int:
    """File mode, as octal digits in a text."""
    if not isinstance(value, str) or not re.fullmatch(r"[0-7]{3,4}", value):
        problems.append(f"{where}: must be octal digits as text, such as '0644'")
        return 0o600
    return int(value, 8)


def a_flag(value: Any, where: str, problems: list[str]) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        problems.append(f"{where}: must be true or false, not {_kind(value)}")
    return bool(value)


def a_number(value: Any, where: str, problems: list[str]) -> int:
    """A whole number, not negative."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        problems.append(f"{where}: must be a whole number, at least 0")
        return 0
    return value


def one_of(*allowed: str) -> Reader:
    """Reader of one of these words."""

    def read_choice(value: Any, where: str, problems: list[str]) -> str:
        if value not in allowed:
            problems.append(f"{where}: must be one of {', '.join(allowed)}, not {value!r}")
            return allowed[0]
        return str(value)

    return read_choice


def a_checksum(value: Any, where: str, problems: list[str]) -> str:
    """A sha256 checksum as 64 hexadecimal digits."""
    if not isinstance(value, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", value):
        problems.append(f"{where}: must be 64 hexadecimal digits")
        return ""
    return value.lower()


def a_url(value: Any, where: str, problems: list[str]) -> str:
    """A URL to download from."""
    value = a_line(value, where, problems)
    parts = urlsplit(value)
    if parts.scheme not in URL_SCHEMES:
        problems.append(f"{where}: must be a URL with one of the schemes {', '.join(URL_SCHEMES)}")
    if "@" in parts.netloc:
        problems.append(f"{where}: must not contain a password, because a NodeConfig is not secret")
    return str(value)


def _fields(cls: Any) -> dict[str, dataclasses.Field[Any]]:
    return {camel(field.name): field for field in dataclasses.fields(cls) if "reader" in field.metadata}


def camel(attribute: str) -> str:
    """The key of an attribute: camelCase."""
    first, *rest = attribute.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _join(where: str, name: Any) -> str:
    return f"{where}.{name}" if where else str(name)


def _kind(value: Any) -> str:
    kinds = {
        dict: "a mapping",
        list: "a list",
        tuple: "a list",
        str: "text",
        bool: "true or false",
        type(None): "nothing",
    }
    return kinds.get(type(value), "a number")
