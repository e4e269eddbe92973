# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A security group, and the rules in it that should not be there."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ....base.errors import KopsError
from ....engine.targets.cloudformation import tags
from ....engine.targets.hcl import Literal, reference
from ....engine.targets.imports import Import
from ....engine.task import Change, Deletion, computed, internal
from ..cloud import intersect_tags, tag_specifications
from ..ownership import is_owned
from ._ec2 import (
    SECURITY_GROUP_RULES,
    SECURITY_GROUPS,
    already_gone,
    id_of,
    link,
    refer,
    require_shared,
    settling,
    update_tags,
)
from ._task import AWSTask
from .vpc import VPC

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud


_NOT_WANTED = "the specification does not have it any more"
_OF_INSTANCES = f"{_NOT_WANTED}; instances that run may still need it"
_OF_OTHERS = "still open; the specification does not have it, and it has no tag of the cluster"


class DeclaredRule(Protocol):
    """A rule that a task declares for the group, as the group sees it."""

    @property
    def is_ignored(self) -> bool:
        """Whether this run leaves rules alone."""

    def may_be(self, rule: dict[str, Any]) -> bool:
        """Whether an existing rule of the group says the same."""


@dataclass(eq=False, repr=False)
class SecurityGroup(AWSTask):
    """A firewall group.

    A rule with the cluster's tag that no task declares goes: at once if it lets a network in, else in a run with prune,
    since instances of earlier updates may still talk to each other by it. Rules of others stay, but for
    remove_extra_rules: "port=N" or "port=N:M": a rule of exactly these ports that no task declares is removed by a
        run with prune (kops: RemoveExtraRules, and DeferDeletion of its rules).
    shared: it exists, named by id; rules are added to it.
    rules: the rules that tasks declare for it (they enter themselves). created: this run has made it.
    """

    id: str | None = computed()
    description: str | None = None
    vpc: VPC | None = None
    remove_extra_rules: list[str] | None = internal()
    shared: bool | None = None
    tags: dict[str, str] | None = None
    created: bool = internal(False)
    rules: list[DeclaredRule] = dataclasses.field(
        default_factory=list, metadata={"internal": True, "backreference": True}, repr=False
    )

    immutable: ClassVar[frozenset[str]] = frozenset({"vpc"})
    cloudformation_type = "AWS::EC2::SecurityGroup"

    def prepare(self, cloud: AWSCloud) -> None:
        if self.shared:
            SECURITY_GROUPS.want(cloud, self.id)

    def find(self, cloud: AWSCloud) -> SecurityGroup | None:
        group = self._read(cloud)
        if group is None:
            return None
        return SecurityGroup(
            name=self.name,
            id=group["GroupId"],
            # Not compared: EC2 cannot change it, and nothing hangs on it.
            description=self.description,
            vpc=refer(VPC, group["VpcId"]),
            shared=self.shared,
            tags=intersect_tags(group.get("Tags"), self.tags),
        )

    def _read(self, cloud: AWSCloud) -> dict[str, Any] | None:
        if self.shared:
            return SECURITY_GROUPS.by_id(SECURITY_GROUPS.wanted(cloud), self.id)
        if id_of(self.vpc) is None:
            return None
        groups = SECURITY_GROUPS.tagged(cloud)
        return SECURITY_GROUPS.owned(cloud, self, [group for group in groups if group["VpcId"] == id_of(self.vpc)])

    def check(self, cloud: AWSCloud, actual: SecurityGroup | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        require_shared(self, actual, f"security group {self.id}")
        for rule in self.remove_extra_rules or ():
            removal_ports(rule)

    def create(self, cloud: AWSCloud) -> None:
        if self.id is None:
            with settling():
                answer = cloud.client("ec2").create_security_group(
                    GroupName=self.name,
                    Description=self.description,
                    VpcId=id_of(self.vpc),
                    TagSpecifications=tag_specifications("security-group", self.tags),
                )
            self.id, self.created = answer["GroupId"], True

    def update(self, cloud: AWSCloud, actual: SecurityGroup, changes: dict[str, Change]) -> None:
        if not self.shared:
            update_tags(cloud, self, actual, changes)

    def deletions(self, cloud: AWSCloud, actual: SecurityGroup | None) -> list[Deletion]:
        scope = {removal_ports(rule) for rule in self.remove_extra_rules or ()}
        if actual is None or any(declared.is_ignored for declared in self.rules):
            return []
        existing = read_rules(cloud, actual)
        extra = [rule for rule in existing if not any(declared.may_be(rule) for declared in self.rules)]
        found = []
        for rule in extra:
            ours = is_owned(cloud, rule.get("Tags"))
            if ours or (rule.get("FromPort"), rule.get("ToPort")) in scope:
                at_once = ours and lets_in_a_network(rule)
                reason = _NOT_WANTED if at_once else _OF_INSTANCES if ours else _OF_OTHERS
                item, run = describe_rule(rule), partial(revoke, cloud, rule)
                found.append(Deletion(self.key, "SecurityGroupRule", item, run, deferred=not at_once, reason=reason))
        return found

    def resource_properties(self, target: CloudFormationTarget) -> dict[str, Any]:
        return {
            "GroupDescription": self.description,
            "GroupName": self.name,
            "Tags": tags(self.tags),
            "VpcId": target.ref(self.vpc),
        }

    def terraform(self, target: TerraformTarget) -> None:
        if not self.shared:
            target.resource(
                "aws_security_group",
                self.name,
                {
                    "description": self.description,
                    "name": self.name,
                    "tags": self.tags,
                    "vpc_id": link(self.vpc),
                },
            )

    def terraform_imports(self) -> Iterator[Import]:
        if not self.shared:
            yield Import("aws_security_group", self.name, str(self.id))

    def terraform_link(self) -> Literal | str:
        """The group's id as other resources write it."""
        return str(self.id) if self.shared else reference("aws_security_group", self.name)


def removal_ports(rule: str) -> tuple[int, int]:
    """First and last port of a removal rule, "port=22" or "port=3:4". Raises KopsError for anything else."""
    key, _equals, ports = rule.strip().partition("=")
    first, _colon, last = ports.partition(":")
    try:
        if key == "port":
            return int(first), int(last or first)
    except ValueError:
        pass
    raise KopsError(f"{rule!r} does not say which rules to remove: write port=N or port=N:M")


def read_rules(cloud: AWSCloud, group: SecurityGroup) -> list[dict[str, Any]]:
    """The rules of an existing group, read in one call for all groups of the cluster."""
    groups = [*SECURITY_GROUPS.tagged(cloud), *SECURITY_GROUPS.wanted(cloud)]
    identifiers = sorted({found["GroupId"] for found in groups})
    rules = SECURITY_GROUP_RULES.where(cloud, "group-id", *identifiers)
    return [rule for rule in rules if rule["GroupId"] == group.id]


def describe_rule(rule: dict[str, Any]) -> str:
    """An existing rule as one line: group, ports, protocol, and whom it lets through."""
    first, last = rule.get("FromPort"), rule.get("ToPort")
    source = rule.get("ReferencedGroupInfo", {}).get("GroupId")
    parts = {
        "port": None if first in (None, -1) else first if first == last else f"{first}-{last}",
        "protocol": None if rule.get("IpProtocol") == "-1" else rule.get("IpProtocol"),
        "group": source,
        "ip": rule.get("CidrIpv4"),
        "ipv6": rule.get("CidrIpv6"),
        "prefixlist": rule.get("PrefixListId"),
    }
    shown = " ".join(f"{key}={value}" for key, value in parts.items() if value is not None)
    return f"{rule['GroupId']}: {'egress ' if rule.get('IsEgress') else ''}{shown}"


def lets_in_a_network(rule: dict[str, Any]) -> bool:
    """Whether an existing rule opens a group for addresses, rather than for other groups."""
    return not rule.get("IsEgress") and any(rule.get(key) for key in ("CidrIpv4", "CidrIpv6", "PrefixListId"))


def revoke(cloud: AWSCloud, rule: dict[str, Any]) -> None:
    """Remove an existing rule from its group."""
    client = cloud.client("ec2")
    call = client.revoke_security_group_egress if rule.get("IsEgress") else client.revoke_security_group_ingress
    with already_gone():
        call(GroupId=rule["GroupId"], SecurityGroupRuleIds=[rule["SecurityGroupRuleId"]])
