# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The zones of a new cluster have to exist, where the cloud can be asked."""

from __future__ import annotations

from ....base.errors import FieldError, ValidationError
from ..draft import Draft


def check_zones_exist(draft: Draft) -> None:
    """Raise ValidationError with all zones that the region does not have."""
    options = draft.options
    known = draft.facts.zones() if draft.cloud.lists_zones else []
    missing = [zone for zone in draft.all_zones if known and zone not in known]
    if missing:
        allowed = f"does not exist; {draft.facts.region} has {', '.join(known)}"
        raise ValidationError(
            [
                FieldError("NotFound", "zones" if zone in options.zones else "control_plane_zones", allowed, zone)
                for zone in missing
            ],
            "create_cluster",
        )
