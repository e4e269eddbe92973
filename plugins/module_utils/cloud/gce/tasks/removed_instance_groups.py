# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: nothing is left of instance groups that are no longer in the state store, nor of zones that they have left.

What is left is found by the metadata of the cluster's templates, in what is read for the groups that are there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ....engine.task import Deletion, internal
from ..cloud import GCECloud
from ..identifiers import path_of
from ..instances import GROUP_NAME, Described, group_of, metadata_of, owned_managers, owned_templates
from ._google import GoogleTask
from .instance_template import delete_template

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass(eq=False, repr=False)
class RemovedInstanceGroups(GoogleTask):
    """Deletion of what removed groups have left: managed groups and instance templates.

    managers: instance group that is there -> names of its managed groups.
    """

    managers: dict[str, list[str]] = internal(default_factory=dict)

    @property
    def is_absence(self) -> bool:
        return True

    def find(self, cloud: GCECloud) -> RemovedInstanceGroups:
        return dataclasses.replace(self)

    def deletions(self, cloud: GCECloud, actual: RemovedInstanceGroups) -> list[Deletion]:
        return [*self._managers(cloud), *self._templates(cloud)]

    def _managers(self, cloud: GCECloud) -> Iterator[Deletion]:
        templates, wanted = cloud.once(owned_templates), {name for names in self.managers.values() for name in names}
        for name, manager in cloud.once(owned_managers).items():
            group, size = group_of(manager, templates), int(manager.get("targetSize") or 0)
            if name in wanted or not group:
                continue
            why = (
                self._why(group)
                if group not in self.managers
                else f"its zone is none of instance group {group} any more"
            )
            ended = f"; {size} instance{'' if size == 1 else 's'} will be ended" if size else ""
            yield _deletion("InstanceGroupManager", name, partial(_delete, cloud, manager), why + ended)

    def _templates(self, cloud: GCECloud) -> Iterator[Deletion]:
        for name, template in cloud.once(owned_templates).items():
            group = metadata_of(template["properties"]).get(GROUP_NAME)
            if group and group not in self.managers:
                yield _deletion("InstanceTemplate", name, partial(delete_template, cloud, name), self._why(group))

    def _why(self, group: str) -> str:
        return f"its instance group {group} is not in the state store any more"

    def terraform(self, target: TerraformTarget) -> None:
        """Nothing: what is no longer in a configuration, Terraform deletes."""


def _deletion(kind: str, name: str, run: partial[None], reason: str) -> Deletion:
    return Deletion(f"{kind}/{name}", kind, name, run, reason=reason)


def _delete(cloud: GCECloud, manager: Described) -> None:
    """Delete a managed group, and with it its instances."""
    cloud.delete(path_of(str(manager["selfLink"])))
