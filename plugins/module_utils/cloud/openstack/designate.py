# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The zones and records of a project in Designate."""

from __future__ import annotations

from typing import Any

from .cloud import OpenStackCloud
from .errors import explain
from .kinds import record_set


def zones(cloud: OpenStackCloud) -> list[dict[str, Any]]:
    """All zones that the project has; none where the cloud has no Designate. Raises KopsError."""
    try:
        if not cloud.offers("dns"):
            return []
        return [each.to_dict(computed=False, original_names=True) for each in cloud.service("dns").zones()]
    except Exception as error:
        raise explain(error, "reading the zones of names") from error


def records(cloud: OpenStackCloud, zone: str) -> list[dict[str, Any]]:
    """All record sets of a zone, by its id. Raises KopsError."""
    return cloud.read(record_set(zone), zone=zone)
