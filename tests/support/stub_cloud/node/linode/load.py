# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader of control planes of the stub, which read the state store."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from ..loader.load import run
from ..stores.s3_bucket import Bucket
from .api import StubAPI


def fetch(boot: dict[str, Any]) -> bytes:
    """The program. Raises OSError."""
    place = urlsplit(f"{boot['store'].rstrip('/')}/{boot['program']['location']}")
    return Bucket(place.netloc, StubAPI()).read(place.path.lstrip("/"))


if __name__ == "__main__":
    run(fetch)
