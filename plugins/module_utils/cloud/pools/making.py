# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Making the servers of a pool outside of an update, and waiting for what a cloud does later."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from ...base.errors import KopsError
from ...engine.executor import apply_plan
from ...engine.planner import make_plan
from ...engine.task import Task, TryAgainLater
from ..errors import Exists
from ..reads import Reads

CloudT = TypeVar("CloudT", bound=Reads)
# Seconds between two looks.
_PAUSE = 1.0


def make_now(cloud: CloudT, tasks: Iterable[Task[CloudT]], explain: Callable[[BaseException], KopsError]) -> None:
    """Make what does not exist of these tasks, as an update would. Raises KopsError.

    explain: of the cloud's errors.py.
    """

    def sentence(error: BaseException) -> str:
        return str(explain(error))

    plan = make_plan({each.key: each for each in tasks}, cloud, explain=sentence)
    apply_plan(plan, cloud, explain=sentence, is_conflict=lambda error: isinstance(error, Exists))


def nothing_to_make_from(group: str) -> KopsError:
    """What is said where the state store has no template of a group's servers."""
    return KopsError(f"the state store does not say what servers of {group} are made from: run update_cluster")


def until(end: float, do: Callable[[], object]) -> None:
    """Do it again as long as it cannot be done yet. end: by time.monotonic(). Raises KopsError when that is over."""
    while True:
        try:
            do()
            return
        except TryAgainLater:
            if time.monotonic() > end:
                raise
            time.sleep(_PAUSE)


def wait_until_gone(name: str, seconds: float, is_gone: Callable[[], bool]) -> None:
    """Wait for a server that was deleted. Raises KopsError if it stays."""
    end = time.monotonic() + seconds
    while not is_gone():
        if time.monotonic() > end:
            raise KopsError(f"server {name} is still there {seconds:.0f} s after it was deleted")
        time.sleep(_PAUSE)
