# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""New certificates for a node while it runs: a timer starts it, and mostly it finds that there is nothing to do.

It does what the next boot would do, so that it ends in the same state, and what a killed run has left is made good. The
converger restarts what does not load its certificate again by itself.
"""

from __future__ import annotations

import datetime

from ...base.errors import KopsError
from ...base.report import Report
from .. import lock
from ..certificates import RENEWED_BEFORE
from ..converge import Options
from . import node_configs
from .completeness import first_end
from .run import LOCK, Boot, prepared
from .waiting import Patience, say

# Failures are said a few times in the first minutes, and then twice an hour: there are weeks left.
PATIENCE = Patience(first_pause=5, last_pause=1800)


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
        machine = self.boot.machine
        with lock.held(machine.path(LOCK), wait=0, check=self.options.check):
            report = self.boot.become_node(self.options)
        end = self._end()
        if end is not None and not self.options.check:
            say(f"certificates are renewed: the first one ends in {_left(end).days} days")
        elif not self.options.check:
            raise KopsError("the node is not complete")
        return report


def _left(end: datetime.datetime) -> datetime.timedelta:
    return end - datetime.datetime.now(datetime.timezone.utc)
