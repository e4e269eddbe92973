# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One rule of a security group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.imports import Import
from ....engine.task import Change, computed
from ..cloud import from_tags, intersect_tags, tag_specifications
from ._cidr import canonical
from ._ec2 import SECURITY_GROUP_RULES, add_tags, id_of, link, settling, update_tags
from ._task import AWSTask
from .security_group import SecurityGroup, read_rules

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget
    from ..cloud import AWSCloud

ANY_PROTOCOL = "-1"
ANY_TYPE = -1
ALL_PORTS = (0, 65535)
ANYWHERE = "0.0.0.0/0"
# With any other protocol, EC2 lets everything through whatever ports are given.
PROTOCOLS_WITH_PORTS = ("tcp", "udp", "icmp", "icmpv6")


@dataclass(eq=False, repr=False)
class SecurityGroupRule(AWSTask):
    """Who may reach a group (egress: whom it may reach), on which ports.

    protocol: tcp, udp, icmp, a number; None for all. from_port, to_port: inclusive; None for all.
    One of cidr, ipv6_cidr, prefix_list ("pl-...") and source_group; none of them means all of IPv4.
    What a rule says is what identifies it, so only its tags can differ.
    """

    id: str | None = computed()
    security_group: SecurityGroup | None = None
    cidr: str | None = None
    ipv6_cidr: str | None = None
    prefix_list: str | None = None
    protocol: str | None = None
    from_port: int | None = None
    to_port: int | None = None
    source_group: SecurityGroup | None = None
    egress: bool | None = None
    tags: dict[str, str] | None = None

    unsaid: ClassVar[frozenset[str]] = frozenset({"tags"})

    def prepare(self, cloud: AWSCloud) -> None:
        if self.security_group is not None and self not in self.security_group.rules:
            self.security_group.rules.append(self)

    def find(self, cloud: AWSCloud) -> SecurityGroupRule | None:
        group, source = self.security_group, self.source_group
        if group is None or group.id is None or (source is not None and source.id is None):
            return None
        rule = next((rule for rule in read_rules(cloud, group) if self.may_be(rule)), None)
        if rule is None:
            return None
        return SecurityGroupRule(
            name=self.name,
            id=rule["SecurityGroupRuleId"],
            security_group=group,
            cidr=self.cidr,
            ipv6_cidr=self.ipv6_cidr,
            prefix_list=self.prefix_list,
            protocol=self.protocol,
            from_port=self.from_port,
            to_port=self.to_port,
            source_group=source,
            egress=self.egress,
            tags=intersect_tags(rule.get("Tags"), self.tags),
        )

    def may_be(self, rule: dict[str, Any]) -> bool:
        """Whether an existing rule of the same group says the same; a source that does not exist yet may be any."""
        theirs = (rule.get("ReferencedGroupInfo") or {}).get("GroupId")
        source = theirs if self.source_group and self.source_group.id is None else id_of(self.source_group)
        has_source = self.source_group is not None
        return (
            bool(rule.get("IsEgress")) == bool(self.egress)
            and rule.get("IpProtocol") == (self.protocol or ANY_PROTOCOL)
            and (not self._has_ports() or (rule.get("FromPort"), rule.get("ToPort")) == self._ports())
            and canonical(rule.get("CidrIpv4")) == canonical(self._ipv4())
            and canonical(rule.get("CidrIpv6")) == canonical(self.ipv6_cidr)
            and rule.get("PrefixListId") == self.prefix_list
            and has_source == (theirs is not None)
            and source == theirs
        )

    def _has_ports(self) -> bool:
        return self.protocol in PROTOCOLS_WITH_PORTS

    def _ports(self) -> tuple[int, int]:
        first, last = ALL_PORTS if self.protocol in ("tcp", "udp") else (ANY_TYPE, ANY_TYPE)
        return (first if self.from_port is None else self.from_port, last if self.to_port is None else self.to_port)

    def _ipv4(self) -> str | None:
        others = (self.ipv6_cidr, self.prefix_list, self.source_group)
        return self.cidr or (ANYWHERE if all(other is None for other in others) else None)

    def check(self, cloud: AWSCloud, actual: SecurityGroupRule | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        sources = [name for name in ("cidr", "ipv6_cidr", "prefix_list", "source_group") if getattr(self, name)]
        if len(sources) > 1:
            raise KopsError(f"{self.key}: a rule is for one of a CIDR, a prefix list or a group, not for {sources}")
        if self.protocol is None and (self.from_port is not None or self.to_port is not None):
            raise KopsError(f"{self.key}: a rule with ports needs a protocol")

    def create(self, cloud: AWSCloud) -> None:
        with settling():
            # EC2 gives every new group a rule that lets everything out, so that one is not made but taken over.
            if self.egress and self.security_group and self.security_group.created and self._take_over(cloud):
                return
            self._authorize(cloud)

    def _authorize(self, cloud: AWSCloud) -> None:
        client = cloud.client("ec2")
        authorize = client.authorize_security_group_egress if self.egress else client.authorize_security_group_ingress
        answer = authorize(
            GroupId=id_of(self.security_group),
            IpPermissions=[self._permission()],
            TagSpecifications=tag_specifications("security-group-rule", self.tags),
        )
        self.id = next((rule["SecurityGroupRuleId"] for rule in answer.get("SecurityGroupRules", ())), None)

    def _take_over(self, cloud: AWSCloud) -> bool:
        group = str(id_of(self.security_group))
        rules = cloud.once(_read_new_rules, group)
        rule = next((rule for rule in rules if self.may_be(rule)), None)
        if rule is None:
            cloud.forget(_read_new_rules, group)
            return False
        self.id = rule["SecurityGroupRuleId"]
        add_tags(cloud, str(self.id), self.tags, from_tags(rule.get("Tags")))
        return True

    def _permission(self) -> dict[str, Any]:
        first, last = self._ports()
        permission: dict[str, Any] = {"IpProtocol": self.protocol or ANY_PROTOCOL}
        if self.protocol is not None:
            permission |= {"FromPort": first, "ToPort": last}
        if self.source_group is not None:
            permission["UserIdGroupPairs"] = [{"GroupId": self.source_group.id}]
        elif self.ipv6_cidr:
            permission["Ipv6Ranges"] = [{"CidrIpv6": self.ipv6_cidr}]
        elif self.prefix_list:
            permission["PrefixListIds"] = [{"PrefixListId": self.prefix_list}]
        else:
            permission["IpRanges"] = [{"CidrIp": self._ipv4()}]
        return permission

    def update(self, cloud: AWSCloud, actual: SecurityGroupRule, changes: dict[str, Change]) -> None:
        update_tags(cloud, self, actual, changes)

    def cloudformation(self, target: CloudFormationTarget) -> None:
        group = self.needed(self.security_group, "names no security group")
        if self.egress and self.source_group is None and group.existing is None:
            # A group without any in its own resource would get those of EC2.
            rule = self._in_template(target, "Destination")
            target.add(group, "SecurityGroupEgress", {key: each for key, each in rule.items() if each is not None})
            return
        way, other = ("Egress", "Destination") if self.egress else ("Ingress", "Source")
        rule = {"GroupId": target.ref(group), **self._in_template(target, other)}
        target.resource(self, f"AWS::EC2::SecurityGroup{way}", rule)

    def _in_template(self, target: CloudFormationTarget, other: str) -> dict[str, Any]:
        """The rule. other: what its other end is called."""
        first, last = self._ports() if self._has_ports() else (None, None)
        return {
            "CidrIp": self._ipv4(),
            "CidrIpv6": self.ipv6_cidr,
            "FromPort": first,
            "IpProtocol": self.protocol or ANY_PROTOCOL,
            f"{other}PrefixListId": self.prefix_list,
            f"{other}SecurityGroupId": target.ref(self.source_group),
            "ToPort": last,
        }

    def _terraform_ports(self) -> tuple[int, int]:
        first, last = ALL_PORTS if self.protocol else (0, 0)
        return (first if self.from_port is None else self.from_port, last if self.to_port is None else self.to_port)

    def terraform(self, target: TerraformTarget) -> None:
        first, last = self._terraform_ports()
        target.resource(
            "aws_security_group_rule",
            self.name,
            {
                "type": "egress" if self.egress else "ingress",
                "security_group_id": link(self.security_group),
                "source_security_group_id": link(self.source_group),
                "from_port": first,
                "to_port": last,
                "protocol": self.protocol or ANY_PROTOCOL,
                "cidr_blocks": [self.cidr] if self.cidr else None,
                "ipv6_cidr_blocks": [self.ipv6_cidr] if self.ipv6_cidr else None,
                "prefix_list_ids": [self.prefix_list] if self.prefix_list else None,
            },
        )

    def terraform_imports(self) -> Iterator[Import]:
        other = self._ipv4() or self.ipv6_cidr or self.prefix_list or id_of(self.source_group)
        way = "egress" if self.egress else "ingress"
        parts = (id_of(self.security_group), way, self.protocol or "all", *self._terraform_ports(), other)
        yield Import("aws_security_group_rule", self.name, "_".join(map(str, parts)))


def _read_new_rules(cloud: AWSCloud, group: str) -> list[dict[str, Any]]:
    chosen = [{"Name": "group-id", "Values": [group]}]
    found = cloud.paged("ec2", SECURITY_GROUP_RULES.operation, SECURITY_GROUP_RULES.result, Filters=chosen)
    return [rule for rule in found if rule["GroupId"] == group]
