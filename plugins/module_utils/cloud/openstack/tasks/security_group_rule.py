# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: one rule of a security group."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....base.errors import KopsError
from ....engine.targets.hcl import ignoring
from ..cloud import Described, OpenStackCloud
from ..kinds import SECURITY_GROUP_RULE
from ._openstack import OpenStackTask, given, id_of
from .security_group import SecurityGroup

INGRESS, EGRESS = "ingress", "egress"
IPV4, IPV6 = "IPv4", "IPv6"
# By number: that of an IANA protocol which has no name in all versions of Neutron.
IP_IN_IP = "4"
_NAMES = {"ipip": IP_IN_IP, "ipv4": IP_IN_IP}


@dataclass(eq=False, repr=False)
class SecurityGroupRule(OpenStackTask):
    """Who may reach the ports of a group (egress: whom they may reach), on which ports.

    protocol: tcp, udp, a number; None for all. first, last: ports, inclusive; None for all.
    One of cidr and remote_group; neither of them means everybody. What a rule says is what identifies it.
    """

    security_group: SecurityGroup | None = None
    direction: str = INGRESS
    ethertype: str = IPV4
    protocol: str | None = None
    first: int | None = None
    last: int | None = None
    remote_group: SecurityGroup | None = None
    cidr: str | None = None

    of = SECURITY_GROUP_RULE
    resource = "openstack_networking_secgroup_rule_v2"

    def prepare(self, cloud: OpenStackCloud) -> None:
        if self.security_group is not None and self not in self.security_group.rules:
            self.security_group.rules.append(self)

    def find(self, cloud: OpenStackCloud) -> SecurityGroupRule | None:
        group, remote = self.security_group, self.remote_group
        if group is None or group.id is None or (remote is not None and remote.id is None):
            return None
        rule = next((rule for rule in group.present(cloud) if self.may_be(rule)), None)
        if rule is None:
            return None
        return SecurityGroupRule(
            self.name,
            id=rule["id"],
            security_group=group,
            direction=self.direction,
            ethertype=self.ethertype,
            protocol=self.protocol,
            first=self.first,
            last=self.last,
            remote_group=remote,
            cidr=self.cidr,
        )

    def may_be(self, rule: Described) -> bool:
        """Whether an existing rule of the same group says the same; a group that does not exist yet may be any."""
        theirs = rule.get("remote_group_id")
        remote = self.remote_group
        same = bool(theirs) if remote is not None and remote.id is None else theirs == (remote.id if remote else None)
        protocol = rule.get("protocol")
        return (
            same
            and rule["direction"] == self.direction
            and rule["ethertype"] == self.ethertype
            and _NAMES.get(str(protocol), protocol) == self.protocol
            and (rule.get("port_range_min"), rule.get("port_range_max")) == (self.first, self.last)
            and _canonical(rule.get("remote_ip_prefix")) == _canonical(self.cidr)
        )

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return given(
            {
                "direction": self.direction,
                "ethertype": self.ethertype,
                "protocol": self.protocol,
                "port_range_min": self.first,
                "port_range_max": self.last,
                "security_group_id": id_of(self.security_group),
                "remote_group_id": id_of(self.remote_group) if self.remote_group else None,
                "remote_ip_prefix": self.cidr,
            }
        )

    def batch_key(self) -> str | None:
        # Neutron takes many rules at once, all of one group.
        return self.security_group.key if self.security_group else None

    def create(self, cloud: OpenStackCloud) -> None:
        self.create_many(cloud, [self])

    @classmethod
    def create_many(cls, cloud: OpenStackCloud, tasks: Sequence[SecurityGroupRule]) -> None:
        made = {task: next(filter(task.may_be, _present(cloud, task)), None) for task in tasks}
        missing = [task for task, rule in made.items() if rule is None]
        if missing:
            group = missing[0].security_group
            body = {f"{SECURITY_GROUP_RULE.key}s": [task.request(cloud) for task in missing]}
            doing = f"add {len(missing)} rules to security group {group.name if group else ''}"
            answer = cloud.ask("POST", SECURITY_GROUP_RULE, "", body, doing)
            # In the order in which they were asked for.
            made.update(zip(missing, answer[f"{SECURITY_GROUP_RULE.key}s"]))
        for task, rule in made.items():
            if rule is None:
                raise KopsError(f"{task.key}: Neutron does not say that it has made the rule")
            task.id = str(rule["id"])

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            "direction": self.direction,
            "ethertype": self.ethertype,
            # Neutron may say a number by a name of the protocol.
            "lifecycle": ignoring("protocol") if (self.protocol or "").isdecimal() else None,
            "port_range_max": self.last,
            "port_range_min": self.first,
            "protocol": self.protocol,
            "remote_group_id": self.remote_group.terraform_link() if self.remote_group else None,
            "remote_ip_prefix": _canonical(self.cidr),
            "security_group_id": self.needed(self.security_group, "is of no group").terraform_link(),
        }


def _present(cloud: OpenStackCloud, task: SecurityGroupRule) -> list[Described]:
    return task.security_group.present(cloud) if task.security_group else []


def _canonical(cidr: str | None) -> str | None:
    """A network in one way of writing."""
    if not cidr:
        return None
    try:
        return str(ipaddress.ip_network(cidr, strict=False))
    except ValueError:
        return cidr
