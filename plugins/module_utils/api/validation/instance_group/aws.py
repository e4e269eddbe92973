# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of AWS for one InstanceGroup. Where a path begins with the group's name, it does so in kops too."""

from __future__ import annotations

import re

from ...facts import CloudFacts
from ...instance_group import InstanceGroup, InstanceMetadataOptions, MixedInstancesPolicySpec
from ..aws_volumes import validate_volumes
from ..problems import Problems, forbidden, invalid, one_of
from ..security_groups import validate_security_group_override, validate_security_groups

SPOT_DURATIONS = ("60", "120", "180", "240", "300", "360")
INTERRUPTION_BEHAVIORS = ("hibernate", "stop", "terminate")
CPU_CREDITS = ("standard", "unlimited")
METADATA_TOKENS = ("optional", "required")
SPOT_ALLOCATION_STRATEGIES = (
    "lowest-price",
    "diversified",
    "capacity-optimized",
    "capacity-optimized-prioritized",
    "price-capacity-optimized",
)
SCALING_PROCESSES = (
    *("Launch", "Terminate", "AddToLoadBalancer", "AlarmNotification", "AZRebalance", "HealthCheck"),
    *("InstanceRefresh", "ReplaceUnhealthy", "ScheduledActions"),
)
ON_DEMAND_ALLOCATION_STRATEGIES = ("prioritized", "lowest-price")
MOST_SPOT_POOLS = 20
# Of EC2's 16 KiB, what remains for the user beside the script by which a node starts.
MOST_USER_DATA = 15 * 1024
MOST_METADATA_HOPS = 64
_PRICE = re.compile(r"\d*[1-9]\d*(\.\d+)?|\d*\.\d*[1-9]\d*")
# Seconds; AWS' own limit.
SHORTEST_INSTANCE_LIFETIME = 86400
LONGEST_INSTANCE_LIFETIME = 31536000


def validate_on_aws(group: InstanceGroup, facts: CloudFacts | None) -> Problems:
    """Everything that AWS alone has. Without facts, machine types and images are not looked up.

    An empty or odd securityGroupOverride passes in kops; AWS would refuse the launch template later.
    """
    spec, name = group.spec, group.metadata.name or ""
    found = validate_security_groups(spec.additional_security_groups, "spec.additionalSecurityGroups")
    found += validate_security_group_override(spec.security_group_override, "spec.securityGroupOverride")
    if facts is not None:
        found += _validate_machine_types(
            facts, spec.machine_type or "", spec.image or "", f"{name}.spec.machineType", f"{name}.spec.image"
        )
    if spec.spot_duration_in_minutes is not None:
        found += one_of(f"{name}.spec.spotDurationInMinutes", str(spec.spot_duration_in_minutes), SPOT_DURATIONS)
    found += one_of(
        f"{name}.spec.instanceInterruptionBehavior", spec.instance_interruption_behavior, INTERRUPTION_BEHAVIORS
    )
    if spec.mixed_instances_policy:
        found += _validate_mixed_instances(group, spec.mixed_instances_policy, facts, "spec.mixedInstancesPolicy")
    if spec.instance_metadata:
        found += _validate_metadata(spec.instance_metadata, "spec.instanceMetadata")
    found += validate_volumes(spec)
    size = sum(len((part.content or "").encode()) for part in spec.additional_user_data)
    if size > MOST_USER_DATA:
        message = (
            f"all parts together have {size} bytes; AWS takes {MOST_USER_DATA} with the boot script: use fileAssets"
        )
        found.append(invalid("additionalUserData.content", None, message))
    if spec.max_price and not _PRICE.fullmatch(spec.max_price):
        found.append(invalid("spec.maxPrice", spec.max_price, "must be US dollars for an hour, such as 0.05"))
    for index, process in enumerate(spec.suspend_processes):
        found += one_of(f"spec.suspendProcesses[{index}]", process, SCALING_PROCESSES)
    found += one_of("spec.cpuCredits", spec.cpu_credits, CPU_CREDITS)
    lifetime = spec.max_instance_lifetime
    if lifetime is not None and int(lifetime.seconds) != 0 and lifetime.seconds < SHORTEST_INSTANCE_LIFETIME:
        found.append(invalid(f"{name}.spec.maxInstanceLifetime", lifetime, "must be 0 or at least 24h"))
    if lifetime is not None and lifetime.seconds > LONGEST_INSTANCE_LIFETIME:
        found.append(invalid(f"{name}.spec.maxInstanceLifetime", lifetime, "must be at most 365 days, 8760h"))
    return found


