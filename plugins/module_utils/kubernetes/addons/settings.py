# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of an addon that are replaced when its settings change.

Most programs read their ConfigMaps and Secrets only when they start: without this, a change would be applied, and would
take effect whenever a pod happens to start. kops leaves it to a rolling update, or to nobody.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from ..client import Object
from .pruned import is_of_addon
from .rollouts import workloads

# On the pods: the hash of what their addon is set to.
ANNOTATION = "kubeops.kops/settings"
_SETTINGS = ("ConfigMap", "Secret")
_CONTENT = ("data", "binaryData", "stringData")


def with_settings(objects: Sequence[Object]) -> list[Object]:
    """The objects of an addon; with a change of its ConfigMaps or Secrets, the pods of its workloads change.

    Objects without an addon's label, those of the user, stay as they are.
    """
    own = list(filter(is_of_addon, objects))
    settings = [[obj["metadata"]["name"], *map(obj.get, _CONTENT)] for obj in own if obj["kind"] in _SETTINGS]
    if not settings:
        return list(objects)
    found = hashlib.sha256(json.dumps(sorted(settings, key=str), sort_keys=True).encode()).hexdigest()
    running = [obj for obj in workloads(own) if "template" in obj["spec"]]
    return [_annotated(obj, found) if obj in running else obj for obj in objects]


def _annotated(obj: Object, settings: str) -> Object:
    template = obj["spec"]["template"]
    metadata = template.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), ANNOTATION: settings}
    template = {**template, "metadata": {**metadata, "annotations": annotations}}
    return {**obj, "spec": {**obj["spec"], "template": template}}
