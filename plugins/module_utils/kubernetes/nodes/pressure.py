# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes are short of: such a node is ready, but it takes no new pods, and ends others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

# Conditions of the kubelet, each with a taint of its name.
_OF = {"DiskPressure": "disk", "MemoryPressure": "memory", "PIDPressure": "process ids"}


def pressures(nodes: Iterable[Mapping[str, Any]]) -> list[str]:
    """A line for each thing that nodes are short of, with their names."""
    short: dict[str, list[str]] = {}
    for node in nodes:
        for condition in (node.get("status") or {}).get("conditions") or ():
            if condition.get("type") in _OF and condition.get("status") == "True":
                short.setdefault(condition["type"], []).append(node["metadata"]["name"])
    return [
        f"{kind}, so no new pods: too little {_OF[kind]} on {', '.join(sorted(short[kind]))}" for kind in sorted(short)
    ]
