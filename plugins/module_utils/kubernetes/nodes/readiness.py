# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The condition Ready, which nodes and pods have alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

READY = "Ready"


def ready_condition(obj: Mapping[str, Any]) -> Mapping[str, Any]:
    """The condition itself, with its reason and the time of its last change; empty if there is none."""
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each.get("type") == READY), {})


def ready_status(obj: Mapping[str, Any]) -> str:
    """True, False or Unknown; the last also if nothing was ever said of it."""
    return str(ready_condition(obj).get("status") or "Unknown")


def is_ready(obj: Mapping[str, Any]) -> bool:
    """Whether a node's kubelet, or a pod, says that it works, and has said so lately."""
    return ready_status(obj) == "True"
