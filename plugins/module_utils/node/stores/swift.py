# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state store in OpenStack's object store, for URLs ``swift://CONTAINER/KEY``."""

from __future__ import annotations

import urllib.error
import urllib.parse
from collections.abc import Callable
from typing import TypeVar

from ..system.clock import clock_note
from .swift_container import Access
from .swift_files import ContainerOfFiles
from .xml_service import ServiceError, retried

_UNAUTHORIZED, _NOT_FOUND, _TOO_MANY, _SERVER_ERROR = 401, 404, 429, 500
_LONGEST = 300
Answer = TypeVar("Answer")


def store(access: Access) -> SwiftStore:
    """What node/stores/by_scheme.py asks of a scheme. access: as an instance has it."""
    return SwiftStore(access)


class SwiftStore:
    """A Store. All methods raise ServiceError, whose status is 404 for what must be there and is not."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._containers: dict[str, ContainerOfFiles] = {}

    def read(self, url: str) -> bytes | None:
        """The content of an object; None if there is none."""
        container, key = self._object(url)
        try:
            return self._asked(url, lambda: container.read(key))
        except ServiceError as error:
            # Swift says the same of a container that does not exist.
            if error.status == _NOT_FOUND and self._asked(url, container.exists):
                return None
            raise

    def read_changed(self, url: str, tag: str) -> tuple[bytes, str] | None:
        """The content of an object and its checksum; None if that is still this tag."""
        container, key = self._object(url)
        return self._asked(url, lambda: container.read_changed(key, tag))

    def write(self, url: str, content: bytes) -> None:
        """Write an object."""
        container, key = self._object(url)
        self._asked(url, lambda: container.write(key, content))

    def upload(self, url: str, path: str, sha256: str) -> None:
        """Write a file. Raises KopsError, OSError as well."""
        container, key = self._object(url)
        self._asked(url, lambda: container.upload(key, path, sha256))

    def download(self, url: str, path: str) -> None:
        """Write the content of an object to a file. Raises KopsError as well."""
        container, key = self._object(url)
        self._asked(url, lambda: container.download(key, path))

    def names(self, url: str) -> list[str]:
        """The paths of all objects below a URL."""
        container, key = self._object(f"{url.rstrip('/')}/")
        found: list[str] = []
        after = ""
        while True:
            page = self._asked(url, lambda last=after: container.names(key, last))  # type: ignore[misc]
            if not page:
                return found
            found += [name[len(key) :] for name in page]
            after = page[-1]

    def remove(self, url: str) -> None:
        """Remove an object, if it is there."""
        container, key = self._object(url)
        self._asked(url, lambda: container.remove(key))

    def _object(self, url: str) -> tuple[ContainerOfFiles, str]:
        place = urllib.parse.urlsplit(url)
        container = self._containers.setdefault(place.netloc, ContainerOfFiles(place.netloc, self._access))
        return container, place.path.lstrip("/")

    def _asked(self, what: str, ask: Callable[[], Answer]) -> Answer:
        """The answer; refusals are raised at once, in Swift's own words. A token that has ended is another attempt."""

        def checked() -> Answer:
            try:
                return ask()
            except urllib.error.HTTPError as error:
                if error.code == _UNAUTHORIZED:
                    self._access.forget_token()
                    raise OSError("the token is not accepted") from error
                if error.code == _TOO_MANY or error.code >= _SERVER_ERROR:
                    raise
                raise _refusal(what, error) from error

        return retried(what, checked)


def _refusal(what: str, error: urllib.error.HTTPError) -> ServiceError:
    with error:
        content = error.read(1 << 16)
    # Swift answers with a page.
    is_text = (error.headers.get("Content-Type") or "").startswith("text/plain")
    said = (is_text and content.decode(errors="replace").strip()[:_LONGEST]) or error.reason
    return ServiceError(what, error.code, "", f"{said}{clock_note(error.headers.get('Date'))}")
