# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All instances of a cluster, each compared with what its group would start now."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...base.labels import INSTANCE_GROUP
from ..instances import DETACHED, SERVING, STRAY, WARM, CloudInstance, InstancesOfGroup
from ..user_data import changes_of
from .cloud import AWSCloud, from_tags, parts
from .errors import error_code
from .instances import describe_instances, groups_by_instance_group
from .tasks.autoscaling_group import describe_groups
from .tasks.launch_template import LATEST, describe_launch_templates
from .tasks.removed_instance_groups import DETACHED_TAG

# States of instances that are, or will be, in the service of their group; those of a warm pool are in none of them.
_COUNTED = ("Pending", "InService", "EnteringStandby", "Standby")
# AWS takes this many numbers in one call.
_VERSIONS = 100
Described = Mapping[str, Any]


def instances_of_groups(
    cloud: AWSCloud, *, only_serving: bool = False, why: bool = False
) -> dict[str, InstancesOfGroup]:
    """Instances by instance group, without instances that are being terminated: GetCloudGroups of kops.

    Also those in warm pools, those that a rolling update has detached, those that Karpenter has started, and those that
    are not in their group any more.
    Three calls and their further pages, and one for each warm pool. why: also in what older ones differ; one more for
    each launch template from which there are older ones. only_serving: two calls, and one where no group has any.
    """
    for read in (describe_groups, describe_instances):
        cloud.forget(read)
    if only_serving:
        return _serving(cloud)
    cloud.forget(describe_launch_templates)
    # Before the groups: an instance that is started in between must not look as if it had left its group.
    left = dict(cloud.once(describe_instances))
    groups = groups_by_instance_group(cloud)
    found: dict[str, list[CloudInstance]] = {name: [] for name in groups}
    for name, group in groups.items():
        newest = _template_of(cloud, group)
        members = list(_members(cloud, group))
        differences = _differences(cloud, newest, members) if why else {}
        for member in members:
            about = left.pop(member["InstanceId"], None)
            if not _ends(member):
                found[name].append(_member(group, member, about, _why_outdated(member, newest, differences)))
    by_name = {group["AutoScalingGroupName"]: name for name, group in groups.items()}
    for about in left.values():
        tags = from_tags(about.get("Tags"))
        within, name = tags.get(DETACHED_TAG, ""), tags.get(INSTANCE_GROUP, "")
        if within in by_name:
            found[by_name[within]].append(_machine(about, within=within, state=DETACHED))
        elif name and name not in groups:
            # Of Karpenter, which replaces by itself what it has started: for kops such instances are up to date.
            found.setdefault(name, []).append(_machine(about, within=""))
        elif name:
            found[name].append(_machine(about, within="", state=STRAY))
    return {
        name: InstancesOfGroup(_wanted(groups[name]), machines)
        if name in groups
        else InstancesOfGroup(0, machines, keeps_number=False)
        for name, machines in found.items()
    }


def _serving(cloud: AWSCloud) -> dict[str, InstancesOfGroup]:
    """Without what only tells of warm pools, of instances outside of groups, and of launch templates."""
    groups = groups_by_instance_group(cloud)
    known = cloud.once(describe_instances) if any(group.get("Instances") for group in groups.values()) else {}
    return {
        name: InstancesOfGroup(
            _wanted(group),
            [
                _member(group, member, known.get(member["InstanceId"]))
                for member in group.get("Instances") or ()
                if not _ends(member)
            ],
        )
        for name, group in groups.items()
    }


def _wanted(group: Described) -> int:
    return int(group.get("DesiredCapacity") or 0)


def _ends(member: Described) -> bool:
    return str(member.get("LifecycleState", "")).startswith("Terminating")


def _member(group: Described, member: Described, about: Described | None, outdated: str = "") -> CloudInstance:
    """An instance of a group, or of its warm pool. about: what EC2 says of it, None if it does not know it."""
    state = str(member.get("LifecycleState", ""))
    return _machine(
        about or {"InstanceId": member["InstanceId"]},
        within=group["AutoScalingGroupName"],
        state=WARM if state.startswith("Warmed") else SERVING,
        counted=state.partition(":")[0] in _COUNTED,
        outdated=outdated,
        healthy=str(member.get("HealthStatus")).upper() == "HEALTHY",
        standby=state.endswith("Standby"),
    )


