# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of addons that others publish: fetched when they are first needed, then read from the state store.

So an update that has once been planned and written does not depend on another server again.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ...addons.channels.document import scheme_of
from ...addons.upstream import (
    LOCK,
    NONE,
    FilesError,
    Parse,
    UpstreamFile,
    has_hash,
    is_checksum,
    location,
    parse,
    read_lock,
)
from ...api.cluster import AssetsSpec
from ...base.errors import KopsError
from ...completion.assets import remap_file
from ...statestore.vfs.open import open_path
from ...statestore.vfs.path import Tree, VFSPath
from ..download import DownloadError, attempted, download

_WORKERS = 8
# The largest are below 2 MB.
_LONGEST = 16 * 2**20


# URL, how the file is read, and its hash as a channel says it.
_Key = tuple[str, Parse, str]


@dataclass(frozen=True)
class UpstreamFiles:
    """Reads the files of one cluster, each once.

    directory: the cluster's, in the state store; tree: its listing. assets: where spec.assets sends downloads.
    pinned: URL -> sha256 that counts rather than what the state store remembers.
    """

    directory: VFSPath
    tree: Tree
    assets: AssetsSpec | None = None
    pinned: Mapping[str, str] = field(default_factory=dict)
    _found: dict[_Key, UpstreamFile] = field(default_factory=dict, repr=False)

    def read(
        self, urls: Sequence[str], parse: Parse = parse, hashes: Mapping[str, str] = NONE
    ) -> dict[str, UpstreamFile]:
        """The files by their URLs; several are fetched at the same time. hashes: URL -> what a channel says of it.

        Raises FilesError that names every problem.
        """
        keys = {url: (url, parse, hashes.get(url, "")) for url in urls}
        unread = [key for key in keys.values() if key not in self._found]
        problems = self._read(unread) if unread else []
        found = {url: self._found[key] for url, key in keys.items() if key in self._found}
        if problems:
            raise FilesError(problems, found)
        return found

    def _read(self, keys: Sequence[_Key]) -> list[str]:
        """Returns what is wrong with those that cannot be used."""
        remembered = self.remembered
        problems: list[str] = []

        def one(key: _Key) -> UpstreamFile | None:
            try:
                return self._one(*key, remembered.get(key[0], ""))
            except KopsError as error:
                problems.append(str(error))
                return None

        with ThreadPoolExecutor(_WORKERS) as pool:
            files = list(pool.map(one, keys))
        self._found.update({key: file for key, file in zip(keys, files) if file is not None})
        return problems

    @functools.cached_property
    def remembered(self) -> dict[str, str]:
        """URL -> sha256, as the state store has it; read once."""
        path = self.directory.join(LOCK)
        return read_lock(path.read(), str(path)) if self.tree.file(path) else {}

    def _one(self, url: str, parse: Parse, said: str, remembered: str) -> UpstreamFile:
        """said: by a channel; remembered: by the state store. Both are "" if nothing is known."""
        pinned = self.pinned.get(url, "")
        data = self._stored(pinned or remembered)
        if data is not None and has_hash(data, said):
            return parse(url, data)
        data = self._content(url)
        file = parse(url, data)
        if pinned and file.sha256 != pinned:
            raise KopsError(f"{url}: its SHA-256 is {file.sha256}, but {pinned} is expected (addon_checksums)")
        if not has_hash(data, said):
            raise KopsError(f"{url}: its SHA-256 is {file.sha256}, but manifestHash in its channel is {said}")
        # What a channel says of its manifests is as good as a checksum that is given: its own is checked.
        if remembered and not pinned and not is_checksum(said) and file.sha256 != remembered:
            raise KopsError(
                f"{url}: its SHA-256 is {file.sha256}, but {remembered} is expected ({LOCK} in the state store): it was"
                " changed since, or on the way. If the new content is right, name its checksum in addon_checksums"
            )
        return file

    def _stored(self, sha256: str) -> bytes | None:
        """The content with a checksum, if the state store has it."""
        path = self.directory.join(location(sha256))
        data = path.read() if sha256 and self.tree.file(path) else b""
        return data if hashlib.sha256(data).hexdigest() == sha256 else None

    def _content(self, url: str) -> bytes:
        if scheme_of(url) in ("http", "https"):
            return fetch(remap_file(url, self.assets))
        try:
            return open_path(url).read()
        except FileNotFoundError as error:
            raise KopsError(f"{url}: there is no such file") from error


def fetch(url: str) -> bytes:
    """The content of a URL; a server that is busy is asked again. Raises KopsError with the reason."""
    try:
        data = attempted(lambda: download(url, _LONGEST + 1))
    except DownloadError as error:
        raise KopsError(f"{url}: {error}") from error
    if len(data) > _LONGEST:
        raise KopsError(f"{url}: larger than {_LONGEST // 2**20} MiB")
    return data
