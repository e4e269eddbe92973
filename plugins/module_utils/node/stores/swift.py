# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state store in OpenStack's object store, for URLs ``swift://CONTAINER/KEY``."""

from __future__ import annotations

import urllib.error

from .object_store import ObjectStore
from .swift_container import Access
from .swift_files import ContainerOfFiles

_UNAUTHORIZED = 401


def store(access: Access) -> SwiftStore:
    """What node/stores/by_scheme.py asks of a scheme. access: as an instance has it."""
    return SwiftStore(access)


class SwiftStore(ObjectStore[Access]):
    """Tags are checksums."""

    def __init__(self, access: Access) -> None:
        super().__init__(access, ContainerOfFiles)

    def refusal(self, what: str, error: urllib.error.HTTPError) -> Exception:
        """See ObjectStore. A token that has ended is another attempt."""
        if error.code != _UNAUTHORIZED:
            return super().refusal(what, error)
        self._access.forget_token()
        return OSError("the token is not accepted")
