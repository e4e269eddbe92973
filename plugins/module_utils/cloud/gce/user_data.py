# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""User data of instances: in their metadata, and in that of the templates that they are made from."""

from __future__ import annotations

from .cloud import GCECloud
from .instances import (
    LIVING,
    Described,
    metadata_of,
    owned_instances,
    owned_managers,
    owned_templates,
    templates_of,
)

# Keys under which instances find it: cloud-init's, and that of Google's agent.
KEYS = ("user-data", "startup-script")


def user_data_of(described: Described) -> str:
    """User data of an instance, or of the properties of a template; "" for none."""
    metadata = metadata_of(described)
    return next((metadata[key] for key in KEYS if metadata.get(key)), "")


def user_data_in_use(cloud: GCECloud) -> list[str]:
    """Of all instances now, and of the templates that groups start others from. Always asked anew, in three calls.

    Other templates start nothing any more: they are deleted once no instance was made from them.
    """
    for read in (owned_templates, owned_managers, owned_instances):
        cloud.forget(read)
    return [*map(user_data_of, cloud.once(owned_instances)), *user_data_of_templates(cloud)]


def user_data_of_templates(cloud: GCECloud) -> list[str]:
    """Of the templates from which groups start instances now. A plan reads the same, and then asks no more."""
    managers = cloud.once(owned_managers).values()
    templates = cloud.once(owned_templates)
    current = {name for manager in managers for name in templates_of(manager)}
    return [user_data_of(each["properties"]) for name, each in templates.items() if name in current]


def user_data_by_instance(cloud: GCECloud) -> dict[str, str]:
    """Instance -> its user data, of all that start, run, or are stopped. Always asked anew, in one call."""
    cloud.forget(owned_instances)
    return {each["name"]: user_data_of(each) for each in cloud.once(owned_instances) if each["status"] in LIVING}
