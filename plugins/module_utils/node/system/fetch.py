# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloads into a cache. A file's name is its checksum, so a file in the cache is always complete and correct.

An interrupted transfer is resumed, also by another process and from another URL.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ...base.errors import KopsError
from . import atomic
from .proxy import opener, proxy_for

DIRECTORY = "/var/cache/kops/downloads"
_PARTIAL = ".partial"
_CHUNK = 1 << 18
_SMALL = 1 << 20
# HTTP statuses that are retried: all of 5xx, and these.
_TRANSIENT = (408, 425, 429)
_RANGE_NOT_SATISFIABLE = 416


@dataclass(frozen=True)
class Fetch:
    """A file to download. label: the item that needs it. size: in bytes, 0 if unknown."""

    label: str
    urls: Sequence[str]
    sha256: str
    size: int = 0


@dataclass(frozen=True)
class RetryPolicy:
    """How failures are retried, in seconds. attempts: rounds over all URLs without any progress."""

    attempts: int = 6
    pause: float = 0.5
    longest_pause: float = 15
    timeout: float = 30
    parallel: int = 4


class _PermanentError(Exception):
    """A URL that must not be retried."""


def fetch_all(fetches: Sequence[Fetch], directory: str, retry: RetryPolicy) -> dict[str, str]:
    """Download the files that are not in the cache. Returns checksum -> file. Raises KopsError that names all failures.

    directory: the cache; it must exist.
    """
    wanted = list({each.sha256: each for each in fetches}.values())
    stop = threading.Event()

    def one(each: Fetch) -> KopsError | None:
        try:
            _Transfer(each, directory, retry, stop).run()
        except KopsError as error:
            return error
        return None

    with ThreadPoolExecutor(retry.parallel) as pool:
        errors = [str(error) for error in pool.map(one, wanted) if error is not None]
    if errors:
        raise KopsError("\n".join(errors))
    return {each.sha256: os.path.join(directory, each.sha256) for each in wanted}


def fetch_text(label: str, url: str, retry: RetryPolicy) -> bytes:
    """Content of a small file without a checksum. Raises KopsError."""
    reason, pause = "", retry.pause
    for attempt in range(retry.attempts):
        if attempt:
            time.sleep(pause)
            pause = min(pause * 2, retry.longest_pause)
        try:
            with _ask(url, retry) as response:
                return bytes(response.read(_SMALL))
        except urllib.error.HTTPError as error:
            with error:
                reason = f"the answer is {error.code} {error.reason}{_through(url)}"
        except (OSError, http.client.HTTPException) as error:
            reason = _reason(error) + _through(url)
    raise KopsError(f"{label} cannot be downloaded:\n  {plain(url)}: {reason}")


def _ask(url: str, retry: RetryPolicy, offset: int = 0) -> Any:
    request = urllib.request.Request(url, headers={"User-Agent": "kops-node", "Accept-Encoding": "identity"})  # noqa: S310 - schema.py allows few schemes
    if offset:
        request.add_header("Range", f"bytes={offset}-")
    return opener().open(request, timeout=retry.timeout)


def missing_bytes(fetches: Collection[Fetch], directory: str) -> int:
    """Known sizes of the files that are not in the cache, minus what was already downloaded."""
    missing = 0
    for each in {each.sha256: each for each in fetches}.values():
        path = os.path.join(directory, each.sha256)
        if not os.path.exists(path):
            missing += max(0, each.size - _size(path + _PARTIAL))
    return missing


def prune(directory: str, keep: Collection[str]) -> None:
    """Remove all files from the cache, except those with these checksums."""
    if not os.path.isdir(directory):
        return
    for name in os.listdir(directory):
        if name not in keep:
            atomic.remove(os.path.join(directory, name))


