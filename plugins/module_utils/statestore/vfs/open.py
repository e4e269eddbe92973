# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens the store that an address names: the table of URL schemes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...api.clouds import CLOUDS
from .path import StoreError, VFSPath


def _local() -> type[VFSPath]:
    from .local import LocalPath

    return LocalPath


def _memory() -> type[VFSPath]:
    from .memory import MemoryPath

    return MemoryPath


def _s3() -> type[VFSPath]:
    from .s3 import S3Path

    return S3Path


def _gs() -> type[VFSPath]:
    from .gs import GSPath

    return GSPath


def _swift() -> type[VFSPath]:
    from .swift import SwiftPath

    return SwiftPath


def _compatible(scheme: str) -> type[VFSPath]:
    from .compatible import path_class

    return path_class(scheme)


# It lasts as long as one process.
MEMORY = "memfs"
# A new kind of store is one file, and one line here. Ansible ships only modules that an import statement names.
SCHEMES: dict[str, Callable[[], type[VFSPath]]] = {
    "file": _local,
    MEMORY: _memory,
    "s3": _s3,
    "gs": _gs,
    "swift": _swift,
    **{
        cloud.store_scheme: partial(_compatible, cloud.store_scheme)
        for cloud in CLOUDS.values()
        if cloud.store_endpoint
    },
}


def open_path(url: str, **auth: Any) -> VFSPath:
    """The path that an address names. An address without a scheme is a local file.

    auth: further arguments of the scheme's class (s3: session, a boto3.Session).
    Raises StoreError for an unknown scheme.
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        scheme, rest = "file", url
    if scheme not in SCHEMES:
        known = ", ".join(f"{name}://" for name in sorted(SCHEMES))
        raise StoreError(f"{url}: unknown scheme {scheme}://; known are {known}")
    return SCHEMES[scheme]().open(rest, **auth)


def spelled_as_kops(url: str) -> str:
    """The address of a place as kops writes it: a local directory without ``file://``, every other one as it is."""
    scheme, separator, _rest = url.partition("://")
    return open_path(url).path if url and (scheme == "file" or not separator) else url
