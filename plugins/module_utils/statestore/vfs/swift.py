# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""swift://: a store in a container of OpenStack's object store.

Swift creates an object only if there is none, but looks before it writes: of several that ask at once, some may be let
in. It has no condition for replacing an object. So the object is read before, and a lease, under which all else is
written, waits (`settles`) and reads its record again: the last one's stays.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import IO, Any, ClassVar

from .openstack_sdk import ONCE
from .path import Listed, StoreError, VFSPath, WriteConflict, WriteUncertain, md5, remove_side_by_side
from .swift_container import PRECONDITION_FAILED, Container, Refused, container_named

# Seconds within which Swift has written what it let in.
SETTLES = 2.0
_CHUNK = 1 << 20
# What is sent as a whole, so that it can be sent again.
_SMALL = 8 << 20
_TYPE = "application/octet-stream"
# Which write an object is from, so that one whose answer was lost is recognized.
_WRITER = "X-Object-Meta-Kubeops-Write"
# All copies are asked, and the newest counts.
_NEWEST = {"X-Newest": "true"}
_ALL_READ = ".r:*"
_VERSIONING = ("X-Versions-Enabled", "X-History-Location", "X-Versions-Location")


class SwiftPath(VFSPath):
    """An object in a container."""

    scheme: ClassVar[str] = "swift"
    settles: ClassVar[float] = SETTLES

    def __init__(self, container: Container, key: str) -> None:
        self.container = container
        self.key = key

    @classmethod
    def open(cls, location: str, **auth: Any) -> SwiftPath:
        """The path for what follows ``swift://``."""
        name, _separator, key = location.partition("/")
        if not name:
            raise StoreError("swift:// needs a container, for example swift://container or swift://container/prefix")
        return cls(container_named(name), key.strip("/"))

    @property
    def path(self) -> str:
        return f"{self.container.path}/{self.key}".rstrip("/")

    def join(self, *parts: str) -> SwiftPath:
        key = "/".join(part.strip("/") for part in (self.key, *parts) if part.strip("/"))
        return SwiftPath(self.container, key)

    def read_tagged(self) -> tuple[bytes, str]:
        answer = self.container.ask("read", "GET", self.key, headers=_NEWEST)
        return answer.content, answer.headers["Etag"]

    def write(
        self, data: bytes, *, public: bool = False, if_none_match: bool = False, if_match: str | None = None
    ) -> str:
        self._refuse_unless_readable(public)
        if if_none_match:
            self._create(data)
        elif if_match is not None:
            self._replace(data, if_match)
        else:
            self._put(data)
        return md5(data)

    def _create(self, data: bytes) -> None:
        writer = uuid.uuid4().hex
        try:
            self._put(data, **{"If-None-Match": "*", _WRITER: writer})
        except Refused as error:
            if error.status != PRECONDITION_FAILED:
                raise
            # The request may have been sent again because its first answer was lost.
            present = self.container.ask("read", "HEAD", self.key, headers=_NEWEST)
            if present.headers.get(_WRITER) != writer:
                raise WriteConflict(f"{self} was created meanwhile") from error

    def _replace(self, data: bytes, etag: str) -> None:
        started = time.monotonic()
        try:
            present = self.container.ask("read", "HEAD", self.key, headers=_NEWEST).headers["Etag"]
        except FileNotFoundError:
            raise WriteConflict(f"{self} was removed meanwhile") from None
        if present != etag:
            raise WriteConflict(f"{self} was changed meanwhile")
        self._put(data)
        seconds = time.monotonic() - started
        if seconds > SETTLES:
            raise WriteUncertain(
                f"{self} was replaced, but that took {seconds:.0f} s, and whether somebody else has changed it"
                " meanwhile cannot be told: run again"
            )

    def _put(self, data: bytes, **headers: str) -> None:
        # The object is refused if its content does not have this hash.
        given = {"Content-Type": _TYPE, "ETag": md5(data), **headers}
        self.container.ask("write", "PUT", self.key, data=data, headers=given)

    def upload(self, source: IO[bytes], *, public: bool = False) -> None:
        """As of all stores, up to 5 GiB, which is the largest object of Swift."""
        self._refuse_unless_readable(public)
        first = source.read(_SMALL)
        if len(first) < _SMALL:
            self._put(first)
            return
        digest = hashlib.md5(usedforsecurity=False)

        def parts() -> Iterator[bytes]:
            part = first
            while part:
                digest.update(part)
                yield part
                part = source.read(_CHUNK)

        # What was read once cannot be sent again: a second request would send the rest, or nothing.
        answer = self.container.ask("write", "PUT", self.key, data=parts(), headers={"Content-Type": _TYPE}, **ONCE)
        if answer.headers["Etag"] != digest.hexdigest():
            self.remove()
            raise StoreError(f"cannot write {self}: it did not arrive as it was sent, and was removed; run again")

    def download(self, target: IO[bytes]) -> None:
        answer = self.container.ask("read", "GET", self.key, headers=_NEWEST, stream=True)
        from requests import RequestException

        try:
            for chunk in answer.iter_content(_CHUNK):
                target.write(chunk)
        except RequestException as error:
            raise self.container.unanswered("read", error) from error

    def list_tree(self) -> list[Listed]:
        prefix = f"{self.key}/" if self.key else ""
        found: list[dict[str, Any]] = []
        while True:
            after = {"marker": found[-1]["name"]} if found else {}
            params = {"prefix": prefix, "format": "json", **after}
            page = self.container.ask("list", "GET", params=params).json()
            found += page
            if not page:
                break
        # Some tools create an empty object for the directory itself.
        files = (each for each in found if not each["name"].endswith("/"))
        return [
            Listed(each["name"][len(prefix) :], SwiftPath(self.container, each["name"]), each["hash"], each["bytes"])
            for each in files
        ]

    def remove(self) -> None:
        with suppress(FileNotFoundError):
            self.container.ask("remove", "DELETE", self.key)

    def remove_many(self, paths: Iterable[VFSPath]) -> None:
        remove_side_by_side(paths)

    def advice(self) -> list[str]:
        """To switch versioning on, where the store has it and nothing keeps what is replaced."""
        headers = self.container.headers("read")
        if any(headers.get(each) for each in _VERSIONING) or not self.container.can("object_versioning"):
            return []
        name = self.container.name
        return [
            f"the container {name} has no versioning: what is replaced or removed in the state store by mistake is"
            f' lost. Switch it on: swift post {name} --header "X-Versions-Enabled: true"'
        ]

    def _refuse_unless_readable(self, public: bool) -> None:
        if public and _ALL_READ not in self.container.headers("write to").get("X-Container-Read", ""):
            raise StoreError(
                f"cannot write {self}: everybody has to read it, and containers say that of all their objects: swift"
                f' post {self.container.name} --read-acl "{_ALL_READ}"'
            )
