# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns: continuous integration runs a part of the tests that take long, another one after each commit.

Outside the lab a third of them, in the lab a sixth of its files. The long tests of a file have their turn together, so
that what they share is made once. Tests with the mark `turn` name their turn, so that the parts take about as long as
each other; without --all and --turn they run. The long tests of the lab have no turn: they need --all.
"""

from __future__ import annotations

import subprocess
import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest

THIRDS = 3
# Of the lab; each is in one of the thirds, too.
TURNS = 2 * THIRDS
_OF_THE_LAB = "tests/lab/"
# Commits whose files a gate looks at although it is not their turn.
_LATELY = 60


def is_in_turn(item: pytest.Item, turn: int | None) -> bool:
    """Whether a test with the mark `long` or `turn` runs in this turn; never without one."""
    if turn is None:
        return False
    file = item.nodeid.partition("::")[0]
    of_the_lab = file.startswith(_OF_THE_LAB)
    now = turn if of_the_lab else turn % THIRDS
    mark = item.get_closest_marker("turn")
    if mark:
        return now == mark.args[0] and not (of_the_lab and item.get_closest_marker("long"))
    return not of_the_lab and now == third_of(file)


def third_of(file: str) -> int:
    """The turn of a file outside the lab: 0, 1 or 2, whatever other files there are."""
    return zlib.crc32(file.encode()) % THIRDS


def due(files: Iterable[str], turn: int | None, root: Path) -> set[str]:
    """Those that a slow gate looks at: all, or in a turn its third of them, and what has changed lately."""
    if turn is None:
        return set(files)
    log = ["git", "log", f"--max-count={_LATELY}", "--name-only", "--format=", "-z"]
    listed = subprocess.run(log, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout
    changed = set(listed.split("\0"))
    return {file for file in files if file in changed or third_of(file) == turn % THIRDS}
