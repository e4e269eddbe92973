# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An addon: Kubernetes objects that belong together, as kops' index of addons knows it.

Source: channels/pkg/api and addonmanifests/remap.go of kops.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..api.cluster import AssetsSpec
from ..api.yaml.write import dump_plain
from ..completion.assets import remap_image

NAME_LABEL = "addon.kops.k8s.io/name"
MANAGER_LABEL = "app.kubernetes.io/managed-by"
# What kops writes between the objects of a manifest.
_SEPARATOR = "\n---\n\n"
_WITH_PODS = ("Deployment", "DaemonSet")


@dataclass(frozen=True)
class Addon:
    """One addon.

    name, id, selector, needs_rolling_update: as in the index; needs_rolling_update is "", control-plane, workers or
    all. file: of its manifest below the addon's directory. objects: as they are applied, in order. pruned: the index
    says which kinds of objects are deleted when they leave the addon.
    """

    name: str
    objects: list[dict[str, Any]]
    file: str
    id: str = ""
    selector: dict[str, str] = field(default_factory=dict)
    needs_rolling_update: str = ""
    pruned: bool = False

    @property
    def key(self) -> str:
        """By which it is told apart from others of its name."""
        return f"{self.name}-{self.id}" if self.id else self.name

    @property
    def location(self) -> str:
        """Path of the manifest below the directory of addons."""
        return f"{self.name}/{self.file}"

    @property
    def manifest(self) -> str:
        """The objects as kops writes them."""
        return _SEPARATOR.join(map(dump_plain, self.objects)).strip()

    @property
    def manifest_hash(self) -> str:
        """sha256 of the manifest, by which a change is told."""
        return hashlib.sha256(self.manifest.encode()).hexdigest()


def new_addon(
    name: str,
    objects: Sequence[dict[str, Any]],
    assets: AssetsSpec | None,
    *,
    id: str = "",
    file: str = "",
    selector: dict[str, str] | None = None,
    needs_rolling_update: str = "",
    pruned: bool = False,
) -> Addon:
    """An addon whose objects carry its labels, with images from where spec.assets says.

    file: of the manifest; by default the id's. selector: by default kops' label k8s-addon.
    """
    selector = {"k8s-addon": name} if selector is None else selector
    labels = {MANAGER_LABEL: "kops", NAME_LABEL: name, **selector}
    # Copies, and plain ones: quantities of the specification are texts.
    finished = [_finished(json.loads(json.dumps(thing)), labels, assets) for thing in objects]
    return Addon(name, finished, file or f"{id}.yaml", id, selector, needs_rolling_update, pruned)


def _finished(thing: dict[str, Any], labels: dict[str, str], assets: AssetsSpec | None) -> dict[str, Any]:
    thing["metadata"].setdefault("labels", {}).update(labels)
    if thing["kind"] in _WITH_PODS:
        template = thing["spec"]["template"]
        template["metadata"]["labels"]["kops.k8s.io/managed-by"] = "kops"
        for kind in ("initContainers", "containers"):
            for container in template["spec"].get(kind, ()):
                container["image"] = remap_image(container["image"], assets)
    return thing
