# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All objects of a project in OpenStack, by their names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import OpenStackCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.kinds import Kind
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.security_group import describe

# Kinds whose ids are in what others say: rules name groups, ports of Octavia their load balancer.
_IN_NAMES = (kinds.SECURITY_GROUP, kinds.BALANCER)
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# What has no name.
NAMING: dict[Kind, Callable[[Any], str]] = {
    kinds.FLOATING_IP: lambda each: each["description"],
    kinds.SECURITY_GROUP_RULE: describe,
    kinds.SERVER: lambda each: each["metadata"]["KopsName"],
}


def inventory(cloud: OpenStackCloud) -> dict[str, list[str]]:
    """Kind -> the names of all objects of the project; of rules, what they say. Ids are others each time."""
    found = {}
    known = {each["id"]: str(each["name"]) for kind in _IN_NAMES for each in cloud.read(kind)}
    for kind in {each for each in vars(kinds).values() if isinstance(each, Kind)} - {kinds.MEMBER}:
        mine = [each for each in cloud.read(kind) if each.get("project_id", cloud.project) == cloud.project]
        naming = NAMING.get(kind, lambda each: each["name"])
        found[kind.word] = sorted(
            _ID.sub(lambda found: known.get(found[0], found[0]), str(naming(each))) for each in mine
        )
    return found
