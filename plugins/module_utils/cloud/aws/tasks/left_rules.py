# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: nothing of the cluster lets a network into security groups that the specification does not name any more.

Such are a group of the user that an override named before, and the groups of load balancers that it has no more.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ....engine.task import Deletion, internal
from ..cloud import AWSCloud
from ..ownership import owned
from ._task import AWSTask
from .security_group import SecurityGroup, describe_rule, lets_in_a_network, revoke

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget

_REASON = "still open; the specification does not name this security group any more, and instances may still have it"


@dataclass(eq=False, repr=False)
class LeftRules(AWSTask):
    """The cluster's rules in other groups than these go in a run with prune; until then, each run names them.

    groups: all that the specification names. Their own rules are their own affair.
    """

    groups: list[SecurityGroup] = internal(default_factory=list)

    @property
    def is_absence(self) -> bool:
        return True

    def find(self, cloud: AWSCloud) -> LeftRules:
        return dataclasses.replace(self)

    def deletions(self, cloud: AWSCloud, actual: LeftRules) -> list[Deletion]:
        named = {group.id for group in self.groups}
        left = [rule for rule in cloud.once(_read_rules) if rule["GroupId"] not in named and lets_in_a_network(rule)]
        return [
            Deletion(
                self.key,
                "SecurityGroupRule",
                describe_rule(rule),
                partial(revoke, cloud, rule),
                deferred=True,
                reason=_REASON,
            )
            for rule in left
        ]

    def terraform(self, target: TerraformTarget) -> None:
        """Nothing: what is no longer in a configuration, Terraform deletes."""

    def cloudformation(self, target: CloudFormationTarget) -> None:
        """Nothing: what is no longer in a template, CloudFormation deletes."""


def _read_rules(cloud: AWSCloud) -> list[dict[str, Any]]:
    return owned(cloud, "describe_security_group_rules", "SecurityGroupRules")
