# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of single instance groups in the state store (kops' igconfig layout)."""

from __future__ import annotations

from ..api.instance_group import InstanceGroup
from ..exchange.store_places import GROUPS
from .context import role_directory


def location(group: InstanceGroup, file: str) -> str:
    """Path of a group's file below the cluster's directory."""
    return f"{GROUPS}/{role_directory(group)}/{group.metadata.name}/{file}"
