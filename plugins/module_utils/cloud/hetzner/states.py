# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""States of servers, in the API's words."""

from __future__ import annotations

from typing import Any

from .cloud import Described

# The API's words -> those of other clouds, by which instances are told that work.
POWER = {"running": "running", "off": "stopped"}
_DELETING = "deleting"


def lives(server: Described) -> bool:
    """Whether it is not being deleted."""
    return bool(server["status"] != _DELETING)


def name_in(found: Described, key: str) -> str | None:
    """The name of what an object has under a key: its location, its type, its image; None if that has none."""
    named: Any = found.get(key)
    return str(named["name"]) if named and named.get("name") else None
