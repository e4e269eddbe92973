# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster on Google Cloud, errors of its groups, and health of its targets, for a dump.

No metadata is among them, as user data is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .cloud import GCECloud
from .identifiers import last_component
from .ingress import api_health
from .instances import owned_instances, owned_managers, owned_templates
from .resources.discovery import discover

_METADATA = "metadata"


def described(cloud: GCECloud) -> Mapping[str, Callable[[], Any]]:
    """Name -> a function that reads it. Each is read on its own, so that one that fails keeps no other away."""
    return {
        "instance-group-managers": lambda: list(cloud.once(owned_managers).values()),
        "instance-group-errors": lambda: _errors(cloud),
        "instances": lambda: [_plain(each) for each in cloud.once(owned_instances)],
        "instance-templates": lambda: [
            {**each, "properties": _plain(each["properties"])} for each in cloud.once(owned_templates).values()
        ],
        "target-health": lambda: api_health(cloud) or {},
        "resources": lambda: sorted(
            (each.as_data() for each in discover(cloud).values()), key=lambda each: (each["kind"], each["id"])
        ),
    }


def _errors(cloud: GCECloud) -> dict[str, Any]:
    """Managed instance group -> why it could not start instances lately: quota, no capacity, a wrong template."""
    return {
        name: cloud.listed(
            f"{cloud.project}/zones/{last_component(manager['zone'])}/instanceGroupManagers/{name}/listErrors"
        )
        for name, manager in cloud.once(owned_managers).items()
    }


def _plain(found: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key != _METADATA}
