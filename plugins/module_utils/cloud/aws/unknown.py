# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster that its specification does not have: found by its tags, and rules in its security groups.

Programs in a cluster make objects with its tags, too: load balancers and their security groups, volumes, interfaces. So
only kinds are looked at that none of them makes, and their rules and launch templates are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ...engine.task import Task
from ..looking import Unknown
from .cloud import AWSCloud
from .ownership import cluster_tag, is_owned
from .resources.discovery import discover
from .tasks._ec2 import SECURITY_GROUPS
from .tasks.security_group import SecurityGroup, describe_rule, read_rules

KINDS = (
    "vpc",
    "dhcp-options",
    "subnet",
    "route-table",
    "internet-gateway",
    "egress-only-internet-gateway",
    "nat-gateway",
    "elastic-ip",
    "autoscaling-group",
    "launch-template",
    "key-pair",
    "iam-role",
    "instance-profile",
    "event-rule",
    "queue",
)
# Karpenter makes launch templates of its own.
_KARPENTER = "karpenter"
# How the cloud controller manager and the load balancer controller begin the descriptions of their rules.
_OF_CONTROLLERS = ("kubernetes.io/", "elbv2.k8s.aws/")


def unknown(cloud: AWSCloud, tasks: Collection[Task[Any]]) -> list[Unknown]:
    """By kind and name. What the tasks want is known by its identifier or its name."""
    known = {
        str(value)
        for task in tasks
        for value in (task.name, getattr(task, "id", None), getattr(task, "arn", None))
        if value
    }
    owned = [
        Unknown(each.kind, each.name or each.id, f"{each.id}; it has the tag {cluster_tag(cloud)}=owned")
        for each in discover(cloud).values()
        if each.kind in KINDS and not {each.id, each.name} & known and not each.name.startswith(_KARPENTER)
    ]
    return sorted([*owned, *_rules(cloud, tasks)], key=lambda each: (each.kind, each.name))


def _rules(cloud: AWSCloud, tasks: Collection[Task[Any]]) -> Iterator[Unknown]:
    groups = [task for task in tasks if isinstance(task, SecurityGroup) and task.id and not task.shared]
    ours = {group.id for group in groups}
    # Those that controllers have made for load balancers.
    others = {each["GroupId"] for each in SECURITY_GROUPS.tagged(cloud) if is_owned(cloud, each.get("Tags"))} - ours
    for group in groups:
        for rule in read_rules(cloud, group):
            if not _is_of_a_controller(rule, others) and not any(declared.may_be(rule) for declared in group.rules):
                yield Unknown("SecurityGroupRule", describe_rule(rule), f"in the security group {group.name}")


def _is_of_a_controller(rule: Mapping[str, Any], others: Collection[str]) -> bool:
    source = (rule.get("ReferencedGroupInfo") or {}).get("GroupId")
    return source in others or str(rule.get("Description") or "").startswith(_OF_CONTROLLERS)
