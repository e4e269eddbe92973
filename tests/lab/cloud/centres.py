# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that is a cloud here (tests/lab/NAME/centre.py), beside buckets for its state stores."""

from __future__ import annotations

import pathlib
import sys
from dataclasses import dataclass

from ansible_collections.kubeops.kops.tests.lab import cache, processes
from ansible_collections.kubeops.kops.tests.lab.cloud import buckets

_LAB = f"{__package__}".rpartition(".")[0]


@dataclass(frozen=True)
class Centre:
    """The process of a cloud. name: of its folder."""

    name: str

    def start(self) -> None:
        """Start it, unless it runs, with an empty bucket for the state store. All that it knows goes when it stops."""
        if self.is_running():
            return
        self.ready.unlink(missing_ok=True)
        # What a process that broke down has left there is nobody's.
        buckets.stop()
        buckets.start()
        processes.start(self._server, [sys.executable, "-m", f"{_LAB}.{self.name}.centre"], self.ready.exists)

    def stop(self) -> None:
        """Stop it."""
        buckets.stop()
        processes.stop(self._server)

    def is_running(self) -> bool:
        """Whether it runs."""
        return processes.is_running(self._server)

    @property
    def ready(self) -> pathlib.Path:
        """The file that says that it serves, and what it has written there."""
        return cache.directory() / f"{self._server}.ready"

    @property
    def _server(self) -> str:
        return f"{self.name}-centre"
