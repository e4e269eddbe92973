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
from ...exchange.settings import ControllersSettings
from ...kubernetes.client import KubernetesClient
from ...kubernetes.controllers import Problem
from ..cloud.instance import Instance
from ..stores.store import Store
from ..system.waiting import say
from .lease import LostLease, Term

_FIRST_PAUSE, _LAST_PAUSE = 1.0, 60.0


@dataclass(frozen=True)
class Work:
    """What a controller works with while its control plane leads.

    settings: of the process. client: of the local API server; it refuses all requests after the term. instance: the
    cloud. store: the state store. term: a controller that waits does so by term.wait(), and calls term.check() before
    it writes elsewhere.
    """

    settings: ControllersSettings
    client: KubernetesClient
    instance: Instance
    store: Store
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
    problem = Problem(work.client, controller.name)
    round_of: Callable[[], None] | None = None
    told, pause = "", _FIRST_PAUSE
    try:
        while not work.term.ended:
            reason = ""
            try:
                round_of = round_of or controller.start(work)
                round_of()
            except LostLease:
                raise
            except Exception as error:
                reason = _reason(error)
            problem.tell(reason)
            # Each reason once; what fails for an hour does not fill the journal.
            if reason != told:
                say(f"{controller.name}: {reason or 'works again'}")
            told = reason
            work.term.wait(pause if reason else controller.period)
            pause = min(2 * pause, max(_LAST_PAUSE, controller.period)) if reason else _FIRST_PAUSE
    except LostLease:
        return


def _reason(error: Exception) -> str:
    if isinstance(error, (KopsError, OSError)):
        return str(error) or type(error).__name__
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"
