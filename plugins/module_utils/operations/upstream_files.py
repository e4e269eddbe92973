# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of upstream releases: fetched when they are first needed, then read from the state store.

So an update that has once been planned and written does not depend on another server again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ..addons.upstream import LOCK, UpstreamFile, location, parse, read_lock
from ..api.cluster import AssetsSpec
from ..base.errors import KopsError
from ..completion.assets import remap_file
from ..statestore.vfs.path import Tree, VFSPath
from .download import DownloadError, download

_WORKERS = 8
# The largest are below 2 MB.
_LONGEST = 16 * 2**20
_ATTEMPTS = 4


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
    _found: dict[str, UpstreamFile] = field(default_factory=dict, repr=False)

    def read(self, urls: Sequence[str]) -> dict[str, UpstreamFile]:
        """The files by their URLs; several are fetched at the same time. Raises KopsError that names every problem."""
        wanted = dict.fromkeys(urls)
        unread = [url for url in wanted if url not in self._found]
        if unread:
            self._read(unread)
        return {url: self._found[url] for url in wanted}

    def _read(self, urls: Sequence[str]) -> None:
        known = {**self.remembered(), **self.pinned}
        problems: list[str] = []

        def one(url: str) -> UpstreamFile | None:
            try:
                return self._one(url, known.get(url, ""))
            except KopsError as error:
                problems.append(str(error))
                return None

        with ThreadPoolExecutor(_WORKERS) as pool:
            found = [file for file in pool.map(one, urls) if file is not None]
        if problems:
            lines = "\n".join(sorted(problems))
            raise KopsError(f"files of addons' upstream releases cannot be had, so nothing is changed:\n{lines}")
        self._found.update({file.url: file for file in found})

    def remembered(self) -> dict[str, str]:
        """URL -> sha256, as the state store has it."""
        path = self.directory.join(LOCK)
        return read_lock(path.read(), str(path)) if self.tree.file(path) else {}

    def _one(self, url: str, sha256: str) -> UpstreamFile:
        """sha256: the checksum that it must have; "" if any will do."""
        if sha256:
            path = self.directory.join(location(sha256))
            data = path.read() if self.tree.file(path) else b""
            if hashlib.sha256(data).hexdigest() == sha256:
                return parse(url, data)
        data = fetch(remap_file(url, self.assets))
        file = parse(url, data)
        if sha256 and file.sha256 != sha256:
            raise KopsError(
                f"{url}: its SHA-256 is {file.sha256}, but {sha256} is expected ({LOCK} in the state store, or"
                " addon_checksums): it was changed since, or on the way. If the new content is right, name its checksum"
                " in addon_checksums"
            )
        return file


def fetch(url: str) -> bytes:
    """The content of a URL; a server that is busy is asked again. Raises KopsError with the reason."""
    from ansible.module_utils.api import generate_jittered_backoff, retry_with_delays_and_condition

    def may_pass(error: BaseException) -> bool:
        return isinstance(error, DownloadError) and error.may_pass

    delays = generate_jittered_backoff(retries=_ATTEMPTS, delay_base=1)
    try:
        data: bytes = retry_with_delays_and_condition(delays, may_pass)(download)(url, _LONGEST + 1)
    except DownloadError as error:
        raise KopsError(f"{url}: {error}") from error
    if len(data) > _LONGEST:
        raise KopsError(f"{url}: larger than {_LONGEST // 2**20} MiB")
    return data
