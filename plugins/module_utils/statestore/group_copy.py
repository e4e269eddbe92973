# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy of all instance groups in one file, for one read: each with the etag of its original file.

kops keeps one file for each group, so reading a hundred groups takes a hundred requests. With the copy it takes three:
the listing, the copy, and the cluster. If a group's etag differs, its file was written by a program that does not know
the copy (kops itself), and the file is read.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .vfs.path import Listed, VFSPath

_READERS = 16


class GroupCopy:
    """The copy, a file at path. It has the text and etag of each group, by name."""

    def __init__(self, path: VFSPath) -> None:
        self.path = path
        self._entries: dict[str, tuple[str, str]] | None = None
        self._changed = False

    def read(self, listed: list[Listed]) -> dict[str, tuple[str, bytes]]:
        """(etag, content) of each listed file, by name; from the copy if it is up to date."""
        copied = self._load() if listed and listed[0].path.remote else {}
        stale = [file for file in listed if copied.get(file.name, ("", ""))[0] != file.etag]
        with ThreadPoolExecutor(_READERS) as pool:
            fresh = dict(zip((file.name for file in stale), pool.map(lambda file: file.path.read_tagged(), stale)))
        found = {file.name: (file.etag, copied[file.name][1].encode()) for file in listed if file.name not in fresh}
        found.update({name: (etag, data) for name, (data, etag) in fresh.items()})
        gone = copied.keys() - found.keys()
        for name in gone:
            del copied[name]
        for name, (data, etag) in fresh.items():
            copied[name] = (etag, data.decode("utf-8", "replace"))
        # Complete the copy, so that the next process need not read the groups one by one again.
        self._changed = self._changed or bool(fresh or gone)
        return found

    def note(self, name: str, etag: str, text: str) -> None:
        """Add a group's file that was just written."""
        self._load()[name] = (etag, text)
        self._changed = True

    def forget(self, name: str) -> None:
        """Remove a group that was just removed."""
        if self._load().pop(name, None) is not None:
            self._changed = True

    def write(self) -> None:
        """Write the copy if a group was written or removed since the copy was read."""
        if not self._changed or not self.path.remote:
            return
        groups = {name: {"etag": etag, "text": text} for name, (etag, text) in sorted(self._load().items())}
        self.path.write((json.dumps({"groups": groups}, indent=1) + "\n").encode())
        self._changed = False

    def _load(self) -> dict[str, tuple[str, str]]:
        if self._entries is None:
            self._entries = self._parse() if self.path.remote else {}
        return self._entries

    def _parse(self) -> dict[str, tuple[str, str]]:
        # It is only a copy: if it cannot be read, it counts as missing.
        try:
            groups = json.loads(self.path.read())["groups"]
            return {name: (entry["etag"], entry["text"]) for name, entry in groups.items()}
        except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
            return {}
