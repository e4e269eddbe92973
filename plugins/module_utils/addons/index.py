# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The index of the addons that the state store keeps beside their manifests (bootstrapchannel.go of kops)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..api.yaml.write import dump_plain
from .addon import Addon
from .prune import prune_specification

DIRECTORY = "addons"
# Path below the cluster's directory.
INDEX = f"{DIRECTORY}/bootstrap-channel.yaml"
# The same for the addons of the channels of spec.addons, which kops' nodes read themselves.
CHANNELS = f"{DIRECTORY}/channels.yaml"


def index_text(addons: Sequence[Addon], name: str = "bootstrap") -> str:
    """The index: name, manifest and its hash, and what has to be known to apply it. name: of the index itself."""
    entries = [_entry(addon) for addon in addons]
    return dump_plain({"kind": "Addons", "metadata": {"name": name}, "spec": {"addons": entries}})


def _entry(addon: Addon) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": addon.name,
        "selector": addon.selector or None,
        "manifest": addon.location,
        "manifestHash": addon.manifest_hash,
    }
    if addon.id:
        entry["id"] = addon.id
    if addon.needs_pki:
        entry["needsPKI"] = True
    if addon.needs_rolling_update:
        entry["needsRollingUpdate"] = addon.needs_rolling_update
    if addon.pruned:
        entry["prune"] = prune_specification(addon)
    if addon.prune is not None:
        entry["prune"] = addon.prune
    return entry
