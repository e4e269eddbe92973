# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filesystems on devices: what a device holds, and a filesystem on one that holds nothing."""

from __future__ import annotations

from ...base.errors import KopsError
from ...exchange.items import Volume
from .host import Host

# What blkid ends with when a device holds nothing that it knows.
_NOTHING = 2


def filesystem_of(host: Host, volume: Volume, *, alone: bool = False) -> str:
    """The filesystem on a device, "" for nothing at all. alone: when nobody else works on it.

    Raises KopsError for anything else than is wanted.
    """
    command = ["blkid", "--probe", "--match-tag", "TYPE", "--output", "value", volume.device]
    outcome = host.run(*(["flock", volume.device] if alone else []), *command)
    found = outcome.output.strip()
    if outcome.code not in (0, _NOTHING):
        raise KopsError(f"{volume.label}: {volume.device} cannot be looked at: {outcome.last_output()}")
    if outcome.code == 0 and found != volume.filesystem:
        raise KopsError(
            f"{volume.label}: {volume.device} holds {found or 'a partition table'} rather than {volume.filesystem}; "
            "nothing is written to it"
        )
    return found


def make_filesystem(host: Host, volume: Volume) -> None:
    """Format a device that holds nothing at all. Raises KopsError."""
    # Formatting goes on when a converger is killed: the lock waits for its end.
    if filesystem_of(host, volume, alone=True) == "":
        host.check_output("flock", volume.device, f"mkfs.{volume.filesystem}", *volume.format_options, volume.device)
