# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of the modules that collect for a dump."""

from __future__ import annotations

from typing import Any

DUMP: dict[str, Any] = {
    "log_bytes": {"type": "int", "default": 5242880},
    "node_timeout": {"type": "int", "default": 120},
    "nodes": {"type": "list", "elements": "str", "default": []},
    "max_nodes": {"type": "int", "default": 500},
    "objects": {"type": "bool", "default": True},
    "namespaces": {"type": "list", "elements": "str", "default": []},
}
