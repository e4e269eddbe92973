# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.rollingUpdate of a cluster or an instance group."""

from __future__ import annotations

import math

from ..common import RollingUpdate
from ..scalars import IntOrString
from .problems import Problems, forbidden, invalid

_FORM = "must be a number or a percentage such as 25%"


def validate_rolling_update(update: RollingUpdate, path: str, *, control_plane: bool = False) -> Problems:
    """How many nodes may be missing or extra. control_plane: the group's members must not be doubled."""
    found: Problems = []
    unavailable: int | None = 1
    if update.max_unavailable is not None:
        # Only zero or not matters here, so percentages are taken of a small group, rounded to the careful side.
        unavailable = _scaled(update.max_unavailable, 1, up=False)
        if unavailable is None:
            found.append(invalid(f"{path}.maxUnavailable", update.max_unavailable, _FORM))
        elif unavailable < 0:
            found.append(invalid(f"{path}.maxUnavailable", update.max_unavailable, "must be 0 or more"))
    if update.max_surge is None:
        return found
    at, surge = f"{path}.maxSurge", _scaled(update.max_surge, 1000, up=True)
    if surge is None:
        found.append(invalid(at, update.max_surge, _FORM))
    elif control_plane and surge:
        found.append(forbidden(at, "must be 0 in control-plane groups: each of their etcd members exists once"))
    elif surge < 0:
        found.append(invalid(at, update.max_surge, "must be 0 or more"))
    if not surge and not unavailable:
        found.append(forbidden(at, "cannot be 0 while maxUnavailable is 0, or no node could ever be replaced"))
    return found


def _scaled(value: IntOrString, total: int, *, up: bool) -> int | None:
    if isinstance(value, int):
        return value
    try:
        share = int(value[:-1]) * total / 100 if value.endswith("%") else None
    except ValueError:
        share = None
    if share is None:
        return None
    return math.ceil(share) if up else math.floor(share)