def _validate_machine_types(
    facts: CloudFacts, machine_types: str, reference: str, type_path: str, image_path: str
) -> Problems:
    """Every machine type exists and can run the image. A group managed by Spot Ocean has several, comma-separated."""
    if not machine_types:
        return []
    image = facts.image(reference)
    if image is None:
        return [invalid(image_path, reference, f"is not an image that exists in region {facts.region}")]
    found: Problems = []
    for name in machine_types.split(","):
        machine = facts.instance_type(name)
        if machine is None:
            found.append(invalid(type_path, machine_types, f"there is no machine type {name} in {facts.region}"))
        elif image.architecture not in machine.architectures:
            found.append(
                invalid(
                    type_path,
                    machine_types,
                    f"{name} is {' or '.join(machine.architectures)}, but image {reference} is {image.architecture}",
                )
            )
    return found


def _validate_metadata(metadata: InstanceMetadataOptions, path: str) -> Problems:
    found = one_of(f"{path}.httpTokens", metadata.http_tokens, METADATA_TOKENS)
    hops = metadata.http_put_response_hop_limit
    if hops is not None and not 1 <= hops <= MOST_METADATA_HOPS:
        found.append(invalid(f"{path}.httpPutResponseHopLimit", hops, f"must be between 1 and {MOST_METADATA_HOPS}"))
    return found


def _validate_mixed_instances(
    group: InstanceGroup, policy: MixedInstancesPolicySpec, facts: CloudFacts | None, path: str
) -> Problems:
    if facts is not None:
        found, complete = _validate_mixed_types(group, policy, facts, path)
        if not complete:
            return found
    else:
        found = []
    base, above = policy.on_demand_base, policy.on_demand_above_base
    if base is not None:
        most = group.spec.max_size or 0
        if base < 0:
            found.append(invalid(f"{path}.onDemandBase", base, "must be 0 or more"))
        if base > most:
            found.append(invalid(f"{path}.onDemandBase", base, f"must not be more than maxSize, which is {most}"))
    if above is not None and not 0 <= above <= 100:
        found.append(invalid(f"{path}.onDemandAboveBase", above, "is a percentage, from 0 to 100"))
    strategy = policy.spot_allocation_strategy
    found += one_of(f"{path}.spotAllocationStrategy", strategy, SPOT_ALLOCATION_STRATEGIES)
    on_demand = policy.on_demand_allocation_strategy
    found += one_of(f"{path}.onDemandAllocationStrategy", on_demand, ON_DEMAND_ALLOCATION_STRATEGIES)
    pools = policy.spot_instance_pools
    if pools is not None and not 1 <= pools <= MOST_SPOT_POOLS:
        found.append(invalid(f"{path}.spotInstancePools", pools, f"must be between 1 and {MOST_SPOT_POOLS}"))
    needed = policy.instance_requirements
    for key, limits in (("cpu", needed.cpu), ("memory", needed.memory)) if needed else ():
        if limits and limits.min and limits.max and limits.max.value < limits.min.value:
            place = f"{path}.instanceRequirements.{key}.max"
            found.append(invalid(place, limits.max, f"must not be less than min, which is {limits.min}"))
    return found


def _validate_mixed_types(
    group: InstanceGroup, policy: MixedInstancesPolicySpec, facts: CloudFacts, path: str
) -> tuple[Problems, bool]:
    """The machine types of the policy; the second value is False when one does not exist."""
    spec = group.spec
    unknown = invalid("spec.machineType", spec.machine_type or "", "has no complete list of machine types to compare")
    main = facts.instance_type(spec.machine_type or "")
    if main is None:
        return [unknown], False
    found: Problems = []
    for index, names in enumerate(policy.instances):
        at = f"{path}.instances[{index}]"
        found += _validate_machine_types(facts, names, spec.image or "", at, f"{path}.image")
        for name in names.split(","):
            machine = facts.instance_type(name)
            if machine is None:
                return [*found, unknown], False
            if machine.gpu != main.gpu:
                found.append(
                    forbidden(at, f"{name} {_gpu(machine.gpu)} and {main.name} {_gpu(main.gpu)}; a group has either")
                )
    return found, True


def _gpu(has: bool) -> str:
    return "has a GPU" if has else "has no GPU"
