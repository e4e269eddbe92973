# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: a security group, which lets traffic to the ports that are in it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from ....base.errors import KopsError
from ....engine.targets.hcl import ignoring
from ....engine.task import Deletion, internal
from ..cloud import Described, OpenStackCloud
from ..kinds import SECURITY_GROUP, SECURITY_GROUP_RULE
from ._openstack import OpenStackTask, described

_NOT_WANTED = "the specification does not have it any more"
_OF_SERVERS = f"{_NOT_WANTED}; servers that run may still need it"
RULES = "security_group_rules"


class DeclaredRule(Protocol):
    """A rule that a task declares for the group, as the group sees it."""

    @property
    def is_ignored(self) -> bool:
        """Whether this run leaves rules alone."""

    def may_be(self, rule: Described) -> bool:
        """Whether an existing rule of the group says the same."""


@dataclass(eq=False, repr=False)
class SecurityGroup(OpenStackTask):
    """A security group.

    A rule that no task declares goes, as with kops: at once if it lets a network in, else in a run with prune, since
    servers of earlier updates may still talk to each other by it.
    given: it is the user's, and only referred to.
    rules: those that tasks declare for it (they enter themselves). born_with: those that Neutron has made with it.
    """

    given: bool = internal(False)
    born_with: list[dict[str, Any]] = internal(default_factory=list)
    rules: list[DeclaredRule] = dataclasses.field(
        default_factory=list, metadata={"internal": True, "backreference": True}, repr=False
    )

    of = SECURITY_GROUP
    resource = "openstack_networking_secgroup_v2"

    def find(self, cloud: OpenStackCloud) -> SecurityGroup | None:
        found = self.described(cloud)
        if found is None:
            if self.given:
                raise KopsError(f"additionalSecurityGroups: the project has no security group {self.name}")
            return None
        return SecurityGroup(self.name, id=found["id"])

    def present(self, cloud: OpenStackCloud) -> list[Described]:
        """The rules that it has, as they were read; of a group that was not there then, those that it was made with."""
        for found in cloud.once(described, self.of):
            if found["id"] == self.id:
                return list(found[RULES])
        return list(self.born_with)

    def batch_key(self) -> str | None:
        return self.kind

    @classmethod
    def create_many(cls, cloud: OpenStackCloud, tasks: Sequence[SecurityGroup]) -> None:
        cls.make_together(cloud, tasks)

    def take(self, made: Described) -> None:
        super().take(made)
        # Neutron gives every group rules that let everything out.
        self.born_with = list(made[RULES])

    def deletions(self, cloud: OpenStackCloud, actual: SecurityGroup | None) -> list[Deletion]:
        if actual is None or self.given or any(declared.is_ignored for declared in self.rules):
            return []
        extra = [rule for rule in actual.present(cloud) if not any(declared.may_be(rule) for declared in self.rules)]
        return [self._deletion(cloud, rule) for rule in extra]

    def _deletion(self, cloud: OpenStackCloud, rule: Described) -> Deletion:
        at_once = rule["direction"] == "ingress" and not rule.get("remote_group_id")
        item, run = describe(rule), partial(cloud.delete, SECURITY_GROUP_RULE, str(rule["id"]))
        reason = _NOT_WANTED if at_once else _OF_SERVERS
        return Deletion(self.key, "SecurityGroupRule", item, run, deferred=not at_once, reason=reason)

    @property
    def is_lent(self) -> bool:
        return self.given

    def terraform_arguments(self) -> dict[str, Any]:
        # Those that Neutron makes with it are rules of the configuration, too; one that is imported keeps them.
        return {"delete_default_rules": True, "lifecycle": ignoring("delete_default_rules"), "name": self.name}


def describe(rule: Described) -> str:
    """An existing rule as one line: direction, protocol, ports, and whom it lets through."""
    first, last = rule.get("port_range_min"), rule.get("port_range_max")
    ports = "" if first is None else str(first) if first == last else f"{first}-{last}"
    other = rule.get("remote_group_id") or rule.get("remote_ip_prefix") or "anywhere"
    return " ".join(filter(None, (rule["direction"], rule["ethertype"], rule.get("protocol"), ports, other)))
