# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How loaders get the program out of a store with the protocol of S3, in clouds whose servers are given a key to it."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

from ..stores.s3_bucket import Access, Bucket
from ..system.clock import clock_note

_AMAZONS = "s3"


def program_in_bucket(boot: dict[str, Any], access: Access, schemes: Collection[str]) -> bytes:
    """The program that boot.json names. schemes: of the stores that the cloud's servers read. Raises OSError."""
    place = urlsplit(f"{boot['store'].rstrip('/')}/{boot['program']['location']}")
    if place.scheme not in schemes:
        read = " and ".join(f"{scheme}://" for scheme in schemes)
        raise OSError(f"{boot['store']} cannot be read: servers of this cloud read {read} only")
    if place.scheme != _AMAZONS and not os.environ.get("S3_ENDPOINT"):
        raise OSError(f"{boot['store']} cannot be read: S3_ENDPOINT, which user data tells, is not set")
    try:
        return Bucket(place.netloc, access).read(place.path.lstrip("/"))
    except OSError as error:
        date = error.headers.get("Date") if isinstance(error, HTTPError) else ""
        raise OSError(f"{place.geturl()}: {error}{clock_note(date)}") from error
