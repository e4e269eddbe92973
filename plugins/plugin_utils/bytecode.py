# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Python's cache of bytecode for this collection's own files.

Ansible's importer of collections compiles each file in each process again. For the hundreds of files of an operation
that is a tenth of the CPU time of a run. Python's own importer keeps the compiled files in ``__pycache__``, if it may
write there, as it does for every other package.
"""

from __future__ import annotations

import importlib.abc
import sys
from collections.abc import Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType


class CachedFinder(importlib.abc.MetaPathFinder):
    """Finds the files below one package; all others, and packages without a file, are left to the next finder."""

    def __init__(self, package: str) -> None:
        self.package = package
        self._finders: dict[str, FileFinder] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a module is; None if it is not one of the package."""
        if path is None or not fullname.startswith(f"{self.package}."):
            return None
        for directory in path:
            # Not by sys.path_hooks: those lead to Ansible's importer again.
            if directory not in self._finders:
                self._finders[directory] = FileFinder(directory, (SourceFileLoader, SOURCE_SUFFIXES))
            found = self._finders[directory].find_spec(fullname)
            if found is not None and found.loader is not None:
                return found
        return None


def cache_bytecode(package: str) -> None:
    """Import what is below a package by Python's own importer from now on."""
    if not any(isinstance(finder, CachedFinder) and finder.package == package for finder in sys.meta_path):
        sys.meta_path.insert(0, CachedFinder(package))
