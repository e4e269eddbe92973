# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as text, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence


def table_of(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A line for each row, below the names of the columns, which are as wide as their longest text."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in (head, *rows)]
    return "".join(f"{line}\n" for line in lines)
