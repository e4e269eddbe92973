# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader of servers of OpenStack that read a state store in S3 themselves: control planes."""

from __future__ import annotations

from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

from ..loader.load import run
from ..stores.s3_bucket import Bucket
from ..system.clock import clock_note
from .store_key import access


def fetch(boot: dict[str, Any]) -> bytes:
    """The program. Raises OSError."""
    place = urlsplit(f"{boot['store'].rstrip('/')}/{boot['program']['location']}")
    if place.scheme != "s3":
        raise OSError(f"{boot['store']} is not in S3, and this loader reads no other store")
    try:
        return Bucket(place.netloc, access()).read(place.path.lstrip("/"))
    except OSError as error:
        date = error.headers.get("Date") if isinstance(error, HTTPError) else ""
        raise OSError(f"{place.geturl()}: {error}{clock_note(date)}") from error


if __name__ == "__main__":
    run(fetch)
