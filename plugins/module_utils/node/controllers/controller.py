# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What controllers are, and how one is run while its control plane leads."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from ...base.errors import KopsError
from ...kubernetes.client import KubernetesClient
from ..boot.instance import Instance
from ..boot.waiting import say
from .lease import LostLease, Term
from .settings import Settings

_FIRST_PAUSE, _LAST_PAUSE = 1.0, 60.0


@dataclass(frozen=True)
class Work:
    """What a controller works with while its control plane leads.

    settings: of the process. client: of the local API server; it refuses all requests after the term. instance: the
    cloud. term: a controller that waits does so by term.wait(), and calls term.check() before it writes elsewhere.
    """

    settings: Settings
    client: KubernetesClient
    instance: Instance
    term: Term


@dataclass(frozen=True)
class Controller:
    """A task that the leader does again and again.

    name: in the journal. period: seconds between the end of one round and the start of the next. start: is called when
    a control plane begins to lead, and gives the function that does a round. Whatever both raise is said and tried
    again, with growing pauses.
    """

    name: str
    period: float
    start: Callable[[Work], Callable[[], None]]


def run(controller: Controller, work: Work) -> None:
    """Run a controller until the term ends. Other controllers do not notice what it raises."""
    round_of: Callable[[], None] | None = None
    told, pause = "", _FIRST_PAUSE
    while not work.term.ended:
        try:
            round_of = round_of or controller.start(work)
            round_of()
        except LostLease:
            return
        except Exception as error:
            # Each reason once; what fails for an hour does not fill the journal.
            if (reason := _reason(error)) != told and not work.term.ended:
                say(f"{controller.name}: {reason}")
            told = reason
            work.term.wait(pause)
            pause = min(2 * pause, max(_LAST_PAUSE, controller.period))
            continue
        if told:
            say(f"{controller.name}: works again")
        told, pause = "", _FIRST_PAUSE
        work.term.wait(controller.period)


def _reason(error: Exception) -> str:
    if isinstance(error, (KopsError, OSError)):
        return str(error) or type(error).__name__
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"
