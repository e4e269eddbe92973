# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of small clusters."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import make_addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.definition import AddonDefinition
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup

Made = dict[tuple[str, str], Any]


def asked_of(
    spec: dict[str, Any], groups: list[dict[str, Any]] | None = None, features: tuple[str, ...] = (), **credentials: str
) -> AddonContext:
    """What addons of the cluster demo.example.com are asked with. groups: specifications. credentials: variables."""
    cluster = codec.from_plain(Cluster, {"metadata": {"name": "demo.example.com"}, "spec": spec})
    made = [codec.from_plain(InstanceGroup, {"metadata": {"name": "x"}, "spec": group}) for group in groups or []]
    return AddonContext(cluster, made, features=frozenset(features), credentials=credentials)


def made(definition: AddonDefinition, context: AddonContext) -> Made:
    """The addon's objects by kind and name."""
    addon = make_addon(definition, context)
    assert addon is not None
    return {(obj["kind"], obj["metadata"]["name"]): obj for obj in addon.objects}


def pod(objects: Made, kind: str, name: str) -> Any:
    """The specification of the pods of an object."""
    return objects[kind, name]["spec"]["template"]["spec"]
