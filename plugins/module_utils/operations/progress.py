# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of a long operation: one line for each step, to a file that an action plugin shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str], None]


def silent(line: str) -> None:
    """Progress that is not shown."""


@contextmanager
def progress_to(path: str | None) -> Iterator[Progress]:
    """A function that appends lines to path at once; a silent one without a path."""
    if not path:
        yield silent
        return
    with open(path, "a", encoding="utf-8") as stream:

        def write(line: str) -> None:
            stream.write(line + "\n")
            stream.flush()

        yield write
