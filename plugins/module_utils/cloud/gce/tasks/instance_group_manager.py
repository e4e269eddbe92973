# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: a managed instance group: the instances of an instance group in one zone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.hcl import Block, Literal, reference
from ....engine.task import Change, internal, unordered
from ..cloud import GCECloud
from ..detached import own_size
from ..identifiers import last_component
from ..instances import MADE_BY, metadata_of, owned_instances, owned_managers, templates_of
from ..ownership import is_owned
from ..resources.listing import BY_NAME, GROUP, MANAGER
from ._compute import ComputeTask, Described, described, given, referred
from .instance_template import InstanceTemplate
from .target_pool import TargetPool

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget


@dataclass
class UpdatePolicy:
    """When running instances follow a new template. type: OPPORTUNISTIC, not by themselves. minimal_action: REPLACE."""

    minimal_action: str
    type: str


@dataclass(eq=False, repr=False)
class InstanceGroupManager(ComputeTask):
    """A managed group of a zone; its task name is its name. Its instances follow its template.

    base_instance_name: what its instances' names begin with. target_size: number of instances when it is created.
    bounds: the fewest and most instances; a number within them is left as it is, since an autoscaler may have set it.
    list_managed_instances_results: PAGINATED, whole lists of large groups in pages.
    """

    zone: str | None = None
    base_instance_name: str | None = None
    instance_template: InstanceTemplate | None = None
    list_managed_instances_results: str | None = None
    target_size: int | None = None
    update_policy: UpdatePolicy | None = None
    target_pools: list[TargetPool] | None = unordered()
    bounds: tuple[int, int] | None = internal()

    of = BY_NAME[MANAGER]
    resource = "google_compute_instance_group_manager"
    immutable: ClassVar[frozenset[str]] = frozenset({"base_instance_name"})

    def scope(self, cloud: GCECloud) -> str:
        return f"zones/{self.zone}"

    def group_path(self, cloud: GCECloud) -> str:
        """Path of the group of instances that it manages, which backends name."""
        return f"{cloud.project}/{self.scope(cloud)}/{BY_NAME[GROUP].collection}/{self.name}"

    # -- what exists --------------------------------------------------------------------------------------------

    def described(self, cloud: GCECloud) -> Described | None:
        """As of every object, but a group is known by its templates. All groups are read if one is missing only."""
        found = cloud.once(owned_managers).get(self.name)
        if found is None:
            found = cloud.once(described, self.of).get(self.path(cloud))
            if found is not None and not is_owned(cloud, found):
                raise KopsError(
                    f"{self.key}: there is one in project {cloud.project} already, and it is not made from"
                    f" templates of cluster {cloud.cluster_name}; it stays as it is. Delete it, or give the instance"
                    " group another name"
                )
        self.seen = found
        return found

    def find(self, cloud: GCECloud) -> InstanceGroupManager | None:
        if self.bounds is not None:
            self.target_size = self.bounds[0]
        found = self.described(cloud)
        if found is None:
            return None
        policy = found.get("updatePolicy") or {}
        if self.bounds is not None:
            self.target_size = self._size_within(cloud, found, *self.bounds)
        return InstanceGroupManager(
            self.name,
            zone=last_component(str(found.get("zone", ""))),
            base_instance_name=found.get("baseInstanceName"),
            instance_template=self._template_of(found),
            list_managed_instances_results=found.get("listManagedInstancesResults"),
            target_size=self.target_size if self.bounds is None else int(found.get("targetSize") or 0),
            update_policy=UpdatePolicy(str(policy.get("minimalAction")), str(policy.get("type"))),
            target_pools=referred(
                found.get("targetPools") or (), self.target_pools, lambda each: each.path(cloud), TargetPool
            ),
        )

    def _template_of(self, found: Described) -> InstanceTemplate:
        names = templates_of(found)
        if self.instance_template is not None and names == {self.instance_template.id}:
            return self.instance_template
        name = ", ".join(sorted(names))
        return InstanceTemplate(name, id=name)

    def _size_within(self, cloud: GCECloud, found: Described, fewest: int, most: int) -> int:
        """The target size, moved into the bounds; instances that a rolling update has detached do not count."""
        size = own = int(found.get("targetSize") or 0)
        if size > most:
            made = [each for each in cloud.once(owned_instances) if _maker_of(each) == self.name]
            own = own_size(found, made)
        return size + min(max(own, fewest), most) - own

    # -- what is wanted -----------------------------------------------------------------------------------------

    def check(self, cloud: GCECloud, actual: InstanceGroupManager | None, changes: dict[str, Change]) -> None:
        self.needed(self.instance_template, "has no instance template")
        if self.bounds is not None and self.bounds[0] > self.bounds[1]:
            raise KopsError(f"{self.key}: the smallest size {self.bounds[0]} is above the largest {self.bounds[1]}")
        super().check(cloud, actual, changes)

    def create(self, cloud: GCECloud) -> None:
        self.insert(
            cloud,
            baseInstanceName=self.base_instance_name,
            instanceTemplate=self._template_url(cloud),
            targetSize=self.target_size,
            targetPools=[pool.url(cloud) for pool in self.target_pools or ()] or None,
            **self._settings(),
        )

    def update(self, cloud: GCECloud, actual: InstanceGroupManager, changes: dict[str, Change]) -> None:
        path = self.path(cloud)
        if "target_pools" in changes:
            pools = [pool.url(cloud) for pool in self.target_pools or ()]
            cloud.call(f"{path}/setTargetPools", {"targetPools": pools})
        if "instance_template" in changes:
            cloud.call(f"{path}/setInstanceTemplate", {"instanceTemplate": self._template_url(cloud)})
        if changes.keys() & {"list_managed_instances_results", "update_policy"}:
            cloud.patch(path, self._settings())
        if "target_size" in changes:
            cloud.call(f"{path}/resize", size=str(self.target_size))

    def _template_url(self, cloud: GCECloud) -> str:
        return self.needed(self.instance_template, "has no instance template").url(cloud)

    def _settings(self) -> dict[str, Any]:
        policy = self.update_policy
        return given(
            {
                "listManagedInstancesResults": self.list_managed_instances_results,
                "updatePolicy": {"minimalAction": policy.minimal_action, "type": policy.type} if policy else None,
            }
        )

    def consequence(self, actual: InstanceGroupManager, changes: dict[str, Change]) -> str:
        if "target_size" not in changes:
            return ""
        ended = (actual.target_size or 0) - (self.target_size or 0)
        return f"{ended} instance{'' if ended == 1 else 's'} of Google's choice will be ended" if ended > 0 else ""

    # -- Terraform ----------------------------------------------------------------------------------------------

    def terraform_group(self) -> Literal:
        """The group of instances that it manages, as backends name it."""
        return reference(self.resource, self.name, "instance_group")

    def terraform(self, target: TerraformTarget) -> None:
        policy, template = self.update_policy, self.instance_template
        target.resource(
            self.resource,
            self.name,
            {
                "base_instance_name": self.base_instance_name,
                # The autoscaler changes it.
                "lifecycle": Block(ignore_changes=[Literal("target_size")]),
                "list_managed_instances_results": self.list_managed_instances_results,
                "name": self.name,
                "target_pools": [pool.terraform_link() for pool in self.target_pools or ()],
                "target_size": self.target_size,
                "update_policy": Block(minimal_action=policy.minimal_action, type=policy.type) if policy else None,
                "version": Block(instance_template=template.terraform_link() if template else None),
                "zone": self.zone,
            },
        )


def _maker_of(instance: Described) -> str:
    return last_component(metadata_of(instance).get(MADE_BY, ""))
