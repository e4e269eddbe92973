# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes would refuse of their NodeConfig, found on the controller by the node's own schema.

A problem of what the user asks for is told as one of the specification's field that asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...base.errors import FieldError
from ...exchange.document import SCHEMA
from ...node.config import problems_of
from .context import NodeContext
from .draft import Draft
from .files import file_assets
from .system import hooks, kernel, volumes

# The place of an item in a NodeConfig, and what is wrong there: "files[3].mode: must be ...".
_PLACE = re.compile(
    r"(?P<kind>[a-z_A-Z]+)\[(?P<index>\d+)\](?:\.(?P<key>\w+))?(?:\[\d+\])*: (?P<message>.*)", re.DOTALL
)
_EARLIER = re.compile(r"duplicate of (?P<kind>\w+)\[(?P<index>\d+)\]$")
# What every machine of the cluster gets as the specification has it, whatever else its NodeConfig says.
_GIVEN = (file_assets.build, hooks.build, kernel.build_own, volumes.build)
# Without these there is no NodeConfig; their values do not matter to the items.
_HEAD = {
    "schema": SCHEMA,
    "cluster": "-",
    "instanceGroup": "-",
    "role": "-",
    "architecture": "-",
    "kubernetesVersion": "-",
}


def refused_items(draft: Draft, config: Mapping[str, Any], group: str) -> list[FieldError]:
    """What nodes of a group would refuse of a NodeConfig that was made of the draft."""
    found = dict.fromkeys(draft.refused)
    # What the model has said of a field says more than the schema.
    told = {(each.group, each.path) for each in found}
    for problem in problems_of(config):
        error = _led_back(draft, problem) or FieldError("Invalid", "", f"its NodeConfig: {problem}", group=group)
        if (error.group, error.path) not in told:
            found.setdefault(error)
    return list(found)


def refused_given(cluster: Cluster, group: InstanceGroup) -> list[FieldError]:
    """What nodes of the group would refuse of what the user gives them: files, hooks, kernel parameters, mounts.

    It needs no completed cluster, so it is known when a specification is stored.
    """
    draft, context = Draft(), NodeContext(cluster, group)
    for build in _GIVEN:
        build(context, draft)
    if not draft.asked and not draft.refused:
        return []
    return refused_items(draft, {**_HEAD, **draft.items}, str(group.metadata.name))


def _led_back(draft: Draft, problem: str) -> FieldError | None:
    place = _PLACE.fullmatch(problem)
    if place is None:
        return None
    asked = draft.asked.get((place["kind"], int(place["index"])))
    if asked is not None:
        return asked.error(place["message"], place["key"] or "")
    # What every node has anyway comes after what the user asks for.
    other = _EARLIER.search(place["message"])
    asked = draft.asked.get((other["kind"], int(other["index"]))) if other else None
    return asked.error(f"nodes have {place['message'].partition(' ')[0]} already") if asked else None
