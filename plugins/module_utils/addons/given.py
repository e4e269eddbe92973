# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons as the engine takes them (kubernetes/addons/apply.py), and the file with which control planes get them.

kops' nodes read the index and the manifests beside it. They are YAML, which Python's standard library does not read.
"""

from __future__ import annotations

import json
from typing import Any

from ..exchange.addons import OBJECTS, SCHEMA
from .addon import Addon
from .index import DIRECTORY
from .selection import Addons

# Path below the cluster's directory.
LOCATION = f"{DIRECTORY}/{OBJECTS}"


def as_given(addon: Addon) -> dict[str, Any]:
    """An addon as the module addons takes it."""
    given: dict[str, Any] = {
        "name": addon.name,
        "objects": addon.objects,
        "needs_pki": addon.needs_pki,
        "id": addon.id,
        "needs_rolling_update": addon.needs_rolling_update,
    }
    if addon.channel:
        given["pruned"] = (addon.prune or {}).get("kinds", [])
    return given


def stored_text(addons: Addons) -> str:
    """The file that control planes read. Addons without which no node gets ready come first.

    What is recorded as applied is the hash in the index, as in kops: so in a cluster that kops made, its own nodes and
    those of this collection agree about what is there.
    """
    first = sorted(addons.addons, key=lambda addon: not addon.initializes_nodes)
    given = [{**as_given(addon), "version": addon.manifest_hash} for addon in first]
    data = {"schema": SCHEMA, "addons": given, "retired": addons.retired}
    return json.dumps(data, sort_keys=True, separators=(",", ":")) + "\n"
