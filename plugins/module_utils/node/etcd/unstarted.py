# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members that were added and have never started: whether anybody is still to come.

etcd takes in one learner at a time, so that one whose host failed before its etcd started keeps all others out. It has
no data and no vote: nothing is lost with it, and its host is added anew when it comes after all.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urlsplit

from .client import Member

LISTENS, REFUSES, SILENT = "listens", "refuses", "silent"
# Seconds. A kubelet that lives tries to start its etcd more often than that.
_NOBODY_COMES = 20.0
# A host that is being made a node refuses connections, but answers.
_HOST_IS_DEAD = 60.0
_TIMEOUT = 3.0


def answer(member: Member) -> str:
    """What a member's host says where the member should be."""
    answers = [_answer(url) for url in member.peer_urls]
    return next((kind for kind in (LISTENS, REFUSES) if kind in answers), SILENT)


def has_never_started(member: Member) -> bool:
    """Whether a member has no name, which it tells when it starts, and is not about to."""
    return not member.name and answer(member) != LISTENS


class Unstarted:
    """Decides, by looking again and again, that a member does not come any more.

    awaited: addresses of the members whose hosts are on their way; None is all. ask, clock: as in tests.
    """

    def __init__(
        self,
        awaited: Iterable[str] | None,
        ask: Callable[[Member], str] = answer,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._awaited = None if awaited is None else set(awaited)
        self._ask = ask
        self._clock = clock
        # The last answer of each member, and since when it has been the same.
        self._answers: dict[str, tuple[str, float]] = {}

    def is_given_up(self, member: Member) -> bool:
        """Whether nobody starts it: a host that is not on its way, or that is dead, for long enough."""
        if member.name or self._awaited is None:
            return False
        said, now = self._ask(member), self._clock()
        before, since = self._answers.get(member.id, ("", now))
        if said != before:
            since = now
        self._answers[member.id] = (said, since)
        is_awaited = self._is_awaited(member.peer_urls)
        if said == LISTENS or (is_awaited and said == REFUSES):
            return False
        return now - since >= (_HOST_IS_DEAD if is_awaited else _NOBODY_COMES)

    def _is_awaited(self, peer_urls: Sequence[str]) -> bool:
        return self._awaited is not None and not self._awaited.isdisjoint(peer_urls)


def _answer(url: str) -> str:
    place = urlsplit(url)
    try:
        with socket.create_connection((place.hostname or "", place.port or 0), timeout=_TIMEOUT):
            return LISTENS
    except ConnectionRefusedError:
        return REFUSES
    except OSError:
        return SILENT
