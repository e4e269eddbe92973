# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest known name, for messages about unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.66) -> str | None:
    """The known name that was probably meant, ignoring case; None if none is similar.

    cutoff: required similarity, from 0 (none) to 1 (equal).
    """
    by_folded = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(name.lower(), by_folded, n=1, cutoff=cutoff)
    return by_folded[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean maxSize?`` to append to a message, or nothing."""
    found = nearest(name, known)
    return f"; did you mean {found}?" if found else ""
