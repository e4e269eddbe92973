# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The converger as one file that any Python runs, for nodes that start by themselves.

Each cloud has a program of its own: what all clouds share, node/<cloud>/, and of node/stores/ what reads the stores of
the cluster. So a change for one cloud, or for one kind of store, replaces no instances of others. Equal sources make
equal bytes, on whatever controller: nothing of it depends on a time or on a version of Python.
"""

from __future__ import annotations

import functools
import io
import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ....api.cloud import Cloud
from .sources import imported, needed_source, stripped

if TYPE_CHECKING:
    # Ansible sends with a module what it imports, late or early: so the program is there wherever a module runs. The
    # files of a cloud are imported by the cloud's model.
    from ....node import command_line  # noqa: F401

_PACKAGE = "kops"
_START = "node/command_line"
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


@functools.lru_cache
def node_program(cloud: Cloud, stores: tuple[str, ...] = ()) -> bytes:
    """The program for nodes in a cloud: ``python3 FILE converge --config FILE``, with Python 3.9 or newer.

    stores: the schemes of those that nodes read (stores.py). It holds what its command line and the parts of the cloud
    and of the stores import, without docstrings and comments, with the numbers of lines as they are.
    Raises KopsError if a source is missing.
    """
    parts = [f"node/{cloud.name}/cloud"] if cloud.starts_nodes else []
    if set(stores) & set(cloud.more_store_schemes):
        parts.append(f"node/{cloud.name}/store_key")
    modules = dict(sorted(_modules([_START, *parts, *(f"node/stores/{scheme}" for scheme in stores)])))
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


def _modules(starts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """These modules and all that they import, each by its path below module_utils without .py."""
    known: set[str] = set()
    waiting = [*starts]
    while waiting:
        name = waiting.pop()
        if name not in known:
            known.add(name)
            text = stripped(needed_source(name))
            yield name, text
            waiting += imported(name, text)
