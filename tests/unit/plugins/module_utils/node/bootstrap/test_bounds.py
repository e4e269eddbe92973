# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Journal, Rate, Rates, Slots


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_rate_allows_a_burst_and_then_so_many_a_second() -> None:
    clock = Clock()
    rate = Rate(2, 3, clock)
    assert [rate.take() for _count in range(5)] == [True, True, True, False, False]
    clock.now += 1
    assert [rate.take() for _count in range(3)] == [True, True, False]
    clock.now += 100
    assert [rate.take() for _count in range(4)] == [True, True, True, False]


def test_callers_have_rates_of_their_own_and_only_the_last_are_known() -> None:
    clock = Clock()
    rates = Rates(0.001, 1, clock)
    assert (rates.take("a"), rates.take("a"), rates.take("b")) == (True, False, True)
    for number in range(5000):
        rates.take(str(number))
    assert rates.take("a")
    assert not rates.take("4999")


def test_slots_are_counted_by_caller_and_returned() -> None:
    slots = Slots(2)
    assert [slots.take("a") for _count in range(3)] == [True, True, False]
    assert slots.take("b")
    slots.give("a")
    assert slots.take("a")


def test_a_journal_counts_what_it_leaves_out_and_writes_one_line_for_each() -> None:
    clock, lines = Clock(), list[str]()
    journal = Journal(lines.append, Rate(1, 2, clock))
    for text in ("a\nb\x1b[2J", "x" * 1000, "left", "out"):
        journal.say(text)
    clock.now += 1
    journal.say("again")
    assert lines == ["a\\nb\\x1b[2J\n", "x" * 500 + "\n", "2 lines like these were left out\n", "again\n"]
