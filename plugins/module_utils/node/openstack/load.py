# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader of servers of OpenStack that read the state store themselves: control planes."""

from __future__ import annotations

from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

from ..loader.load import run
from ..stores.swift_container import Container
from ..system.clock import clock_note
from .keystone import Login

_LOGIN = Login()


def fetch(boot: dict[str, Any]) -> bytes:
    """The program. Raises OSError."""
    place = urlsplit(f"{boot['store'].rstrip('/')}/{boot['program']['location']}")
    if place.scheme != "swift":
        raise OSError(f"{boot['store']} is not in Swift; servers of OpenStack read no other store")
    try:
        return Container(place.netloc, _LOGIN).read(place.path.lstrip("/"))
    except OSError as error:
        date = error.headers.get("Date") if isinstance(error, HTTPError) else ""
        raise OSError(f"{place.geturl()}: {error}{clock_note(date)}") from error


if __name__ == "__main__":
    run(fetch)
