# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of etcd membership: members are added, replaced and removed without risk for the majority.

A new member is a learner: it has no vote until it has all data, so a host that fails to start does no harm. It is
promoted by its own host (join.py). etcd allows one learner at a time; a learner that never started is removed if its
host does not come (unstarted.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from ...base.errors import KopsError
from .client import EtcdClient, EtcdError, Member, in_order, majority
from .unstarted import Unstarted, answer, has_never_started

# For a while after a member has started or was removed, etcd refuses membership changes.
_TIMEOUT, _PAUSE = 60.0, 1.0
_TRANSIENT = ("unhealthy cluster", "too many requests", "no leader", "request timed out", "leader changed")
_TOO_MANY, _GONE = "too many learner", "member not found"
_ALIVE_TIMEOUT = 3.0


@dataclass(frozen=True)
class Membership:
    """Members before and after the change; in check mode as they would be."""

    before: list[Member]
    after: list[Member]

    @property
    def changed(self) -> bool:
        """Whether members were added or removed."""
        return self.before != self.after

    def initial_cluster(self) -> str:
        """Value of --initial-cluster for a member that joins now."""
        return ",".join(f"{member.name}={url}" for member in self.after for url in member.peer_urls)


@dataclass(frozen=True)
class NewMember:
    """A member to add. fresh: its host has no data, so an earlier member with this address cannot return."""

    name: str
    peer_urls: tuple[str, ...]
    fresh: bool = False

    def as_member(self) -> Member:
        """The member before etcd gives it an id."""
        return Member("", self.name, self.peer_urls, learner=True)


class MemberList:
    """The members of an etcd cluster, changed by a client of it."""

    def __init__(self, client: EtcdClient, timeout: float = _TIMEOUT) -> None:
        self._client, self._timeout = client, timeout

    def members(self) -> list[Member]:
        """All members. Raises EtcdError, also if there is no majority."""
        return self._client.members()

    def ensure(
        self, wanted: NewMember, *, wait: float = 0, awaited: Iterable[str] | None = None, check: bool = False
    ) -> Membership:
        """Add a member, after removing a dead member with its name (or with its address, if the new one is fresh).

        wait: seconds to wait for another learner to be promoted. awaited: peer URLs of members whose hosts are set
        up; a member that never started and is not one of these is removed. None means all members are awaited.
        Raises KopsError, without any change, if the other learner takes longer, if the old member is alive, or if the
        removal would leave no majority.
        """
        deadline = time.monotonic() + wait
        unstarted = Unstarted(awaited, partial(answer, places=self._client.places))
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
                    f"etcd adds one member at a time, and {_described(learner)} is still a learner after {wait:g} s: "
                    "complete the setup of its host first, or remove it"
                )
            time.sleep(_PAUSE)

    def remove(
        self, name: str, peer_urls: Sequence[str] = (), *, unstarted: bool = False, check: bool = False
    ) -> Membership:
        """Remove the member with this name or one of these URLs. unstarted: only if it has never started.

        Raises KopsError if the other members would have no majority, or if there are none.
        """
        before = self.members()
        going = [member for member in before if (name and member.name == name) or _shares(member, peer_urls)]
        going = [member for member in going if not unstarted or has_never_started(member)]
        after = [member for member in before if member not in going]
        if len(going) > 1:
            raise KopsError(f"{' and '.join(map(_described, going))} are different members; name one of them")
        for member in going:
            self._check_removal(before, member)
            if not check:
                self._patiently(partial(self._remove, member))
        return Membership(before, after)

    def _replaced(self, members: Sequence[Member], wanted: NewMember) -> list[Member]:
        """The members that the new one replaces."""
        gone = []
        for member in members:
            here = _shares(member, wanted.peer_urls)
            if here and member.name not in ("", wanted.name):
                raise KopsError(
                    f"{_described(member)} has the address of the new member {wanted.name}; remove it first, "
                    "or give one of them another address"
                )
            if member.name == wanted.name and (wanted.fresh or not here):
                if self._is_alive(member):
                    raise KopsError(f"{_described(member)} is alive, so it cannot be replaced; remove it first")
                gone.append(member)
        return gone

    def _check_removal(self, members: Sequence[Member], going: Member) -> None:
        if going.learner:
            return
        others = [member for member in members if not member.learner and member != going]
        if not others:
            raise KopsError(f"{_described(going)} is the only voter; restore a backup instead")
        alive = [member for member in others if self._is_alive(member)]
        needed = majority(len(others))
        if len(alive) < needed:
            dead = ", ".join(_described(member) for member in others if member not in alive)
            raise KopsError(
                f"without {_described(going)}, {needed} of {len(others)} members must be available, but {len(alive)} "
                f"are; start these first: {dead}"
            )

    def _is_alive(self, member: Member) -> bool:
        try:
            return self._client.at(member.client_urls, _ALIVE_TIMEOUT).status().id == member.id
        except EtcdError:
            return False

    def _replace(self, gone: Sequence[Member], wanted: NewMember) -> bool:
        """Whether the member was added; not if another host added one first."""
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
            # Another host was faster, or the answer to an earlier attempt was lost.
            if _GONE not in str(error):
                raise

    def _add(self, wanted: NewMember) -> None:
        # An earlier attempt whose answer was lost may have succeeded.
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
    """The members, with the given name for the one that has not started yet and so has none."""
    return in_order(member.called(name) if member == known else member for member in members)


def _described(member: Member | None) -> str:
    if member is None:
        return "another"
    return f"{member.name or 'the member that has not started'} ({', '.join(member.peer_urls)})"