def _members(cloud: AWSCloud, group: Described) -> Iterator[Described]:
    """The group's instances, and those of its warm pool, which only a call of its own tells."""
    yield from group.get("Instances") or ()
    if group.get("WarmPoolConfiguration"):
        name = group["AutoScalingGroupName"]
        yield from cloud.paged("autoscaling", "describe_warm_pool", "Instances", AutoScalingGroupName=name)


def _template_of(cloud: AWSCloud, group: Described) -> tuple[str, str]:
    """Id and version of the launch template from which a group starts instances now."""
    mixed = (group.get("MixedInstancesPolicy") or {}).get("LaunchTemplate") or {}
    wanted = group.get("LaunchTemplate") or mixed.get("LaunchTemplateSpecification") or {}
    identity, version = str(wanted.get("LaunchTemplateId") or ""), str(wanted.get("Version") or "$Default")
    if version in (LATEST, "$Default"):
        templates = {each["LaunchTemplateId"]: each for each in cloud.once(describe_launch_templates).values()}
        number = "LatestVersionNumber" if version == LATEST else "DefaultVersionNumber"
        version = str(templates.get(identity, {}).get(number, ""))
    return identity, version


def _why_outdated(member: Described, newest: tuple[str, str], differences: Mapping[str, str]) -> str:
    """By the launch template that an instance was started from: each change of a template is another version.

    differences: version -> what has changed since then, as far as that is known.
    """
    template = member.get("LaunchTemplate") or {}
    identity, version = template.get("LaunchTemplateId"), str(template.get("Version"))
    if identity != newest[0]:
        return "its group has another launch template now"
    if version == newest[1]:
        return ""
    what = differences.get(version, "")
    return f"it is of version {version} of its launch template, which has {newest[1]} now" + (what and f": {what}")


def _differences(cloud: AWSCloud, newest: tuple[str, str], members: Iterable[Described]) -> dict[str, str]:
    """Older version of a launch template -> in what it differs; nothing of versions that do not exist any more."""
    templates = [each.get("LaunchTemplate") or {} for each in members]
    made_from = {str(each.get("Version")) for each in templates if each.get("LaunchTemplateId") == newest[0]}
    old = sorted(made_from - {newest[1]})
    data = dict(template_versions(cloud, newest[0], [newest[1], *old])) if old else {}
    after = data.get(newest[1])
    return {number: ", ".join(_changes(data[number], after)) for number in old if after and number in data}


def template_versions(cloud: AWSCloud, template: str, numbers: list[str]) -> Iterator[tuple[str, Described]]:
    """Versions of a launch template with their data. Of each hundred that are asked for, all or none are there."""
    for part in parts(numbers, _VERSIONS):
        try:
            answer = cloud.client("ec2").describe_launch_template_versions(
                LaunchTemplateId=template, Versions=list(part)
            )
        except Exception as error:
            if error_code(error) == "InvalidLaunchTemplateId.VersionNotFound":
                # An older one was pruned.
                continue
            raise
        yield from (
            (str(each["VersionNumber"]), each["LaunchTemplateData"]) for each in answer["LaunchTemplateVersions"]
        )


def _changes(before: Described, after: Described) -> list[str]:
    """In the words of plans, as far as they have any."""
    texts = [base64.b64decode(data.get("UserData") or "").decode(errors="replace") for data in (before, after)]
    keys = sorted(key for key in {**before, **after} if key != "UserData" and before.get(key) != after.get(key))
    words = [re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).lower() for key in keys]
    return [*changes_of(*texts), *(f"{'other' if word.endswith('s') else 'another'} {word}" for word in words)]


def _machine(about: Described, **more: Any) -> CloudInstance:
    """What EC2 says of an instance. It gives instances the name by address itself."""
    private, public, ipv6 = (about.get(key) for key in ("PrivateIpAddress", "PublicIpAddress", "Ipv6Address"))
    return CloudInstance(
        about["InstanceId"],
        by_address=about.get("PrivateDnsName") or "",
        launched=about.get("LaunchTime"),
        private_addresses=tuple(address for address in (private, ipv6) if address),
        public_addresses=tuple(address for address in (public, ipv6) if address),
        zone=(about.get("Placement") or {}).get("AvailabilityZone") or "",
        machine_type=about.get("InstanceType") or "",
        power=(about.get("State") or {}).get("Name") or "",
        tags=from_tags(about.get("Tags")),
        **more,
    )
