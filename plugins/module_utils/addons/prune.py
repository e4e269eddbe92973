# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects are deleted when they are removed from an addon, as the index says it (pruning.go of kops)."""

from __future__ import annotations

from typing import Any

from ..kubernetes.addons.pruned import MANAGER_LABEL, NAME_LABEL, PRUNED_KINDS
from .addon import Addon


def prune_specification(addon: Addon) -> dict[str, Any]:
    """What the index says of an addon that is pruned: each such kind, in the namespaces that the addon has of it."""
    selector = f"{NAME_LABEL}={addon.name},{MANAGER_LABEL}=kops"
    kinds = []
    for group, api_version, kind in sorted(
        (_group(api_version), api_version, kind) for api_version, kind in (*PRUNED_KINDS, *addon.pruned_kinds)
    ):
        entry: dict[str, Any] = {"kind": kind, "labelSelector": selector}
        if group:
            entry["group"] = group
        objects = [obj for obj in addon.objects if (obj["apiVersion"], obj["kind"]) == (api_version, kind)]
        namespaces = {obj["metadata"]["namespace"] for obj in objects if "namespace" in obj["metadata"]}
        if namespaces:
            entry["namespaces"] = sorted(namespaces)
        kinds.append(entry)
    return {"kinds": kinds}


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]
