# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The archive of a dump: files without secrets below one directory, and an index of what is there and what is not."""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from .redaction import Redaction

INDEX, SUMMARY = "index.json", "summary.txt"
# Files up to this size are in memory before they are in the archive, others on disk.
_IN_MEMORY = 1 << 20


class Archive:
    """Writes a tar.gz. Threads may share it. top: directory of all files, "" for none.

    limit: bytes that all files together may have; what comes after that is missing. removed: what was removed, by the
    reason. missing: what could not be collected, with the reason.
    """

    def __init__(self, stream: IO[bytes], redaction: Redaction, *, top: str = "", limit: int = 0) -> None:
        self.redaction = redaction
        self.files: dict[str, int] = {}
        self.removed: Counter[str] = Counter()
        self.missing: list[dict[str, str]] = []
        self._top = f"{top}/" if top else ""
        self._left = limit or None
        self._tar = tarfile.open(fileobj=stream, mode="w:gz", compresslevel=5, format=tarfile.PAX_FORMAT)  # noqa: SIM115
        self._lock = threading.Lock()

    @contextmanager
    def file(self, path: str) -> Iterator[IO[bytes]]:
        """A new file; what the block writes gets there without secrets, at its end. An error leaves the file out."""
        with spooled() as stream:
            yield stream
            stream.seek(0)
            self.add(path, stream)

    def add(self, path: str, source: IO[bytes]) -> None:
        """Add the rest of a stream as a file, without secrets."""
        with spooled() as clean:
            removed = self.redaction.copy(source, clean)
            size = clean.tell()
            clean.seek(0)
            path = self.redaction.text(path)
            with self._lock:
                if self._left is not None:
                    self._left -= size
                    if self._left < 0:
                        self._left += size
                        self.missing.append({"what": path, "why": "there is already as much as may be collected"})
                        return
                self.removed.update(removed)
                self._write(path, clean, size)

    def text(self, path: str, text: str) -> None:
        """Add a text as a file."""
        self.add(path, io.BytesIO(text.encode(errors="replace")))

    def json(self, path: str, data: Any) -> None:
        """Add plain data as a file; what is no plain data, such as times, is written as text."""
        self.text(path, as_json(data))

    def miss(self, what: str, why: object) -> None:
        """Note that something could not be collected."""
        entry = {"what": self.redaction.text(what), "why": self.redaction.text(str(why))}
        with self._lock:
            self.missing.append(entry)

    def hidden(self, reason: str, count: int = 1) -> None:
        """Note that something was left out because it is secret."""
        with self._lock:
            self.removed[reason] += count

    def close(self, index: dict[str, Any], summary: str = "") -> None:
        """Write the index, which may not name secrets, and end the archive."""
        for path, text in ((INDEX, as_json(index)), (SUMMARY, summary)):
            if text:
                content = self.redaction.hide(text.encode(errors="replace"), Counter())
                self._write(path, io.BytesIO(content), len(content))
        self._tar.close()

    def _write(self, path: str, stream: IO[bytes], size: int) -> None:
        # Names that two objects share after cleaning stay apart.
        name, number = path, 2
        while name in self.files:
            name, number = f"{path}-{number}", number + 1
        self.files[name] = size
        info = tarfile.TarInfo(self._top + name)
        info.size, info.mode, info.mtime = size, 0o600, int(time.time())
        self._tar.addfile(info, stream)


def spooled() -> IO[bytes]:
    """A file without a name, in memory while it is small."""
    return tempfile.SpooledTemporaryFile(_IN_MEMORY)


def as_json(data: Any) -> str:
    """Plain data as text for people; short lines let secrets be found one by one."""
    return json.dumps(data, indent=1, default=str, ensure_ascii=False) + "\n"


def copy_end(source: IO[bytes], target: IO[bytes], limit: int) -> bool:
    """Copy the last bytes of a stream, from the begin of a line. Returns whether something was left out.

    Memory holds no more than these bytes.
    """
    blocks: list[bytes] = []
    size, cut = 0, False
    while block := source.read(1 << 16):
        blocks.append(block)
        size += len(block)
        while size - len(blocks[0]) >= limit:
            size -= len(blocks.pop(0))
            cut = True
    if size > limit:
        blocks[0], cut = blocks[0][size - limit :], True
    text = b"".join(blocks)
    if cut:
        text = b"(what is before this is left out)\n" + text.partition(b"\n")[2]
    target.write(text)
    return cut


def by_directory(files: dict[str, int], depth: int = 2) -> dict[str, tuple[int, int]]:
    """Directory -> how many files and bytes are below it."""
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for path, size in files.items():
        directory = "/".join(path.split("/")[:-1][:depth]) or "."
        found[directory][0] += 1
        found[directory][1] += size
    return {name: (count, size) for name, (count, size) in sorted(found.items())}


def file_name(text: str) -> str:
    """A text as one part of a path."""
    name = "".join(letter if letter.isalnum() or letter in "-_.:@+" else "_" for letter in text)
    return name if name.strip(".") else f"_{name}"
