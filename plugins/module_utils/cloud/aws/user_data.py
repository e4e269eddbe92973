# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""User data of a cluster's instances, and of launch templates from which others may be started."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .cloud import AWSCloud
from .errors import error_code
from .instances import describe_instances
from .machines import template_versions
from .ownership import owned_instances
from .tasks.autoscaling_group import describe_groups
from .tasks.launch_template import PAGE, describe_latest_versions, describe_launch_templates

_GONE = ("shutting-down", "terminated")
_PARALLEL = 8


def user_data_in_use(cloud: AWSCloud) -> list[str]:
    """User data in use, as texts. Always read anew; one call for each instance and each launch template."""
    instances = [each["InstanceId"] for each in owned_instances(cloud) if each["State"]["Name"] not in _GONE]
    templates = describe_launch_templates(cloud)
    bound = _versions_of_groups(describe_groups(cloud))
    with ThreadPoolExecutor(_PARALLEL) as pool:
        of_instances = pool.map(lambda instance: _of_instance(cloud, instance), instances)
        of_templates = pool.map(lambda template: _of_template(cloud, template, bound), templates.values())
        return [*of_instances, *(text for texts in of_templates for text in texts)]


def user_data_of_templates(cloud: AWSCloud) -> list[str]:
    """User data of the latest version of each launch template. A plan reads the same, and then asks no more."""
    versions = cloud.once(describe_latest_versions)
    found = (versions.get(each["LaunchTemplateId"]) for each in cloud.once(describe_launch_templates).values())
    return [_decoded(each["LaunchTemplateData"].get("UserData")) for each in found if each is not None]


def user_data_by_instance(cloud: AWSCloud) -> dict[str, str]:
    """Instance -> its user data, of all that start, run, or are stopped. Always asked anew.

    Instances of a group have that of their version of its launch template: one call for each template with a hundred
    versions. One more for each instance that is in no group, or whose version was pruned.
    """
    for read in (describe_groups, describe_instances):
        cloud.forget(read)
    living = cloud.once(describe_instances)
    versions: dict[str, dict[str, list[str]]] = {}
    for group in cloud.once(describe_groups).values():
        for member in group.get("Instances") or ():
            template = member.get("LaunchTemplate") or {}
            if member["InstanceId"] in living and template.get("LaunchTemplateId"):
                of_template = versions.setdefault(template["LaunchTemplateId"], {})
                of_template.setdefault(str(template["Version"]), []).append(member["InstanceId"])
    found: dict[str, str] = {}
    for identity, members in versions.items():
        for number, data in template_versions(cloud, identity, list(members)):
            found.update(dict.fromkeys(members[number], _decoded(data.get("UserData"))))
    others = [name for name in living if name not in found]
    with ThreadPoolExecutor(_PARALLEL) as pool:
        found.update(zip(others, pool.map(lambda name: _of_instance(cloud, name), others)))
    return found


def _of_instance(cloud: AWSCloud, instance: str) -> str:
    try:
        found = cloud.client("ec2").describe_instance_attribute(InstanceId=instance, Attribute="userData")
    except Exception as error:
        if error_code(error) == "InvalidInstanceID.NotFound":
            return ""
        raise
    return _decoded((found.get("UserData") or {}).get("Value"))


def _of_template(cloud: AWSCloud, template: Mapping[str, Any], bound: set[tuple[str, str]]) -> list[str]:
    """User data of versions that stay when old ones are deleted, and of versions to which groups are bound."""
    newest = min(int(template["LatestVersionNumber"]), int(template["DefaultVersionNumber"]))
    versions = cloud.paged(
        "ec2",
        "describe_launch_template_versions",
        "LaunchTemplateVersions",
        LaunchTemplateId=template["LaunchTemplateId"],
        PaginationConfig=PAGE,
    )
    names = (template["LaunchTemplateId"], template["LaunchTemplateName"])
    return [
        _decoded(version["LaunchTemplateData"].get("UserData"))
        for version in versions
        if version["VersionNumber"] >= newest or any((name, str(version["VersionNumber"])) in bound for name in names)
    ]


def _versions_of_groups(groups: Mapping[str, Mapping[str, Any]]) -> set[tuple[str, str]]:
    """Id or name of a launch template, and the version that an autoscaling group starts."""
    found = set()
    for group in groups.values():
        mixed = (group.get("MixedInstancesPolicy") or {}).get("LaunchTemplate") or {}
        overrides = [each.get("LaunchTemplateSpecification") for each in mixed.get("Overrides") or ()]
        for each in (group.get("LaunchTemplate"), mixed.get("LaunchTemplateSpecification"), *overrides):
            for name in ("LaunchTemplateId", "LaunchTemplateName"):
                if each and each.get(name):
                    found.add((each[name], str(each.get("Version") or "")))
    return found


def _decoded(encoded: str | None) -> str:
    return base64.b64decode(encoded or "").decode(errors="replace")
