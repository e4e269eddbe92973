# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""vSphere task: the rule by which DRS keeps the machines of an instance group on different hosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....engine.task import Change, Task, internal, unordered
from .. import names
from ..cloud import VSphereCloud
from ..inventory import compute_cluster
from ..kinds import MACHINE
from ..ownership import at_places, machines, settings_of
from ..rules import change_rules, is_own, rules

# A rule is about several machines.
_LEAST = 2


@dataclass(eq=False, repr=False)
class AntiAffinityRule(Task[VSphereCloud]):
    """A rule. Where the group has fewer than two machines, none is wanted.

    servers: stable names of the machines. after: the tasks that make them.
    compute: the compute cluster, as the specification says it.
    """

    servers: list[str] | None = unordered()
    after: list[Task[Any]] = internal(default_factory=list)
    compute: str = internal("")

    def find(self, cloud: VSphereCloud) -> AntiAffinityRule | None:
        found = self._rule(cloud)
        if found is None:
            return None if len(self.servers or ()) >= _LEAST else AntiAffinityRule(self.name, servers=self.servers)
        members = {each._moId for each in found.vm or ()}
        own = {str(each["id"]): settings_of(each).get(names.NAME, "") for each in machines(cloud)}
        servers = [own[each] for each in members if each in own]
        return AntiAffinityRule(self.name, servers=servers if found.enabled else [])

    def _rule(self, cloud: VSphereCloud) -> Any:
        """The rule of the library; None if there is none. Raises KopsError if one of that name is not the cluster's."""
        compute = str(compute_cluster(cloud, self.compute)["id"])
        found = next((each for each in cloud.once(rules, compute) if each.name == self.name), None)
        if found is not None:
            is_own(cloud, found, refuse=True)
        return found

    def create(self, cloud: VSphereCloud) -> None:
        from pyVmomi import vim

        self._write(cloud, vim.cluster.AntiAffinityRuleSpec(name=self.name), "add")

    def update(self, cloud: VSphereCloud, actual: Any, changes: dict[str, Change]) -> None:
        found = self._rule(cloud)
        if found is None:
            self.create(cloud)
        elif len(self.servers or ()) < _LEAST:
            change_rules(cloud, self._compute(cloud), f"remove rule {self.name}", "remove", found)
        else:
            self._write(cloud, found, "edit")

    def _write(self, cloud: VSphereCloud, rule: Any, operation: str) -> None:
        found: Sequence[str] = at_places(cloud, self.servers or ())
        if len(found) < _LEAST:
            # They cannot be made now, which their own tasks say.
            return
        rule.enabled, rule.userCreated = True, True
        rule.vm = [cloud.object(MACHINE, each) for each in found]
        change_rules(cloud, self._compute(cloud), f"write rule {self.name}", operation, rule)

    def _compute(self, cloud: VSphereCloud) -> str:
        return str(compute_cluster(cloud, self.compute)["id"])
