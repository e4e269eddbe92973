# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""New certificates for a node while it runs: a timer starts it, and mostly it finds that there is nothing to do.

It does what the next boot would do, so that it ends in the same state, and what a killed run has left is made good. The
converger restarts what does not load its certificate again by itself. Control planes do it one after the other.
"""

from __future__ import annotations

import contextlib
import datetime

from ...base.errors import KopsError
from ...base.report import Report
from ...exchange.certificates import RENEWED_BEFORE
from ...exchange.settings import KUBECONFIG
from ...kubernetes.client import KubernetesClient
from ...kubernetes.connection import RetryPolicy
from ..controllers.lease import Election, Times
from ..converge import Options
from ..system import lock
from ..system.waiting import Patience, say
from . import node_configs
from .completeness import first_end
from .run import LOCK, Boot, prepared

# Failures are said a few times in the first minutes, and then twice an hour: there are weeks left.
PATIENCE = Patience(first_pause=5, last_pause=1800)
# Of the control plane whose turn it is.
LEASE = "kubeops-renewal"
# Converging waits for all that it restarts, each for some minutes at most.
_TURN = Times(duration=3600, deadline=3600)
# If no more time is left, a node does not wait for its turn any longer.
_URGENT = datetime.timedelta(days=30)
_API = RetryPolicy(deadline=10, timeout=5)


def renew(path: str, options: Options, patience: Patience = PATIENCE) -> Report:
    """Renew the certificates of the node that boot.json at the path describes, if one of them ends soon.

    The report is empty if there is nothing to do. Raises KopsError.
    """
    boot, options = prepared(path, options, patience)
    return _Renewal(boot, options).run()


class _Renewal:
    def __init__(self, boot: Boot, options: Options) -> None:
        self.boot, self.options = boot, options
        self.sha256 = boot.place[1]
        self.election: Election | None = None

    def run(self) -> Report:
        """All of it."""
        end = self._end()
        if end is not None and _left(end) > RENEWED_BEFORE:
            say(f"certificates are not renewed yet: the first one ends in {_left(end).days} days")
            return Report(self.sha256, [], [])
        return self.boot.patience.until_done("other certificates for this node", self._attempt)

    def _end(self) -> datetime.datetime | None:
        config = node_configs.kept(self.boot.machine, self.sha256)
        return None if config is None else first_end(self.boot.machine, config, self.sha256)

    def _attempt(self) -> Report:
        """Raises KopsError, OSError. A boot that is under way makes the certificates itself."""
        machine, check = self.boot.machine, self.options.check
        with lock.held(machine.path(LOCK), wait=0, check=check):
            facts = self.boot.facts()
            if not check:
                self._take_turn(facts["NODE_NAME"])
            report = self.boot.become_node(self.options)
            end = self._end()
            if check:
                return report
            if end is None:
                raise KopsError("the node is not complete")
        say(f"certificates are renewed: the first one ends in {_left(end).days} days")
        self._give_turn()
        return report

    def _take_turn(self, node: str) -> None:
        """Raises KopsError if it is another control plane's turn, or if that is not known, and there is time."""
        end = self._end()
        # Workers are many, and what is not whole cannot wait.
        if self.boot.settings.servers is not None or end is None or _left(end) < _URGENT:
            return
        client = KubernetesClient.from_kubeconfig(self.boot.machine.path(KUBECONFIG), retry=_API)
        try:
            self.election = self.election or Election(client, node, _TURN, name=LEASE)
            self.election.client = client
            if not self.election.attempt():
                raise KopsError(f"{self.election.leader or 'another control plane'} renews its own first")
        finally:
            client.close()

    def _give_turn(self) -> None:
        if self.election is None:
            return
        # The certificate of the client may be another by now.
        self.election.client = KubernetesClient.from_kubeconfig(self.boot.machine.path(KUBECONFIG), retry=_API)
        with contextlib.suppress(KopsError):  # It ends by itself.
            self.election.release()
        self.election.client.close()


def _left(end: datetime.datetime) -> datetime.timedelta:
    return end - datetime.datetime.now(datetime.timezone.utc)
