# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files of the collection a file refers to: Python by its imports, YAML by the names that it mentions."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping

_PACKAGE = ("ansible_collections", "kubeops", "kops")
_FILE = re.compile(r"[\w./-]+\.ya?ml")
_NAME = re.compile(r"kubeops\.kops\.(\w+)")
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
# Of modules: their arguments and their documentation.
_OF_A_MODULE = ("plugins/modules/{}.py", "plugins/action/{}.py", "plugins/lookup/{}.py", "plugins/filter/{}.py")
# Imports as they stand after formatting. What looks like one in a text only makes a file depend on more.
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\((?:[^)#]|#[^\n]*)*\)|[^\n]*)|import[ \t]+([^\n]*))",
    re.MULTILINE,
)
_COMMENT_AT_END = re.compile(r"#.*$", re.MULTILINE)
_FRAGMENTS = "plugins/doc_fragments/"


def between(texts: Mapping[str, bytes]) -> dict[str, set[str]]:
    """Name -> the names that its text refers to, as far as they are among these."""
    names = texts.keys()
    fragments = {name for name in names if name.startswith(_FRAGMENTS)}
    roles: dict[str, list[str]] = {}
    for name in names:
        if name.startswith("roles/"):
            roles.setdefault(name.split("/")[1], []).append(name)
    found = {}
    for name, text in texts.items():
        if name.endswith(".py"):
            found[name] = {*_imported(name, text)} & names
            if name.startswith("plugins/modules/"):
                found[name] |= fragments | ({name.replace("plugins/modules/", "plugins/action/")} & names)
        elif name.endswith((".yml", ".yaml")):
            found[name] = {*_mentioned(name, _COMMENT.sub("", text.decode()), names, roles)}
        else:
            found[name] = set()
    return found


def _mentioned(name: str, text: str, names: Collection[str], roles: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Files that a YAML file imports or includes, modules that it calls, all of a role that it calls or belongs to."""
    here = posixpath.dirname(name)
    for mentioned in set(_FILE.findall(text)):
        for base in (here, posixpath.dirname(here), "playbooks"):
            path = posixpath.normpath(posixpath.join(base, mentioned))
            if path in names:
                yield path
    called_names = set(_NAME.findall(text))
    if name.startswith("roles/"):
        called_names.add(name.split("/")[1])
    for called in called_names:
        yield from roles.get(called, ())
        yield from (path for path in (place.format(called) for place in _OF_A_MODULE) if path in names)


@functools.cache
def _imported(name: str, text: bytes) -> frozenset[str]:
    return frozenset(_meant(name, text.decode()))


def _meant(name: str, text: str) -> Iterator[str]:
    """Paths that the imports of a file may mean: of a module, or of a package that holds it."""
    here = tuple(name.removesuffix(".py").split("/"))
    for dots, module, names, modules in _IMPORT.findall(text):
        start = (*_PACKAGE, *here[: -len(dots)]) if dots else ()
        parent = (*start, *filter(None, module.split(".")))
        targets = [(*parent, each) for each in _imported_names(names)]
        targets += [tuple(each.split(".")) for each in _imported_names(modules)]
        for target in targets:
            if target[:3] == _PACKAGE:
                for length in range(4, len(target) + 1):
                    path = "/".join(target[3:length])
                    yield from (f"{path}.py", f"{path}/__init__.py")


def _imported_names(text: str) -> Iterator[str]:
    """``(a, b as c)`` -> a, b"""
    for each in _COMMENT_AT_END.sub("", text).strip("() \n").split(","):
        if each.strip():
            yield each.split()[0]
