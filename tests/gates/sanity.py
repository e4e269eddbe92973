# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The slow tests of ansible-test look only at files that have changed, or import something that has.

What they say of a file depends on it and on all that it imports, directly or not. So if they found nothing, the
checksum of all these together is kept in the user's cache.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ansible.release import __version__ as ansible_version

# Each with the files that it looks at.
SLOW = {"import": "plugins/", "pylint": ""}
_PACKAGE = ("ansible_collections", "kubeops", "kops")
# What else the tests read. They come, as all that they use, with ansible-core.
_COUNTS_FOR_ALL = ("galaxy.yml", "meta/runtime.yml", "tests/config.yml")
# Checksums that are kept of each test: those of some branches, and of some weeks.
_KEPT = 100_000


class Checked:
    """The files in which a test has found nothing before."""

    def __init__(self, test: str, directory: Path | None = None) -> None:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
        self._file = (directory or cache / "kubeops-kops-gates") / f"sanity-{test}"
        self._known = self._file.read_text().split() if self._file.exists() else []

    def others(self, checksums: Mapping[str, str]) -> list[str]:
        """The files that were not looked at as they are now."""
        known = set(self._known)
        return sorted(name for name, checksum in checksums.items() if checksum not in known)

    def add(self, checksums: Mapping[str, str]) -> None:
        """Nothing was found in these files."""
        kept = dict.fromkeys([*self._known, *checksums.values()])
        self._file.parent.mkdir(parents=True, exist_ok=True)
        new = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        new.write_text("\n".join([*kept][-_KEPT:]))
        new.replace(self._file)


def checksums(root: Path, names: Iterable[str]) -> dict[str, str]:
    """Of each Python file of the collection, the checksum of what counts for it. names: all files, below root."""
    files = {name: (root / name).read_bytes() for name in names if name.endswith(".py")}
    graph = {name: {*_imported(name, text)} & files.keys() for name, text in files.items()}
    own = {name: hashlib.sha256(name.encode() + b"\0" + text).hexdigest() for name, text in files.items()}
    common = [platform.python_version(), ansible_version]
    common += [hashlib.sha256((root / name).read_bytes()).hexdigest() for name in _COUNTS_FOR_ALL]
    return {
        name: hashlib.sha256(
            "\n".join([name, *common, *sorted(own[each] for each in _reached(graph, name))]).encode()
        ).hexdigest()
        for name in files
    }


def _reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    reached, ahead = set[str](), {start}
    while ahead:
        reached |= ahead
        ahead = {further for near in ahead for further in graph[near]} - reached
    return reached


@functools.cache
def _imported(name: str, text: bytes) -> frozenset[str]:
    return frozenset(_meant(name, text))


def _meant(name: str, text: bytes) -> Iterator[str]:
    """Paths that the imports of a file may mean: of a module, or of a package that holds it."""
    here = tuple(name.removesuffix(".py").split("/"))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            targets = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = (*_PACKAGE, *here[: -node.level]) if node.level else ()
            module = (*start, *(node.module or "").split(".")) if node.module else start
            targets = [(*module, alias.name) for alias in node.names]
        else:
            continue
        for target in targets:
            if target[:3] == _PACKAGE:
                for length in range(4, len(target) + 1):
                    path = "/".join(target[3:length])
                    yield from (f"{path}.py", f"{path}/__init__.py")
