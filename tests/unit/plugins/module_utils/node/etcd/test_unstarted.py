# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a member of etcd that was added, and has never started, is given up."""

from __future__ import annotations

import socket
from collections.abc import Iterable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.client import Member
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.unstarted import (
    LISTENS,
    REFUSES,
    SILENT,
    Unstarted,
    answer,
    has_never_started,
)

URL = "https://10.0.0.8:2380"
NEWCOMER = Member("1f", "", (URL,), learner=True)


class Watched:
    """A member that is looked at once a second."""

    def __init__(self, awaited: Iterable[str] | None, member: Member = NEWCOMER) -> None:
        self._now = 0.0
        self._said = ""
        self._member = member
        self._unstarted = Unstarted(awaited, lambda _member: self._said, lambda: self._now)

    def given_up_after(self, said: str, seconds: int) -> int | None:
        """The seconds of so many in which a host says the same; None if it is waited for all the time."""
        self._said = said
        begin = self._now
        while self._now - begin <= seconds:
            if self._unstarted.is_given_up(self._member):
                return int(self._now - begin)
            self._now += 1
        return None


@pytest.mark.parametrize("said", [REFUSES, SILENT])
def test_of_a_host_that_is_not_on_its_way(said: str) -> None:
    assert Watched([]).given_up_after(said, 900) == 20
    assert Watched(["https://10.0.0.9:2380"]).given_up_after(said, 900) == 20


def test_of_a_host_that_dies_on_its_way() -> None:
    assert Watched([URL]).given_up_after(SILENT, 900) == 60


def test_a_host_that_is_on_its_way_has_all_the_time() -> None:
    assert Watched([URL]).given_up_after(REFUSES, 900) is None
    assert Watched(None).given_up_after(SILENT, 900) is None


def test_who_starts_or_has_started_is_never_given_up() -> None:
    assert Watched([]).given_up_after(LISTENS, 900) is None
    assert Watched([], Member("1f", "b", (URL,), learner=True)).given_up_after(SILENT, 900) is None


def test_time_begins_anew_when_the_host_shows_itself() -> None:
    """A host that starts anew, and a kubelet that tries to start etcd again and again."""
    watched = Watched([URL])
    assert watched.given_up_after(SILENT, 50) is None
    assert watched.given_up_after(REFUSES, 0) is None
    assert watched.given_up_after(SILENT, 900) == 60
    watched = Watched([])
    assert watched.given_up_after(REFUSES, 15) is None
    assert watched.given_up_after(LISTENS, 0) is None
    assert watched.given_up_after(REFUSES, 900) == 20


def test_what_hosts_say() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        there = Member("1", "", ("https://127.0.0.77:1", f"https://127.0.0.1:{port}"))
        assert answer(there) == LISTENS
        assert not has_never_started(there)
    gone = Member("1", "", (f"https://127.0.0.1:{port}",))
    assert answer(gone) == REFUSES
    assert has_never_started(gone)
    assert not has_never_started(gone.called("b"))
    assert answer(Member("1", "", ("https://no-such-host.invalid:2380",))) == SILENT
