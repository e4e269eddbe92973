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
from ..instances import DETACHED, SERVING, STRAY, WARM, Machine
from ..user_data import changes_of
from .cloud import AWSCloud, from_tags, parts
from .errors import error_code
from .instances import describe_instances, groups_by_instance_group
from .tasks.autoscaling_group import describe_groups
from .tasks.launch_template import LATEST, describe_launch_templates
from .tasks.removed_instance_groups import DETACHED_TAG

# AWS takes this many numbers in one call.
_VERSIONS = 100
Described = Mapping[str, Any]


def machines_by_group(cloud: AWSCloud, *, why: bool = False) -> dict[str, list[Machine]]:
    """Instances by instance group, without instances that are being terminated: GetCloudGroups of kops.

    Also those in warm pools, those that a rolling update has detached, those that Karpenter has started, and those that
    are not in their group any more.
    Three calls and their further pages, and one for each warm pool. why: also in what older ones differ; one more for
    each launch template from which there are older ones.
    """
    for read in (describe_groups, describe_instances, describe_launch_templates):
        cloud.forget(read)
    left, groups = dict(cloud.once(describe_instances)), groups_by_instance_group(cloud)
    found: dict[str, list[Machine]] = {name: [] for name in groups}
    for name, group in groups.items():
        newest = _template_of(cloud, group)
        members = list(_members(cloud, group))
        differences = _differences(cloud, newest, members) if why else {}
        for member in members:
            about, state = left.pop(member["InstanceId"], None), member["LifecycleState"]
            if about is None or state.startswith("Terminating"):
                continue
            found[name].append(
                _machine(
                    about,
                    within=group["AutoScalingGroupName"],
                    state=WARM if state.startswith("Warmed") else SERVING,
                    outdated=_why_outdated(member, newest, differences),
                    healthy=str(member.get("HealthStatus")).upper() == "HEALTHY",
                    standby=state.endswith("Standby"),
                )
            )
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
    return found


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


def _machine(about: Described, **more: Any) -> Machine:
    """What EC2 says of an instance. It gives instances the name by address itself."""
    private, public, ipv6 = (about.get(key) for key in ("PrivateIpAddress", "PublicIpAddress", "Ipv6Address"))
    return Machine(
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
