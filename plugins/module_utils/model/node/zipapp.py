# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The converger as one file that any Python runs, for nodes that start by themselves."""

from __future__ import annotations

import io
import pkgutil
import zipfile

from ... import node
from ...node import command_line

_PACKAGE = "kops_node"
_MAIN = f"""\
import sys
from {_PACKAGE}.{command_line.__name__.rpartition(".")[2]} import main
sys.exit(main())
"""
# Equal sources make equal bytes, on whatever controller: no times, and nothing that a version of zlib decides.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def node_zipapp() -> bytes:
    """The program, to be run as ``python3 kops-node.pyz converge --config FILE``; needs Python 3.9 or newer."""
    names = sorted(["__init__", *(module.name for module in pkgutil.iter_modules(node.__path__))])
    files = {f"{_PACKAGE}/{name}.py": pkgutil.get_data(node.__name__, f"{name}.py") or b"" for name in names}
    buffer = io.BytesIO(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_STORED) as archive:
        for name, content in {"__main__.py": _MAIN.encode(), **files}.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
