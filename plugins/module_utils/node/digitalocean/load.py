# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader of droplets that read the state store themselves: control planes."""

from __future__ import annotations

from typing import Any

from ..cloud.given import given_store_key
from ..loader.from_bucket import program_in_bucket
from ..loader.load import run
from ..stores.given_credentials import GivenAccess


def fetch(boot: dict[str, Any]) -> bytes:
    """The program. Raises OSError."""
    return program_in_bucket(boot, GivenAccess(given_store_key), ("do", "s3"))


if __name__ == "__main__":
    run(fetch)
