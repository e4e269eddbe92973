# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacement of servers in clouds without groups of instances: the group's size is kept by whoever replaces them.

Nothing is remembered between runs: a server that was detached says so, and with it which size its group has.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar

from ..instances import CloudInstance
from ..reads import Reads
from ..replacing import Replacing
from .numbers import Numbers

CloudT = TypeVar("CloudT", bound=Reads)
CloudT_contra = TypeVar("CloudT_contra", bound=Reads, contravariant=True)


class Pool(Protocol[CloudT_contra]):
    """What a cloud gives. What is said to be now is read anew. group: name of an instance group."""

    def numbers(self, cloud: CloudT_contra, group: str) -> Numbers:
        """Those of a group now."""

    def groups(self, cloud: CloudT_contra) -> dict[str, Numbers]:
        """All groups with their numbers now."""

    def number(self, cloud: CloudT_contra, machine: CloudInstance) -> int | None:
        """The number of a server; None if its name has none."""

    def make(self, cloud: CloudT_contra, group: str, numbers: Sequence[int]) -> None:
        """Make servers as the group's are made now, with all that each has. Raises KopsError."""

    def let_go(self, cloud: CloudT_contra, group: str, numbers: Collection[int], size: int) -> None:
        """Mark servers as such that leave their group, which has that size."""

    def deregister(self, cloud: CloudT_contra, machine: CloudInstance, seconds: float) -> None:
        """As Replacing.deregister."""

    def end(self, cloud: CloudT_contra, machine: CloudInstance, for_good: bool) -> None:
        """Delete a server, and wait until it is gone. for_good: and its place. What is gone is no error."""


class PoolReplacing(Replacing[CloudT]):
    """Servers of a cloud's pool. What changes the numbers of a group is done by one thread after the other."""

    def __init__(self, pool: Pool[CloudT]) -> None:
        self._pool = pool
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        # Group -> numbers of servers that threads of this run are making.
        self._coming: defaultdict[str, set[int]] = defaultdict(set)

    def detach(self, cloud: CloudT, machine: CloudInstance) -> None:
        """Mark it; then its number is not the group's any more, and another server gets a free one."""
        with self._locks[machine.within]:
            numbers = self._pool.numbers(cloud, machine.within)
            number = self._pool.number(cloud, machine)
            if number in numbers.served:
                self._pool.let_go(cloud, machine.within, [number], numbers.size)

    def deregister(self, cloud: CloudT, machine: CloudInstance, seconds: float) -> None:
        """As the cloud does it."""
        self._pool.deregister(cloud, machine, seconds)

    def terminate(self, cloud: CloudT, machine: CloudInstance) -> None:
        """End it. Its place stays, with its addresses, unless it had left the group before."""
        numbers = self._pool.numbers(cloud, machine.within)
        self._pool.end(cloud, machine, self._pool.number(cloud, machine) in numbers.leaving)

    def replenish(self, cloud: CloudT, group: str) -> None:
        """Make the servers that a group lacks, beside those that another thread is making."""
        coming = self._coming[group]
        with self._locks[group]:
            now = self._pool.numbers(cloud, group)
            numbers = Numbers(now.served | coming, now.empty - coming, now.leaving).lacking()
            coming.update(numbers)
        try:
            if numbers:
                self._pool.make(cloud, group, numbers)
        finally:
            with self._locks[group]:
                coming.difference_update(numbers)

    def lacking(self, cloud: CloudT) -> dict[str, int]:
        """By their numbers."""
        found = {group: len(numbers.lacking()) for group, numbers in self._pool.groups(cloud).items()}
        return {group: count for group, count in found.items() if count}

    def remove(self, cloud: CloudT, machine: CloudInstance, wanted: int, fixed: bool) -> None:
        """End it with its place. Those that leave the group are told of its new size."""
        with self._locks[machine.within]:
            leaving = self._pool.numbers(cloud, machine.within).leaving
            self._pool.end(cloud, machine, for_good=True)
            self._pool.let_go(cloud, machine.within, leaving, wanted)
