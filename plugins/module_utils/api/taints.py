# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Taints of nodes, as the specification writes them."""

from __future__ import annotations

from ..base.errors import KopsError


def parse_taint(text: str) -> dict[str, str]:
    """``key=value:Effect`` as a taint of a Node; without a value it has none."""
    name, _colon, effect = text.partition(":")
    key, _equals, value = name.partition("=")
    if not key or not effect or ":" in effect:
        raise KopsError(f"taints: {text!r} is not of the form key=value:Effect")
    return {"key": key, "effect": effect, **({"value": value} if value else {})}
