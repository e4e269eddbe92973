# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader of virtual machines that read the state store in S3 themselves: control planes."""

from __future__ import annotations

from typing import Any

from ..loader.from_bucket import program_in_bucket
from ..loader.load import run
from .store_key import access

SCHEMES = ("s3",)


def fetch(boot: dict[str, Any]) -> bytes:
    """The program. Raises OSError."""
    return program_in_bucket(boot, access(), SCHEMES)


if __name__ == "__main__":
    run(fetch)
