# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What DigitalOcean's words for the state of an object mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Of droplets. One that is deleted is gone from lists at once.
COMING, RUNNING, OFF, ARCHIVED = "new", "active", "off", "archive"
POWER = {RUNNING: "running", OFF: "stopped"}
# Of load balancers.
ERRORED = "errored"
# Of actions.
IN_PROGRESS, COMPLETED = "in-progress", "completed"


def lives(droplet: Mapping[str, Any]) -> bool:
    """Whether it is not put away."""
    return droplet.get("status") != ARCHIVED
