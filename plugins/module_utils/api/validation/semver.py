# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions in fields where a text that is no version is a problem to report, not an error to raise."""

from __future__ import annotations

import re

from ...base.errors import KopsError
from ..versions import Version

_FULL = re.compile(r"\d+\.\d+\.\d+([-+].*)?")


def any_version(text: str) -> Version | None:
    """The version that text is, short forms such as "v1.34" included; None for anything else."""
    try:
        return Version.parse(text)
    except KopsError:
        return None


def full_version(text: str) -> Version | None:
    """The version that text is, if it has all three numbers and no "v"; None for anything else."""
    return any_version(text) if _FULL.fullmatch(text) else None
