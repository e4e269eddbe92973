# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is left of rules in security groups that the specification does not name any more. kops leaves them."""

from __future__ import annotations

from ...cloud.aws.tasks.left_rules import LeftRules
from ...cloud.aws.tasks.security_group import SecurityGroup
from ...engine.task import Lifecycle
from ..context import ModelContext

# Overriding the lifecycle of one of these is meant for what is left over too.
_KINDS = ("SecurityGroup", "SecurityGroupRule")


def build(context: ModelContext) -> None:
    """One task that knows all security groups, so it is built after them."""
    overridden = [context.lifecycle_overrides.get(kind, Lifecycle.SYNC) for kind in _KINDS]
    lifecycle = next((each for each in overridden if each is not Lifecycle.SYNC), context.layers.security)
    groups = [task for task in context.tasks.values() if isinstance(task, SecurityGroup)]
    context.add(LeftRules(context.name, lifecycle, groups=groups))
