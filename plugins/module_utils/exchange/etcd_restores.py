# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A restore of etcd in a cloud: what a controller asks for in the store, and what control planes say of it there.

The order is one file, written by the controller three times: without hosts (who is there?), with hosts and members
(make new data), and with ``go``. Until then nothing is interrupted, and the order may be withdrawn. From then on the
hosts go on by themselves: each one begins a phase when all of them report the phase before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from ..base.errors import KopsError

# Below the directory "control" beside the backups of the first etcd cluster; one report for each host.
ORDER, REPORTS = "kubeops-restore.json", "kubeops-restore"
PRESENT, PREPARED, STOPPED, SWAPPED, STARTED = PHASES = ("present", "prepared", "stopped", "swapped", "started")

Document = TypeVar("Document", bound="_Document")


@dataclass(frozen=True)
class _Document:
    @classmethod
    def read(cls: type[Document], content: bytes) -> Document:
        """The content of a file. What later versions say besides is passed over. Raises KopsError."""
        try:
            data = json.loads(content)
            return cls(**{each.name: data[each.name] for each in fields(cls) if each.name in data})
        except (ValueError, TypeError) as error:
            raise KopsError(f"a file of a restore of etcd cannot be read: {error}") from error

    def text(self) -> bytes:
        """The file."""
        return (json.dumps(vars(self), indent=1, sort_keys=True) + "\n").encode()


@dataclass(frozen=True)
class Order(_Document):
    """What is to be restored.

    restore: its name, a time ("20260508T120000Z"). backups: etcd cluster -> URL of the backup's directory. hosts: that
    take part; empty as long as that is not known. members: of all hosts, as node_info returns them. go: whether the
    members are to be stopped now. ended: whether a controller has seen that all hosts have started.
    """

    restore: str
    backups: Mapping[str, str]
    hosts: list[str] = field(default_factory=list)
    members: list[dict[str, Any]] = field(default_factory=list)
    go: bool = False
    ended: bool = False


@dataclass(frozen=True)
class HostReport(_Document):
    """What a host has done. phase: the last one that is complete. error: what keeps it from the next one.

    members: of the etcd clusters of the restore, as node_info returns them.
    """

    restore: str
    host: str
    phase: str
    error: str = ""
    members: list[dict[str, Any]] = field(default_factory=list)

    def has(self, phase: str) -> bool:
        """Whether a phase is complete."""
        return PHASES.index(self.phase) >= PHASES.index(phase)


def order_of(control: str) -> str:
    """URL of the order. control: of the directory."""
    return f"{control.rstrip('/')}/{ORDER}"


def report_of(control: str, host: str) -> str:
    """URL of a host's report."""
    return f"{control.rstrip('/')}/{REPORTS}/{host}.json"
