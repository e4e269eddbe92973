# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to registries and file servers, with the proxies and certificate authorities of the environment.

Ansible's open_url reads all certificate authorities for each request, which takes most of the time of small ones.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import ssl
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError

from ..download import BUSY, DownloadError, attempted

_TIMEOUT = 60
_CHUNK = 1 << 20
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "kubeops.kops"}
_LONGEST_REASON = 4096
_PARTIAL_CONTENT = 206
_RANGE_NOT_SATISFIABLE = 416


class Refused(DownloadError):
    """A server answers that it does not do what it is asked. status: of HTTP. headers: of the answer."""

    def __init__(self, reason: str, status: int, headers: Message) -> None:
        super().__init__(reason, may_pass=status in BUSY)
        self.status = status
        self.headers = headers


@functools.cache
def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(urllib.request.HTTPSHandler(context=ssl.create_default_context()))


@contextmanager
def answer(
    url: str,
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    authorization: str = "",
    data: bytes | IO[bytes] | None = None,
) -> Iterator[Any]:
    """The answer to one request. Raises Refused and DownloadError, also within the block, where the answer is read.

    authorization: the header of this name; another server that the first one refers to does not get it.
    data: to be sent; headers must have the length of a file's.
    """
    request = urllib.request.Request(url, data=data, method=method, headers={**_HEADERS, **(headers or {})})  # noqa: S310 - names of registries, and URLs of the user
    if authorization:
        request.add_unredirected_header("Authorization", authorization)
    try:
        with _opener().open(request, timeout=_TIMEOUT) as opened:
            yield opened
    except HTTPError as error:
        with error:
            raise Refused(_reason(error), error.code, error.headers) from error
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise DownloadError(
            str(reason) or type(error).__name__, may_pass=isinstance(error, (OSError, HTTPException))
        ) from error


def _reason(error: Any) -> str:
    """Explanation of a failed request: the status, and the message if it has the form of registries."""
    text = f"{error.code} {error.reason}"
    try:
        problems = json.loads(error.read(_LONGEST_REASON))["errors"]
        said = [f"{problem.get('code', '')}: {problem.get('message', '')}".strip(": ") for problem in problems]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return text
    return f"{text} ({'; '.join(said)})" if said else text


def fetch_to(
    url: str,
    path: Path,
    *,
    sha256: str = "",
    size: int | None = None,
    headers: Mapping[str, str] | None = None,
    authorization: str = "",
) -> str:
    """Download a file, with another attempt where that may help; return its SHA-256 as hexadecimal text.

    What an earlier attempt left in the file is not downloaded again. sha256, size: what it must have, if known.
    Raises DownloadError; a file whose content is wrong is removed.
    """

    def attempt() -> str:
        is_continued = path.exists() and path.stat().st_size > 0
        _continue(url, path, size, dict(headers or {}), authorization)
        found = sha256_of(path)
        if sha256 and found != sha256:
            length = path.stat().st_size
            os.unlink(path)
            # The file may have been another one when an earlier attempt began.
            wrong = f"its SHA-256 is {found} ({length} bytes), but {sha256} is expected"
            raise DownloadError(wrong, may_pass=is_continued)
        return found

    return attempted(attempt)


def _continue(url: str, path: Path, size: int | None, headers: dict[str, str], authorization: str) -> None:
    present = path.stat().st_size if path.exists() else 0
    if size is not None and present >= size:
        return
    if present:
        headers["Range"] = f"bytes={present}-"
    try:
        with answer(url, headers=headers, authorization=authorization) as opened:
            is_rest = opened.status == _PARTIAL_CONTENT
            length = opened.headers.get("Content-Length")
            with open(path, "ab" if is_rest else "wb") as file:
                written = 0
                while chunk := opened.read(_CHUNK):
                    file.write(chunk)
                    written += len(chunk)
    except Refused as error:
        if error.status == _RANGE_NOT_SATISFIABLE:
            # Nothing is left to be sent: the checksum says whether it is the right file.
            return
        raise
    if length is not None and written < int(length):
        raise DownloadError(f"the server broke off after {written} of {length} bytes", may_pass=True)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file as hexadecimal text."""
    with open(path, "rb") as file:
        return sha256_of_stream(file)


def sha256_of_stream(stream: IO[bytes]) -> str:
    """The SHA-256 of what is left of an open file."""
    digest = hashlib.sha256()
    while chunk := stream.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()
