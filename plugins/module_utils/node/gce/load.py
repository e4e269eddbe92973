# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader of instances of Google Cloud that read the state store themselves: control planes and API servers."""

from __future__ import annotations

from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

from ..loader.load import run
from ..stores.gs_bucket import Bucket
from ..system.clock import clock_note
from .metadata import Metadata


def fetch(boot: dict[str, Any]) -> bytes:
    """The program. Raises OSError."""
    place = urlsplit(f"{boot['store'].rstrip('/')}/{boot['program']['location']}")
    if place.scheme != "gs":
        raise OSError(f"{boot['store']} is not in Cloud Storage; instances of Google Cloud read no other store")
    try:
        return Bucket(place.netloc, Metadata()).read(place.path.lstrip("/"))
    except OSError as error:
        date = error.headers.get("Date") if isinstance(error, HTTPError) else ""
        raise OSError(f"{place.geturl()}: {error}{clock_note(date)}") from error


if __name__ == "__main__":
    run(fetch)
