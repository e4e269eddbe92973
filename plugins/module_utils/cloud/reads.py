# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads that are made once, for all tasks that ask: so an unchanged cluster costs one call for each kind of object."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from concurrent.futures import Future
from typing import Any, Callable, TypeVar

Result = TypeVar("Result")


class Reads:
    """Cache of a cloud's answers, and list of what will be asked for. Safe for threads.

    tell: gets a line when requests wait, as a cloud limits them; whoever has a user to tell sets it.
    """

    def __init__(self) -> None:
        self.tell: Callable[[str], None] = lambda line: None
        self._reads: dict[Hashable, Future[Any]] = {}
        self._wanted: dict[str, set[str]] = {}
        self._lock = threading.Lock()

    def once(self, read: Callable[..., Result], *arguments: Hashable) -> Result:
        """The result of read(self, *arguments), made at most once however many threads ask for it."""
        key = (read, arguments)
        with self._lock:
            future = self._reads.get(key)
            mine = future is None
            if future is None:
                future = self._reads[key] = Future()
        if mine:
            try:
                future.set_result(read(self, *arguments))
            except BaseException as error:
                with self._lock:
                    self._reads.pop(key, None)
                future.set_exception(error)
        return future.result()

    def know(self, result: Any, read: Callable[..., Any], *arguments: Hashable) -> None:
        """Take what was read elsewhere as the result of a read."""
        known: Future[Any] = Future()
        known.set_result(result)
        with self._lock:
            self._reads[(read, arguments)] = known

    def forget(self, read: Callable[..., Any], *arguments: Hashable) -> None:
        """Read anew the next time; for a task that must see what it has just written."""
        with self._lock:
            self._reads.pop((read, arguments), None)

    def forget_all(self) -> None:
        """Read everything anew the next time; for what may have been written, and nobody knows."""
        with self._lock:
            self._reads.clear()

    def want(self, kind: str, identifier: str) -> None:
        """Announce an object that is not ours by tag (a shared subnet), so that all of a kind are read in one call."""
        with self._lock:
            self._wanted.setdefault(kind, set()).add(identifier)

    def wanted(self, kind: str) -> list[str]:
        """The announced identifiers of a kind, sorted."""
        with self._lock:
            return sorted(self._wanted.get(kind, ()))


class StoredReads(Reads):
    """A client that knows where its cluster is stored. store: URL of the cluster's directory; "" if nobody knows."""

    store: str
