# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns: continuous integration runs a third of the tests that take long, another one after each commit.

The long tests of a file have their turn together, so that what they share is made once. Tests of the lab that run
without --all name their turn by a mark (`turn`), so that the three thirds take about as long as each other; the long
ones of the lab have no turn and need --all.
"""

from __future__ import annotations

import zlib

import pytest

THIRDS = 3
_OF_THE_LAB = "tests/lab/"


def is_in_turn(item: pytest.Item, turn: int | None) -> bool:
    """Whether a test with the mark `long` or `turn` runs in this turn; never without one."""
    if turn is None:
        return False
    mark = item.get_closest_marker("turn")
    if mark:
        return turn == mark.args[0] and not item.get_closest_marker("long")
    file = item.nodeid.partition("::")[0]
    return not file.startswith(_OF_THE_LAB) and turn == turn_of(file)


def turn_of(file: str) -> int:
    """The turn of a file's long tests: 0, 1 or 2, whatever other files there are."""
    return zlib.crc32(file.encode()) % THIRDS
