# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The difference between two objects, without their common parts."""

from __future__ import annotations

from typing import Any


def differences(before: Any, after: Any) -> tuple[Any, Any]:
    """The parts of two mappings that differ, with the keys that lead to them. Lists are compared as a whole."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return before, after
    old, new = {}, {}
    for key in {**before, **after}:
        if key not in after:
            old[key] = before[key]
        elif key not in before:
            new[key] = after[key]
        elif before[key] != after[key]:
            old[key], new[key] = differences(before[key], after[key])
    return old, new
