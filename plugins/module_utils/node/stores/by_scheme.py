# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state store of a cluster, whatever it is in: node/stores/<scheme of the URL>.py, imported when it is needed.

There is no list of schemes here, as there is none of clouds (node/clouds.py): a cluster's node program contains the
modules of the schemes that its own URLs have (model/node/program/stores.py).
"""

from __future__ import annotations

import importlib
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from ...base.errors import KopsError
from ..cloud.identity import OwnIdentity
from .store import Store


class _Module(Protocol):
    """What a scheme's module has."""

    def store(self, access: Any) -> Store:
        """access: what OwnIdentity.access_to() gives for the scheme."""


class StoreByScheme:
    """A Store for URLs of all schemes that the program has code for, as one instance reads them.

    Another URL raises KopsError: the program that reads it may come with the next boot.
    """

    def __init__(self, identity: OwnIdentity) -> None:
        self._identity = identity
        self._known: dict[str, Store] = {}

    def read(self, url: str) -> bytes | None:
        """See Store."""
        return self._of(url).read(url)

    def read_changed(self, url: str, tag: str) -> tuple[bytes, str] | None:
        """See Store."""
        return self._of(url).read_changed(url, tag)

    def write(self, url: str, content: bytes) -> None:
        """See Store."""
        self._of(url).write(url, content)

    def upload(self, url: str, path: str, sha256: str) -> None:
        """See Store."""
        self._of(url).upload(url, path, sha256)

    def download(self, url: str, path: str) -> None:
        """See Store."""
        self._of(url).download(url, path)

    def names(self, url: str) -> list[str]:
        """See Store."""
        return self._of(url).names(url)

    def remove(self, url: str) -> None:
        """See Store."""
        self._of(url).remove(url)

    def _of(self, url: str) -> Store:
        scheme = urlsplit(url).scheme
        if scheme not in self._known:
            self._known[scheme] = _module(scheme, url).store(self._identity.access_to(scheme))
        return self._known[scheme]


def _module(scheme: str, url: str) -> _Module:
    name = f"{__package__}.{scheme}"
    try:
        module = importlib.import_module(name) if scheme else None
    except ModuleNotFoundError as error:
        if error.name != name:
            # The module is there, and something that it imports is not.
            raise
        module = None
    # The other modules of this folder are no schemes.
    if not hasattr(module, "store"):
        raise KopsError(f"{url} cannot be read: this program has no code for stores of the kind {scheme or 'file'}://")
    return cast(_Module, module)
