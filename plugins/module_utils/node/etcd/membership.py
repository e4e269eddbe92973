# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is a member of an etcd cluster: members come, are replaced, and go, and the majority is never at stake.

A member comes as a learner: it has no vote until it has all data, so that a host that does not get to start harms
nobody. It promotes itself (etcd_join). etcd takes in one learner at a time; one that nobody starts makes room
(etcd_unstarted).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from ...base.errors import KopsError
from .client import EtcdClient, EtcdError, Member, in_order, majority
from .manifest import LocalMember
from .unstarted import Unstarted, has_never_started

# For a while after a member has started or has gone, etcd refuses to change who is a member.
_TIMEOUT, _PAUSE = 60.0, 1.0
_TRANSIENT = ("unhealthy cluster", "too many requests", "no leader", "request timed out", "leader changed")
_TOO_MANY, _GONE = "too many learner", "member not found"
_ALIVE_TIMEOUT = 3.0


@dataclass(frozen=True)
class Membership:
    """Members before and after; in check mode as they would be."""

    before: list[Member]
    after: list[Member]

    @property
    def changed(self) -> bool:
        """Whether anybody came or went."""
        return self.before != self.after

    def initial_cluster(self) -> str:
        """What a member is started with that joins now."""
        return ",".join(f"{member.name}={url}" for member in self.after for url in member.peer_urls)


@dataclass(frozen=True)
class NewMember:
    """A member as it is wanted. fresh: its host has no data, so that who was this member before cannot come back."""

    name: str
    peer_urls: tuple[str, ...]
    fresh: bool = False

    def as_member(self) -> Member:
        """Before etcd has given it an id."""
        return Member("", self.name, self.peer_urls, learner=True)


