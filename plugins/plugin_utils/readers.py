# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run outlives the reader of its output: `| head`, a pager that is quit, a terminal, stream or disk that is no more.

Ansible's own process shows what tasks send to it while they run. If it cannot write, the thread that takes their
results ends without a word, and the run waits for ever for results that nobody takes. Half an update is worse than one
that nobody watches. So the run goes on to its end, and what it would show is lost.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

GONE = "[WARNING]: the output cannot be written any more ({}); the run goes on to its end without it\n"


def outlive_readers() -> None:
    """Let lines of this process not fail if their reader is gone. Does nothing in the processes of tasks.

    Ansible's own process imports action plugins before it starts these: so the plugins call it when they are imported.
    """
    if multiprocessing.parent_process() is not None:
        return
    # Closed before the run (`>&-`): Python has no stream then, and Ansible writes to it all the same.
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # it stays open
    # Not what others have put in their place, such as tests.
    if sys.stdout is sys.__stdout__ and sys.stdout is not None:
        outlive(sys.stdout, lambda error: _tell(GONE.format(error.strerror)))
    if sys.stderr is sys.__stderr__ and sys.stderr is not None:
        outlive(sys.stderr, lambda error: None)


def outlive(stream: TextIO, on_loss: Callable[[OSError], None]) -> None:
    """Send what is written to a stream nowhere once writing it fails. on_loss: called then, once, with the reason."""
    buffer: Any = stream.buffer
    descriptor = stream.fileno()

    def kept(function: Callable[..., Any]) -> Callable[..., Any]:
        def keep(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except BlockingIOError as error:
                # A program that shares the terminal, such as ssh, has changed it. What was taken is not written again.
                os.set_blocking(descriptor, True)
                return function(*(each[error.characters_written :] for each in arguments))
            except OSError as error:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, descriptor, inheritable=False)
                os.close(nowhere)
                on_loss(error)
                return function(*arguments)

        return keep

    # Text streams call these two for all that they write. Ansible wraps them as well, for its locks.
    buffer.write = kept(buffer.write)
    buffer.flush = kept(buffer.flush)


def _tell(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()
