# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module ends with the process that waits for its result.

Without a terminal, which pipelining does not have, nothing else tells a module that Ansible or its connection is gone.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
from collections.abc import Iterator

_GONE = select.POLLERR | select.POLLHUP
_POLL_MILLISECONDS = 200


@contextlib.contextmanager
def ends_with_reader() -> Iterator[None]:
    """End this process at once if nobody can read its standard output any more while the block runs."""
    done = threading.Event()
    threading.Thread(target=_watch, args=(sys.stdout.fileno(), done), name="reader", daemon=True).start()
    try:
        yield
    finally:
        done.set()


def _watch(output: int, done: threading.Event) -> None:
    poll = select.poll()
    # Errors and hang-ups are always reported. A file never has any.
    poll.register(output, 0)
    while not done.is_set():
        if any(event & _GONE for _descriptor, event in poll.poll(_POLL_MILLISECONDS)):
            os._exit(1)
