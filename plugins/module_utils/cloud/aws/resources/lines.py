# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An object that keeps a cluster from being deleted, as a line of text."""

from __future__ import annotations

from typing import Any


def line(kind: str, identifier: str, name: str, *, place: str = "", **said: Any) -> str:
    """Kind, id and place of an object, then its name and what else is said of it, as far as there is anything."""
    told = [f"{key.replace('_', ' ')} {value}" for key, value in {"name": name, **said}.items() if value]
    where = f" in {place}" if place else ""
    return f"{kind} {identifier}{where}" + (f" ({'; '.join(told)})" if told else "")
