# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery: load balancers and target groups of a cluster, the ones that its services asked for included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....engine.resource import Resource
from ..cloud import AWSCloud
from ..ownership import is_owned
from .gone import removal

# DescribeTags of elasticloadbalancing takes so many names at once.
TAGS_AT_ONCE = 20


def load_balancing(cloud: AWSCloud) -> Iterator[Resource]:
    """Network, application and classic load balancers, then target groups."""
    balancers = cloud.paged("elbv2", "describe_load_balancers", "LoadBalancers")
    owned = _owned_arns(cloud, [balancer["LoadBalancerArn"] for balancer in balancers])
    targets = cloud.paged("elbv2", "describe_target_groups", "TargetGroups")
    owned_targets = _owned_arns(cloud, [target["TargetGroupArn"] for target in targets])
    for balancer in balancers:
        arn = balancer["LoadBalancerArn"]
        if arn not in owned:
            continue
        blocks = {f"vpc:{balancer['VpcId']}"}
        blocks |= {f"subnet:{zone['SubnetId']}" for zone in balancer["AvailabilityZones"] if zone.get("SubnetId")}
        blocks |= {f"security-group:{group}" for group in balancer.get("SecurityGroups", ())}
        blocks |= {f"elastic-ip:{allocation}" for allocation in _allocations(balancer)}
        behind = [target for target in targets if arn in target.get("LoadBalancerArns", ())]
        blocks |= {f"target-group:{target['TargetGroupArn']}" for target in behind}
        delete = removal(cloud, "elbv2", "delete_load_balancer", LoadBalancerArn=arn)
        yield Resource("load-balancer", arn, delete, balancer["LoadBalancerName"], frozenset(blocks))
    for target in targets:
        arn = target["TargetGroupArn"]
        if arn in owned_targets:
            delete = removal(cloud, "elbv2", "delete_target_group", TargetGroupArn=arn)
            blocks = {f"vpc:{target['VpcId']}"} if target.get("VpcId") else set()
            yield Resource("target-group", arn, delete, target["TargetGroupName"], frozenset(blocks))
    yield from _classic(cloud)


def _allocations(balancer: dict[str, Any]) -> Iterator[str]:
    for zone in balancer["AvailabilityZones"]:
        for address in zone.get("LoadBalancerAddresses", ()):
            if address.get("AllocationId"):
                yield address["AllocationId"]


def _owned_arns(cloud: AWSCloud, arns: list[str]) -> set[str]:
    owned = set()
    for start in range(0, len(arns), TAGS_AT_ONCE):
        answer = cloud.client("elbv2").describe_tags(ResourceArns=arns[start : start + TAGS_AT_ONCE])
        owned |= {each["ResourceArn"] for each in answer["TagDescriptions"] if is_owned(cloud, each["Tags"])}
    return owned


def _classic(cloud: AWSCloud) -> Iterator[Resource]:
    balancers = cloud.paged("elb", "describe_load_balancers", "LoadBalancerDescriptions")
    by_name = {balancer["LoadBalancerName"]: balancer for balancer in balancers}
    names = list(by_name)
    for start in range(0, len(names), TAGS_AT_ONCE):
        answer = cloud.client("elb").describe_tags(LoadBalancerNames=names[start : start + TAGS_AT_ONCE])
        for each in answer["TagDescriptions"]:
            if is_owned(cloud, each["Tags"]):
                name = each["LoadBalancerName"]
                blocks = {f"subnet:{subnet}" for subnet in by_name[name].get("Subnets", ())}
                blocks |= {f"security-group:{group}" for group in by_name[name].get("SecurityGroups", ())}
                blocks.add(f"vpc:{by_name[name].get('VPCId')}")
                delete = removal(cloud, "elb", "delete_load_balancer", LoadBalancerName=name)
                yield Resource("classic-load-balancer", name, delete, name, frozenset(blocks))
