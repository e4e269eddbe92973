# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which instance a Node is of, as far as the Node itself says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.instance_ids import InstanceIds


def claimed_id(node: Mapping[str, Any], ids: InstanceIds) -> str:
    """The id of the instance that a Node claims to be, by its provider id; "" if it has none, as on bare metal."""
    return ids.id_in(str((node.get("spec") or {}).get("providerID") or ""))


def certain_id(node: Mapping[str, Any], ids: InstanceIds) -> str:
    """The id of the instance that a Node was made for; "" if its name and its provider id do not agree on one.

    A kubelet's certificate holds the name, while the provider id is what the Node says of itself.
    """
    name, claimed = str(node["metadata"]["name"]), claimed_id(node, ids)
    if ids.is_id(name):
        return name if claimed in ("", name) else ""
    return claimed if ids.is_id(claimed) else ""
