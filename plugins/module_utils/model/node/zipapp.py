# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The converger as one file that any Python runs, for nodes that start by themselves."""

from __future__ import annotations

import io
import pkgutil
import zipfile
from collections.abc import Iterator
from types import ModuleType

from ... import base, node
from ...node import command_line

_PACKAGE = "kops"
_MAIN = f"""\
import sys
from {_PACKAGE}.node.{command_line.__name__.rpartition(".")[2]} import main
sys.exit(main())
"""
# Equal sources make equal bytes, on whatever controller: no times, and nothing that a version of zlib decides.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def node_zipapp() -> bytes:
    """The program, to be run as ``python3 kops-node.pyz converge --config FILE``; needs Python 3.9 or newer."""
    files = {f"{_PACKAGE}/__init__.py": b"", **dict(_sources(base)), **dict(_sources(node))}
    buffer = io.BytesIO(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_STORED) as archive:
        for name, content in {"__main__.py": _MAIN.encode(), **dict(sorted(files.items()))}.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def _sources(package: ModuleType) -> Iterator[tuple[str, bytes]]:
    """The files of a package of module_utils and of the packages in it: (path in the program, content)."""
    own = package.__name__.rpartition(".")[2]
    yield f"{_PACKAGE}/{own}/__init__.py", b""
    # Without a prefix nothing is imported, so packages in it are entered by their paths.
    for place, name, is_package in pkgutil.iter_modules(package.__path__):
        if not is_package:
            yield f"{_PACKAGE}/{own}/{name}.py", pkgutil.get_data(package.__name__, f"{name}.py") or b""
            continue
        yield f"{_PACKAGE}/{own}/{name}/__init__.py", b""
        for _place, inner, _is_package in pkgutil.iter_modules([f"{place.path}/{name}"]):  # type: ignore[union-attr]
            content = pkgutil.get_data(package.__name__, f"{name}/{inner}.py") or b""
            yield f"{_PACKAGE}/{own}/{name}/{inner}.py", content
