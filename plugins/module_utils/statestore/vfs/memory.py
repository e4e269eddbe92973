# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""memfs://: a store in this process' memory, for tests."""

from __future__ import annotations

import posixpath
import threading
from typing import Any, ClassVar

from .path import Listed, VFSPath, WriteConflict, md5

_LOCK = threading.RLock()
_FILES: dict[str, bytes] = {}


class MemoryPath(VFSPath):
    """A file in memory; all paths of a process belong to one tree."""

    scheme: ClassVar[str] = "memfs"

    def __init__(self, location: str) -> None:
        self.location = location.strip("/")

    @classmethod
    def open(cls, location: str, **auth: Any) -> MemoryPath:
        """The path for what follows ``memfs://``."""
        return cls(location)

    @property
    def path(self) -> str:
        return f"memfs://{self.location}"

    def join(self, *parts: str) -> MemoryPath:
        return MemoryPath(posixpath.join(self.location, *parts))

    def read_tagged(self) -> tuple[bytes, str]:
        with _LOCK:
            if self.location not in _FILES:
                raise FileNotFoundError(self.path)
            data = _FILES[self.location]
        return data, md5(data)

    def write(
        self, data: bytes, *, public: bool = False, if_none_match: bool = False, if_match: str | None = None
    ) -> str:
        with _LOCK:
            present = _FILES.get(self.location)
            if if_none_match and present is not None:
                raise WriteConflict(f"{self} exists already")
            if if_match is not None and (present is None or md5(present) != if_match):
                raise WriteConflict(f"{self} was changed meanwhile")
            _FILES[self.location] = bytes(data)
        return md5(data)

    def list_tree(self) -> list[Listed]:
        below = f"{self.location}/" if self.location else ""
        with _LOCK:
            found = {location: data for location, data in _FILES.items() if location.startswith(below)}
        return [
            Listed(location[len(below) :], MemoryPath(location), md5(data), len(data))
            for location, data in sorted(found.items())
        ]

    def remove(self) -> None:
        with _LOCK:
            _FILES.pop(self.location, None)

    @staticmethod
    def clear() -> None:
        """Remove all files."""
        with _LOCK:
            _FILES.clear()
