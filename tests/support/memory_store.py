# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest store of nodes: files in memory."""

from __future__ import annotations

import hashlib
import os
import pathlib

from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError


class MemoryStore:
    """A Store (node/stores/store.py). files: URL -> content."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def read(self, url: str) -> bytes | None:
        return self.files.get(url)

    def read_changed(self, url: str, tag: str) -> tuple[bytes, str] | None:
        content = self._there(url)
        found = hashlib.sha256(content).hexdigest()
        return None if found == tag else (content, found)

    def write(self, url: str, content: bytes) -> None:
        self.files[url] = content

    def upload(self, url: str, path: str, sha256: str) -> None:
        content = pathlib.Path(path).read_bytes()
        assert hashlib.sha256(content).hexdigest() == sha256
        self.files[url] = content

    def download(self, url: str, path: str) -> None:
        content = self._there(url)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as stream:
            stream.write(content)

    def names(self, url: str) -> list[str]:
        directory = f"{url.rstrip('/')}/"
        return [each.removeprefix(directory) for each in self.files if each.startswith(directory)]

    def remove(self, url: str) -> None:
        self.files.pop(url, None)

    def _there(self, url: str) -> bytes:
        if url not in self.files:
            raise KopsError(f"{url} does not exist")
        return self.files[url]
