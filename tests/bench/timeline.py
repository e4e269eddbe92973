# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a machine reached which step on its way to a node: by its journal, its files and its container.

All machines of the lab have the clock of this machine, so moments of several of them can be compared.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ansible_collections.kubeops.kops.tests.lab.commands import run

# MESSAGE_ID of systemd's lines (sd-messages.h).
STARTING, STARTED = "7d4958e842da4a758f6c1cdc7b36dcc5", "39f53479d3a045ac8e11786248231fbf"
_FIELDS = "MESSAGE,MESSAGE_ID,UNIT,_SYSTEMD_UNIT"


class Line(NamedTuple):
    """A line of a journal. seconds: since 1970. unit: whose process wrote it, or of which systemd speaks."""

    seconds: float
    unit: str
    message: str
    kind: str


class Machine:
    """A container of the lab."""

    def __init__(self, container: str) -> None:
        self.container = container
        self._lines = list(_lines(self._within("journalctl", "--no-pager", "-o", "json", f"--output-fields={_FIELDS}")))

    def started(self) -> float:
        """When its first process was started."""
        form = '{{.State.StartedAt.UTC.Format "2006-01-02T15:04:05.000000"}}'
        said = run("podman", "inspect", "--format", form, self.container)
        return datetime.datetime.fromisoformat(said.strip()).replace(tzinfo=datetime.timezone.utc).timestamp()

    def unit(self, name: str, kind: str = STARTED) -> float | None:
        """When systemd first said that of a unit."""
        return _first(line for line in self._lines if line.unit == name and line.kind == kind)

    def said(self, unit: str, text: str) -> float | None:
        """When the process of a unit first wrote a line with this text."""
        return _first(line for line in self._lines if line.unit == unit and text in line.message)

    def written(self, directory: str, pattern: str = "*") -> float | None:
        """When the last of these files was written."""
        found = self._within("find", directory, "-type", "f", "-name", pattern, "-printf", "%T@\n")
        return max(map(float, found.split()), default=None)

    def _within(self, *command: str) -> str:
        return run("podman", "exec", self.container, *command)


def _lines(journal: str) -> Iterator[Line]:
    for text in journal.splitlines():
        found = json.loads(text)
        unit = found.get("UNIT") or found.get("_SYSTEMD_UNIT") or ""
        seconds = int(found["__REALTIME_TIMESTAMP"]) / 1e6
        yield Line(seconds, unit, str(found.get("MESSAGE") or ""), found.get("MESSAGE_ID") or "")


def _first(lines: Iterable[Line]) -> float | None:
    return next((line.seconds for line in lines), None)
