# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides whether a member that was added but never started will still start.

etcd allows one learner at a time, so a learner whose host failed before etcd started blocks all others. It has no data
and no vote: nothing is lost if it is removed, and if its host comes later, it is added again.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from urllib.parse import urlsplit

from .client import Member

LISTENS, REFUSES, SILENT = "listens", "refuses", "silent"
# Seconds. A living kubelet tries to start etcd more often than that.
_NOBODY_COMES = 20.0
# A host that is being set up refuses connections, but it answers.
_HOST_IS_DEAD = 60.0
_TIMEOUT = 3.0


def answer(member: Member, places: Mapping[str, str] = MappingProxyType({})) -> str:
    """What happens at the member's peer URL: it listens, refuses connections, or does not answer.

    places: host name -> address, for names that this host does not resolve.
    """
    answers = [_answer(url, places) for url in member.peer_urls]
    return next((kind for kind in (LISTENS, REFUSES) if kind in answers), SILENT)


def has_never_started(member: Member) -> bool:
    """Whether the member has no name (it gets its name when it starts) and nothing listens at its address."""
    return not member.name and answer(member) != LISTENS


class Unstarted:
    """Decides by repeated checks that a member will not start.

    awaited: peer URLs of the members whose hosts are being set up; None means all. ask, clock: for tests.
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
        # The last answer of each member, and since when it is the same.
        self._answers: dict[str, tuple[str, float]] = {}

    def is_given_up(self, member: Member) -> bool:
        """Whether the member will not start: its host is not awaited, or was dead for long enough."""
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


def _answer(url: str, places: Mapping[str, str]) -> str:
    place = urlsplit(url)
    host = place.hostname or ""
    try:
        with socket.create_connection((places.get(host, host), place.port or 0), timeout=_TIMEOUT):
            return LISTENS
    except ConnectionRefusedError:
        return REFUSES
    except OSError:
        return SILENT
