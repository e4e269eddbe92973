# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State of systemd units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...base.errors import CommandError
from .host import Host, last_lines

DIRECTORY = "/etc/systemd/system"
# What systemd reads about itself, together with units.
MANAGER_DIRECTORY = "/etc/systemd/system.conf.d"
LOG_LINES = 20
_PROPERTIES = "ActiveState,SubState,UnitFileState,Type,Result,NeedDaemonReload,NRestarts"


@dataclass(frozen=True)
class UnitStatus:
    """A unit's properties, as systemctl shows them."""

    active: str
    sub: str
    file_state: str
    type: str
    result: str
    needs_reload: bool
    restarts: int

    @property
    def is_running(self) -> bool:
        """Whether it runs or starts; also true for a unit that crashes and is restarted again and again."""
        return self.active in ("active", "reloading", "activating", "refreshing")

    @property
    def is_enabled(self) -> bool:
        """Whether it is explicitly enabled to start at boot."""
        return self.file_state in ("enabled", "enabled-runtime")

    @property
    def can_be_enabled(self) -> bool:
        """Whether it can be enabled: static units cannot."""
        return self.file_state in ("disabled", "linked", "linked-runtime", "")

    @property
    def is_done(self) -> bool:
        """Whether it is a oneshot unit that ended successfully."""
        return self.type == "oneshot" and self.active == "inactive" and self.result == "success"


def show(host: Host, units: Sequence[str]) -> dict[str, UnitStatus]:
    """Status of units by name, from one call of systemctl. Raises CommandError."""
    if not units:
        return {}
    output = host.check_output("systemctl", "show", f"--property={_PROPERTIES}", "--", *units)
    blocks = [block for block in output.strip("\n").split("\n\n") if block]
    if len(blocks) != len(units):
        raise CommandError(f"systemctl shows {len(blocks)} units instead of {len(units)}")
    return {name: _found(block) for name, block in zip(units, blocks)}


def state_of(found: UnitStatus) -> dict[str, Any]:
    """A unit's state as reports show it."""
    return {"enabled": found.is_enabled, "state": "started" if found.is_running else "stopped"}


def journal(host: Host, unit: str, lines: int = LOG_LINES) -> str:
    """The last lines of a unit's journal; "" if there is none."""
    command = ("journalctl", "--no-pager", "--quiet", "--output=short-iso", f"--lines={lines}", f"--unit={unit}")
    return last_lines(host.run(*command, timeout=20).output, lines)


def _found(block: str) -> UnitStatus:
    values = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
    restarts = values.get("NRestarts", "")
    return UnitStatus(
        active=values.get("ActiveState", ""),
        sub=values.get("SubState", ""),
        file_state=values.get("UnitFileState", ""),
        type=values.get("Type", ""),
        result=values.get("Result", ""),
        needs_reload=values.get("NeedDaemonReload") == "yes",
        restarts=int(restarts) if restarts.isdigit() else 0,
    )
