# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends a process that works for another one which is gone, whatever its threads are doing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

POLL_SECONDS = 0.2


@contextmanager
def ends_when(gone: Callable[[], bool], end: Callable[[], object]) -> Iterator[None]:
    """While the block runs, ask again and again whether the other process is gone; once it is, call end.

    gone: returns at once. end: does not return.
    """
    done = threading.Event()

    def watch() -> None:
        while not gone():
            if done.wait(POLL_SECONDS):
                return
        end()

    threading.Thread(target=watch, name="watching", daemon=True).start()
    try:
        yield
    finally:
        done.set()
