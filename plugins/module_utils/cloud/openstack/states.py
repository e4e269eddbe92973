# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""States of a server: what Nova's words for them mean, and what it prints."""

from __future__ import annotations

from .cloud import Described, OpenStackCloud
from .kinds import SERVER

FAILED = "ERROR"
# Nova is deleting it, or has done so and keeps it for a while.
ENDED = ("DELETED", "SOFT_DELETED")
# Nova's words -> those of other clouds, by which instances are told that work.
POWER = {"ACTIVE": "running", "SHUTOFF": "stopped"}


def has_ended(server: Described | None) -> bool:
    """Whether it is gone, or Nova keeps it for a while after its deletion. server: None for one that is not found."""
    return server is None or server["status"] in ENDED


def lives(server: Described) -> bool:
    """Whether it is not being deleted."""
    return server["status"] not in ENDED and server.get("OS-EXT-STS:task_state") != "deleting"


def console_of(cloud: OpenStackCloud, server: Described, lines: int) -> str:
    """The last lines that a server has printed. Raises KopsError, also where the cloud has no consoles."""
    asked, doing = {"os-getConsoleOutput": {"length": lines}}, f"read the console of server {server['name']}"
    return str(cloud.question(SERVER, f"/{server['id']}/action", asked, doing).get("output") or "")
