# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The converger as one file that any Python runs, for nodes that start by themselves.

Equal sources make equal bytes, on whatever controller: nothing of it depends on a time or on a version of Python.
"""

from __future__ import annotations

import functools
import io
import pkgutil
import posixpath
import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Ansible sends with a module what it imports, late or early: so the whole program is there wherever a module runs.
    from ...node import command_line  # noqa: F401

_PACKAGE = "kops"
_ROOT, _START = __name__.rsplit(".", 3)[0], "node/command_line"
_MAIN = f"""\
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
import sys
from {_PACKAGE}.{_START.replace("/", ".")} import main
sys.exit(main())
"""
# No times, and nothing that a version of zlib decides.
_EPOCH = (1980, 1, 1, 0, 0, 0)
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


@functools.lru_cache(maxsize=1)
def node_program() -> bytes:
    """The program, to be run as ``python3 FILE converge --config FILE``; needs Python 3.9 or newer.

    It holds what its command line imports, without docstrings and comments, with the numbers of lines as they are.
    """
    modules = dict(sorted(_modules()))
    packages = {posixpath.dirname(name) for name in modules} | {""}
    files = {posixpath.join(_PACKAGE, package, "__init__.py"): "" for package in packages}
    files.update({f"{_PACKAGE}/{name}.py": text for name, text in modules.items()})
    buffer = io.BytesIO(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_STORED) as archive:
        for name, content in {"__main__.py": _MAIN, **dict(sorted(files.items()))}.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


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


def _modules() -> Iterator[tuple[str, str]]:
    """What the program is made of, each by its path below module_utils without .py."""
    known: set[str] = set()
    waiting = [_START]
    while waiting:
        name = waiting.pop()
        if name not in known:
            known.add(name)
            text = stripped(_source(name) or "")
            yield name, text
            waiting += _imported(name, text)


def _imported(name: str, text: str) -> Iterator[str]:
    """The modules that a module imports: a name of an import is one, or something in one."""
    for dots, target, names in _IMPORT.findall(text):
        package = name.split("/")[: -len(dots)]
        module = "/".join([*package, *filter(None, target.split("."))])
        if _source(module) is not None:
            yield module
        else:
            yield from (f"{module}/{found}" for found in _NAME.findall(names))


@functools.cache
def _source(name: str) -> str | None:
    """The source of a module; None where the name is that of a package."""
    room, _slash, rest = name.partition("/")
    try:
        content = pkgutil.get_data(f"{_ROOT}.{room}", f"{rest}.py") if rest else None
    except OSError:
        return None
    return None if content is None else content.decode()
