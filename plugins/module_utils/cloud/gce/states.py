# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""States of instances of Compute Engine: whether they exist, and what they have printed to their consoles."""

from __future__ import annotations

from collections.abc import Collection

from .cloud import COMPUTE, GCECloud
from .identifiers import last_component
from .instances import owned_instances


def existing(cloud: GCECloud, names: Collection[str]) -> set[str]:
    """Which of these instances the region has, whatever cluster they are of, and that are not being deleted."""
    if not names:
        return set()
    found = cloud.aggregated(f"{cloud.project}/aggregated/instances", "instances")
    there = {
        each["name"]
        for scope, each in found
        if scope.startswith(f"zones/{cloud.region}-") and each.get("status") != "STOPPING"
    }
    return there & set(names)


def console_output(cloud: GCECloud, instance: str) -> str:
    """What an instance has printed to its first serial port: the last megabyte; "" if nothing is known of that."""
    zones = {each["name"]: last_component(each["zone"]) for each in cloud.once(owned_instances)}
    if instance not in zones:
        return ""
    found = cloud.get(COMPUTE, f"{cloud.project}/zones/{zones[instance]}/instances/{instance}/serialPort")
    return str((found or {}).get("contents") or "")
