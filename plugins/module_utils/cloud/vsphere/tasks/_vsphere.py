# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the tasks for objects of vCenter that have the tag of the cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....base.errors import KopsError
from ....engine.task import Change, Task, computed, internal
from .. import names
from ..cloud import VSphereCloud
from ..collecting import Described
from ..inventory import inventory
from ..kinds import WORDS
from ..ownership import is_empty, is_tagged, tagged
from .cluster_tag import ClusterTag


@dataclass(eq=False, repr=False)
class TaggedTask(Task[VSphereCloud]):
    """A folder or a resource pool; its task name is its own.

    vCenter makes an object and tags it by two calls. So one of that name without the tag is taken if nothing is in it.

    tagged: whether it has the tag. tag: of the cluster. id: as vCenter knows it.
    """

    tagged: bool | None = True
    tag: ClusterTag | None = internal()
    id: str | None = computed()

    of: ClassVar[str]

    def parent(self, cloud: VSphereCloud) -> str:
        """The id of what it is in. Raises KopsError."""
        raise NotImplementedError(f"{self.kind}.parent")

    def make(self, cloud: VSphereCloud, parent: str) -> str:
        """Make it, and give its id."""
        raise NotImplementedError(f"{self.kind}.make")

    def described(self, cloud: VSphereCloud) -> Described | None:
        """The object as vCenter has it. Raises KopsError if one of that name is not the cluster's."""
        known = cloud.once(inventory)
        found = known.child(self.parent(cloud), self.of, self.name)
        if found is None:
            elsewhere = next((each for each in known.of((self.of,)) if is_tagged(cloud, each)), None)
            if elsewhere is not None:
                raise KopsError(
                    f"the cluster's {WORDS[self.of]} is {known.path(elsewhere)}, and not where the specification says:"
                    " move it in vCenter, or change the specification"
                )
            return None
        if not is_tagged(cloud, found) and not is_empty(cloud, found):
            raise KopsError(
                f"vCenter has another {WORDS[self.of]} {known.path(found)}, which has not the tag"
                f" {names.tag(cloud.cluster_name)} and is not empty: rename it, or tag it if it is the cluster's"
            )
        return found

    def has_tag(self, cloud: VSphereCloud, found: Described) -> bool:
        """Whether it has the tag of the cluster."""
        return is_tagged(cloud, found)

    def create(self, cloud: VSphereCloud) -> None:
        if self.id is None:
            self.id = self.make(cloud, self.parent(cloud))
            cloud.forget(inventory)
        self._attach(cloud, self.id)

    def update(self, cloud: VSphereCloud, actual: Any, changes: dict[str, Change]) -> None:
        if "tagged" in changes:
            self._attach(cloud, str(self.id))

    def _attach(self, cloud: VSphereCloud, identifier: str) -> None:
        tag = self.needed(self.tag, "has no tag")
        cloud.tagging.attach(tag.needed(tag.id, "is not there"), self.of, identifier)
        cloud.forget(tagged)
