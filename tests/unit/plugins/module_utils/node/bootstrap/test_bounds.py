# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import socket

from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import (
    Journal,
    Place,
    Rate,
    Rates,
    Room,
)


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


class Callers:
    """A room of three places whose patience is 10 seconds, and connections whose other ends are kept."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.room = Room(3, 10, self.clock)
        self.ends: dict[int, socket.socket] = {}

    def take(self, caller: str) -> Place | None:
        ours, end = socket.socketpair()
        place = self.room.take(caller, ours, 0)
        if place is not None:
            self.ends[id(place)] = end
        return place

    def came(self, *callers: str) -> list[Place]:
        """Places of callers, one second after another."""
        places = []
        for caller in callers:
            places.append(self.take(caller))
            self.clock.now += 1
        assert all(places)
        return [place for place in places if place]

    def dropped(self) -> list[str]:
        """Give up: whom the room drops when one more comes and does not wait."""
        self.room._drop(self.clock.now)
        return [place.caller for place in self.room._places if place.dropped]


def test_a_room_has_places_and_gets_them_back() -> None:
    callers = Callers()
    places = callers.came("a", "a", "b")
    assert callers.take("c") is None
    callers.room.give(places[0])
    assert callers.take("c") is not None


def test_the_oldest_of_the_address_with_most_places_is_dropped() -> None:
    callers = Callers()
    places = callers.came("honest", "many", "many")
    assert callers.dropped() == [], "all of them came less than 10 seconds ago"
    callers.clock.now += 10
    assert callers.dropped() == ["many"]
    assert [place.dropped for place in places] == [False, True, False]
    assert callers.ends[id(places[1])].recv(1) == b"", "its connection has ended"
    assert callers.dropped() == ["many"], "nobody else, until it has left"


def test_behind_one_address_the_slowest_is_dropped_and_never_one_that_is_being_answered() -> None:
    callers = Callers()
    places = callers.came("balancer", "balancer", "balancer")
    callers.room.begin(places[0])
    callers.clock.now += 20
    callers.room.await_caller(places[1])
    callers.clock.now += 5
    callers.dropped()
    assert [place.dropped for place in places] == [False, False, True]
    callers.room.begin(places[1])
    callers.room.give(places[2])
    assert callers.dropped() == []


def test_a_journal_counts_what_it_leaves_out_and_writes_one_line_for_each() -> None:
    clock, lines = Clock(), list[str]()
    journal = Journal(lines.append, Rate(1, 2, clock))
    for text in ("a\nb\x1b[2J", "x" * 1000, "left", "out"):
        journal.say(text)
    clock.now += 1
    journal.say("again")
    assert lines == ["a\\nb\\x1b[2J\n", "x" * 500 + "\n", "2 lines like these were left out\n", "again\n"]
