# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a stack whose cluster stays: what it has made is left to updates without a target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...cloud.provider import explaining
from ...engine.plan_data import Action, entry_of
from ...engine.targets.template_imports import letting_go
from ...engine.targets.template_parts import Parts, whole
from ...engine.task import Task
from ...statestore.store import ClusterStore
from ..progress import Progress
from ..stacks import refuse_protected
from ..update.desired import Desired
from .stack import STACK, Stack, found_again, parts_of
from .stack_templates import stack_templates, stacks_of
from .target import Planned, TargetOptions, Written


class Release(Stack):
    """A stack that is deleted, and keeps nothing. The update does nothing else."""

    def tasks(self, options: TargetOptions, store: ClusterStore, desired: Desired) -> Mapping[str, Task[Any]]:
        """None. What is there is looked at, as the stack is known by it."""
        self.look(options, store, desired)
        return {}

    def planned(self, desired: Desired) -> Planned:
        """That the stack goes. Raises KopsError for one that is another cluster's, or may not be deleted."""
        target, _template = self.wanted(desired)
        stack = self.find(desired, target)
        if stack is None or not stack.is_begun:
            desired.warnings.append(f"cluster {desired.cluster.metadata.name} has no stack")
            return Planned()
        held = parts_of(stack, desired)
        refuse_protected(stack)
        count = len(whole(held)["Resources"]) if held is not None else 0
        reason = f"its {count} resources stay" if count else "nothing is in it"
        return Planned([entry_of(STACK, stack.name, Action.DELETE, reason=reason)], data=(stack, held))

    def write(
        self, options: TargetOptions, desired: Desired, planned: Planned, *, check: bool, progress: Progress
    ) -> Written:
        """Let the stack keep all that it has, and delete it."""
        if check or not planned.entries:
            return Written()
        (stack, held), stacks = planned.data, stacks_of(desired)
        with explaining(desired.provider):
            found_again(desired, stack.name, stack)
            if held is not None:
                parts = {name: letting_go(each) for name, each in held.parts.items()}
                templates = stack_templates(desired.store.path, Parts(letting_go(held.root), parts), stacks.largest)
                templates.store()
                stacks.let_go(desired.cloud, stack, templates.text, {})
                templates.remove_all()
            else:
                stacks.delete(desired.cloud, stack)
        return Written(next_step="kubeops.kops.update_cluster without a target adds what no stack can say")