class MemberList:
    """The list of a cluster's members, seen from a host that has one of them. root: "/", but for tests."""

    def __init__(self, local: LocalMember, root: str = "/", timeout: float = _TIMEOUT) -> None:
        self._client = local.client(root)
        self._tls = local.tls(root)
        self._timeout = timeout

    def members(self) -> list[Member]:
        """All members. Raises EtcdError, also without a majority."""
        return self._client.members()

    def ensure(
        self, wanted: NewMember, *, wait: float = 0, awaited: Iterable[str] | None = None, check: bool = False
    ) -> Membership:
        """Make the newcomer a member; a dead member of its name, or of its address when it is fresh, goes first.

        wait: seconds for which another learner that is being taken in is waited for. awaited: addresses of those whose
        hosts are on their way; one that never started, and is none of these, goes, too. None takes all for such.
        Raises KopsError, and nothing is done, when that one takes longer, when the old member is alive, or when a
        majority would not be left.
        """
        deadline, unstarted = time.monotonic() + wait, Unstarted(awaited)
        while True:
            before = self.members()
            gone = self._replaced(before, wanted)
            staying = [member for member in before if member not in gone]
            present = _at(staying, wanted.peer_urls)
            if present:
                return Membership(_called(before, present, wanted.name), _called(staying, present, wanted.name))
            for member in gone:
                self._check_removal(before, member)
            if check:
                return Membership(before, in_order([*staying, wanted.as_member()]))
            learner = next((member for member in staying if member.learner), None)
            if learner is not None and unstarted.is_given_up(learner):
                gone, learner = [*gone, learner], None
            if learner is None and self._replace(gone, wanted):
                return Membership(before, self._as_wanted(wanted))
            if time.monotonic() >= deadline:
                raise KopsError(
                    f"etcd takes in one member at a time, and {_described(learner)} has no vote after {wait:g} s: "
                    "let its host start and get to the end first, or remove it"
                )
            time.sleep(_PAUSE)

    def remove(
        self, name: str, peer_urls: Sequence[str] = (), *, unstarted: bool = False, check: bool = False
    ) -> Membership:
        """Make sure that no member has the name or one of the addresses. unstarted: but one that has started stays.

        Raises KopsError when the others would have no majority, or there are no others.
        """
        before = self.members()
        going = [member for member in before if (name and member.name == name) or _shares(member, peer_urls)]
        going = [member for member in going if not unstarted or has_never_started(member)]
        after = [member for member in before if member not in going]
        if len(going) > 1:
            raise KopsError(f"{' and '.join(map(_described, going))} are several members; name one")
        for member in going:
            self._check_removal(before, member)
            if not check:
                self._patiently(partial(self._remove, member))
        return Membership(before, after)

    def _replaced(self, members: Sequence[Member], wanted: NewMember) -> list[Member]:
        """The members that cannot stay beside the newcomer."""
        gone = []
        for member in members:
            here = _shares(member, wanted.peer_urls)
            if here and member.name not in ("", wanted.name):
                raise KopsError(
                    f"{_described(member)} has the address that {wanted.name} shall have; remove it first, "
                    "or give one of them another address"
                )
            if member.name == wanted.name and (wanted.fresh or not here):
                if self._is_alive(member):
                    raise KopsError(
                        f"{_described(member)} is alive, so that no other can take its place; remove it first"
                    )
                gone.append(member)
        return gone

    def _check_removal(self, members: Sequence[Member], going: Member) -> None:
        if going.learner:
            return
        others = [member for member in members if not member.learner and member != going]
        if not others:
            raise KopsError(f"{_described(going)} is the only member that votes; restore a backup instead")
        alive = [member for member in others if self._is_alive(member)]
        needed = majority(len(others))
        if len(alive) < needed:
            dead = ", ".join(_described(member) for member in others if member not in alive)
            raise KopsError(
                f"without {_described(going)}, {needed} of {len(others)} members have to be there, and {len(alive)} "
                f"are; bring back first: {dead}"
            )

    def _is_alive(self, member: Member) -> bool:
        try:
            asked = EtcdClient(member.client_urls, self._tls, _ALIVE_TIMEOUT)
            return asked.status().id == member.id
        except EtcdError:
            return False

    def _replace(self, gone: Sequence[Member], wanted: NewMember) -> bool:
        """Whether the newcomer is in; not when somebody else was faster."""
        for member in gone:
            self._patiently(partial(self._remove, member))
        try:
            self._patiently(partial(self._add, wanted))
        except EtcdError as error:
            if _TOO_MANY not in str(error):
                raise
            return False
        return True

    def _remove(self, member: Member) -> None:
        try:
            self._client.remove(member)
        except EtcdError as error:
            # Somebody else was faster, or the answer to an attempt was lost.
            if _GONE not in str(error):
                raise

    def _add(self, wanted: NewMember) -> None:
        # An attempt whose answer was lost may have done it.
        if not _at(self.members(), wanted.peer_urls):
            self._client.add_learner(wanted.peer_urls)

    def _as_wanted(self, wanted: NewMember) -> list[Member]:
        members = self.members()
        present = _at(members, wanted.peer_urls)
        return _called(members, present, wanted.name) if present else members

    def _patiently(self, act: Callable[[], object]) -> None:
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                act()
                return
            except EtcdError as error:
                if time.monotonic() >= deadline or not any(words in str(error) for words in _TRANSIENT):
                    raise
            time.sleep(_PAUSE)


def _shares(member: Member, peer_urls: Iterable[str]) -> bool:
    return not set(member.peer_urls).isdisjoint(peer_urls)


def _at(members: Iterable[Member], peer_urls: Iterable[str]) -> Member | None:
    return next((member for member in members if _shares(member, peer_urls)), None)


def _called(members: Iterable[Member], known: Member, name: str) -> list[Member]:
    """The members, one of which has not started yet and so has no name, under the name that it will have."""
    return in_order(member.called(name) if member == known else member for member in members)


def _described(member: Member | None) -> str:
    if member is None:
        return "another"
    return f"{member.name or 'the member that has not started'} ({', '.join(member.peer_urls)})"
