# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of what runs on nodes, as this process has them: what imports what, and texts without comments.

Ansible sends with a module what it imports, and nothing else.
"""

from __future__ import annotations

import functools
import pkgutil
import re
from collections.abc import Iterator

from ....base.errors import KopsError

_ROOT = __name__.rsplit(".", 4)[0]
# Strings, which may hold what looks like a comment or like another string, and comments. Each begins with a character
# of its own, so that Python's search is fast.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|#[^\n]*",
    re.DOTALL,
)
# Our own code is imported by its relative name, wherever in a file.
_IMPORT = re.compile(r"^[ \t]*from (\.+)(\S*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_NAME = re.compile(r"(\w+)(?: as \w+)?")


def stripped(source: str) -> str:
    """Python source without comments, and with empty docstrings. It knows our own sources, not all of Python."""
    parts, end = [], 0
    for token in _TOKEN.finditer(source):
        if token[0].startswith("#"):
            parts.append(source[end : token.start()].rstrip(" \t"))
            end = token.end()
    without_comments = "".join([*parts, source[end:]])

    def without_docstring(token: re.Match[str]) -> str:
        if not token[0].startswith('"""'):
            return token[0]
        before = token.string[: token.start()]
        is_statement = not before.rpartition("\n")[2].strip() and token.string[token.end()] == "\n"
        if is_statement and before.rstrip()[-1:] in ("", ":"):
            return '""' + "\n" * token[0].count("\n")
        return token[0]

    return _TOKEN.sub(without_docstring, without_comments)


def imported(name: str, text: str) -> Iterator[str]:
    """The modules that a module imports: a name of an import is one, or something in one.

    name: its path below module_utils without .py; those of the result as well.
    """
    for dots, target, names in _IMPORT.findall(text):
        package = name.split("/")[: -len(dots)]
        module = "/".join([*package, *filter(None, target.split("."))])
        if source(f"{module}/__init__") is not None:
            yield from (f"{module}/{found}" for found in _NAME.findall(names))
        else:
            yield module


def needed_source(name: str) -> str:
    """The source of a module. Raises KopsError if it is missing: nodes cannot run without it."""
    text = source(name)
    if text is None:
        raise KopsError(
            f"plugins/module_utils/{name}.py of the collection is missing, and nodes need it: "
            "install the collection again"
        )
    return text


@functools.cache
def source(name: str) -> str | None:
    """The source of a module; None where the name is that of a package."""
    room, _slash, rest = name.partition("/")
    try:
        content = pkgutil.get_data(f"{_ROOT}.{room}", f"{rest}.py") if rest else None
    except OSError:
        return None
    return None if content is None else content.decode()
