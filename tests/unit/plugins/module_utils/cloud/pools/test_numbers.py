# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which numbers the servers of a group have."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.numbers import Numbers


def numbers(served: str = "", empty: str = "", **leaving: int) -> Numbers:
    """Of digits. leaving: as n4=3, for number 4 that left a group of 3."""
    left = {int(key[1:]): size for key, size in leaving.items()}
    return Numbers(frozenset(map(int, served)), frozenset(map(int, empty)), left)


@pytest.mark.parametrize(
    ("now", "sizes", "kept"),
    [
        (numbers(), (2, 4), [1, 2]),
        (numbers("13"), (2, 4), [1, 3]),
        (numbers("13"), (3, 4), [1, 2, 3]),
        (numbers("123"), (1, 4), [1, 2, 3]),
        (numbers("1235"), (1, 3), [1, 2, 3]),
        # A server counts more than a place without one.
        (numbers("13", "2"), (2, 2), [1, 3]),
        (numbers("23", n1=2), (3, 3), [2, 3, 4]),
        (numbers("1"), (0, 0), []),
    ],
)
def test_a_group_keeps_its_own(now: Numbers, sizes: tuple[int, int], kept: list[int]) -> None:
    assert now.kept(*sizes) == kept


@pytest.mark.parametrize(
    ("now", "size", "lacking"),
    [
        (numbers("12"), 2, []),
        (numbers("1", "2"), 2, [2]),
        (numbers("2", n1=2), 2, [3]),
        # The place was made before, by a run that broke off.
        (numbers("2", "3", n1=2), 2, [3]),
        # The one that leaves was replaced already.
        (numbers("23", n1=2), 2, []),
        # An update has made the group larger since it left; one of the others is being replaced.
        (numbers("2345", n1=2), 4, []),
        (numbers("345", "2", n1=2), 4, [2]),
        (numbers(), 0, []),
    ],
)
def test_what_it_lacks(now: Numbers, size: int, lacking: list[int]) -> None:
    assert (now.size, now.lacking()) == (size, lacking)