def checksum(path: str) -> str:
    """sha256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        for chunk in atomic.chunks_of(stream):
            digest.update(chunk)
    return digest.hexdigest()


class _Transfer:
    """Download of one file into the cache."""

    def __init__(self, wanted: Fetch, directory: str, retry: RetryPolicy, stop: threading.Event) -> None:
        self.wanted = wanted
        self.target = os.path.join(directory, wanted.sha256)
        self.partial = self.target + _PARTIAL
        self.retry = retry
        self.stop = stop
        self.reasons: dict[str, str] = {}

    def run(self) -> None:
        """Download the file unless it is in the cache. Raises KopsError."""
        if os.path.exists(self.target):
            if checksum(self.target) == self.wanted.sha256:
                return
            atomic.remove(self.target)
        urls, idle, pause = list(self.wanted.urls), 0, self.retry.pause
        while urls and idle < self.retry.attempts and not self.stop.is_set():
            before = _size(self.partial)
            for url in list(urls):
                try:
                    self._attempt(url)
                    return
                except _PermanentError as error:
                    urls.remove(url)
                    self.reasons[url] = str(error) + _through(url)
                except (OSError, http.client.HTTPException) as error:
                    self.reasons[url] = _reason(error) + _through(url)
            progressed = _size(self.partial) > before
            idle, pause = (0, self.retry.pause) if progressed else (idle + 1, min(pause * 2, self.retry.longest_pause))
            if urls and idle < self.retry.attempts:
                self.stop.wait(pause)
        reasons = "".join(f"\n  {plain(url)}: {reason}" for url, reason in self.reasons.items())
        raise KopsError(f"{self.wanted.label} cannot be downloaded:{reasons or ' another download failed before'}")

    def _attempt(self, url: str) -> None:
        """One request: append the received bytes to the partial file, and verify it when it is complete."""
        offset, found = _size(self.partial), ""
        try:
            response = _ask(url, self.retry, offset)
        except urllib.error.HTTPError as error:
            with error:
                if error.code != _RANGE_NOT_SATISFIABLE:
                    _judge(error)
            offset = self._whole_already(offset)
        else:
            with response:
                offset, found = self._receive(response, offset)
        self._accept(found or checksum(self.partial), fresh=offset == 0)

    def _whole_already(self, offset: int) -> int:
        """The server has nothing after this offset: the partial file is either complete or wrong."""
        if checksum(self.partial) != self.wanted.sha256:
            atomic.remove(self.partial)
            raise OSError("nothing to resume")
        return offset

    def _receive(self, response: Any, offset: int) -> tuple[int, str]:
        """Write the body. Returns its offset; and if that is 0, the checksum of the file.

        Raises OSError if the connection ends too early.
        """
        start = response.headers.get("Content-Range", "").partition(" ")[2].partition("-")[0]
        if getattr(response, "status", None) != 206 or start != str(offset):
            offset = 0
        length = response.headers.get("Content-Length")
        expected = int(length) if length and length.isdigit() else None
        if expected is not None and expected > atomic.free_space(self.partial):
            self._give_up_for_room(expected)
        received, digest = 0, hashlib.sha256()
        with open(self.partial, "r+b" if offset else "wb") as stream:
            stream.seek(offset)
            while chunk := response.read(_CHUNK):
                try:
                    stream.write(chunk)
                    stream.flush()
                except OSError:
                    self._give_up_for_room(expected or 0)
                received += len(chunk)
                digest.update(chunk)
            os.fsync(stream.fileno())
        if expected is not None and received < expected:
            raise OSError(f"the connection ended after {received} of {expected} bytes")
        return offset, "" if offset else digest.hexdigest()

    def _accept(self, found: str, *, fresh: bool) -> None:
        """Rename the partial file if its checksum is right. found: its checksum."""
        if found != self.wanted.sha256:
            atomic.remove(self.partial)
            message = f"the checksum is {found}, but must be {self.wanted.sha256}"
            # The resumed file may have begun with bytes of another file.
            raise _PermanentError(message) if fresh else OSError(message)
        os.replace(self.partial, self.target)
        atomic.sync_directory(os.path.dirname(self.target))

    def _give_up_for_room(self, needed: int) -> None:
        """Delete the partial file and stop all downloads, because the disk is full."""
        self.stop.set()
        with contextlib.suppress(OSError):
            os.unlink(self.partial)
        free = atomic.free_space(self.partial) // 1024
        directory = os.path.dirname(self.target)
        raise KopsError(
            f"no space: {self.wanted.label} needs {needed // 1024} KiB in {directory}, "
            f"its filesystem has {free} KiB left; free some space and run again"
        )


def _judge(error: urllib.error.HTTPError) -> None:
    """Raise OSError for a temporary failure, _PermanentError for others."""
    message = f"the answer is {error.code} {error.reason}"
    if error.code >= 500 or error.code in _TRANSIENT:
        raise OSError(message) from error
    raise _PermanentError(message) from error


def _through(url: str) -> str:
    """What did not answer may well be the proxy, which the URL does not name."""
    proxy = proxy_for(url)
    return f" (through the egress proxy {proxy})" if proxy else ""


def _reason(error: Exception) -> str:
    """The error as text."""
    cause = getattr(error, "reason", None) or error
    return str(getattr(cause, "strerror", None) or cause) or type(cause).__name__


def plain(url: str) -> str:
    """A URL without its query, which may contain a signature."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
