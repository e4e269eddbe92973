# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the tasks for objects of Hetzner Cloud: how those of a kind are read, known and made.

Names are unique in a project for each kind of object, and each object of a cluster has its label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from ....base.errors import KopsError
from ....engine.task import Change, Task, computed, internal
from ...tasks.terraform_resource import TerraformResource
from .. import names
from ..cloud import Described, HetznerCloud, described
from ..kinds import Kind

Referred = TypeVar("Referred", bound="HetznerTask")


@dataclass(eq=False, repr=False)
class HetznerTask(TerraformResource[HetznerCloud]):
    """An object; its task name is its name in the project.

    labels: those that the cluster gives it; others may have theirs.
    only_id: it stands for an object that is there, of which no more is known.
    """

    labels: dict[str, str] | None = None
    id: int | None = computed()
    only_id: bool = internal(False)

    of: ClassVar[Kind]

    def dependencies(self) -> Iterator[Task[Any]]:
        return (each for each in super().dependencies() if not getattr(each, "only_id", False))

    def described(self, cloud: HetznerCloud) -> Described | None:
        """The object as the API describes it. Raises KopsError if one of that name is not the cluster's."""
        found = next((each for each in cloud.once(described, self.of) if each["name"] == self.name), None)
        if found is not None and found["labels"].get(names.CLUSTER) != cloud.cluster_name:
            label = names.selector(names.of_cluster(cloud.cluster_name))
            raise KopsError(
                f"the project has another {self.of.word} {self.name} ({found['id']}), without the label {label}:"
                " rename or delete it, or give it the label if it is the cluster's"
            )
        return found

    def own_labels(self, found: Described) -> dict[str, str] | None:
        """Of the labels that an object has, those that are compared."""
        if self.labels is None:
            return None
        return {key: value for key, value in found["labels"].items() if key in self.labels}

    def request(self, cloud: HetznerCloud) -> dict[str, Any]:
        """The properties that it is made with."""
        return {"name": self.name, "labels": self.labels or {}}

    def create(self, cloud: HetznerCloud) -> None:
        # A task whose object is not ready yet is carried out again.
        if self.id is None:
            self.take(cloud.make(self.of, self.request(cloud)))

    def take(self, made: Described) -> None:
        """Take over what the API says of the object that was just made."""
        self.id = int(made["id"])

    def wait(self, cloud: HetznerCloud) -> None:
        cloud.settle(self.of, id_of(self), self.name)

    def update(self, cloud: HetznerCloud, actual: Any, changes: dict[str, Change]) -> None:
        if "labels" in changes:
            self.relabel(cloud, id_of(actual))

    def relabel(self, cloud: HetznerCloud, identifier: int) -> None:
        """Give an object its labels, and leave it those of others."""
        found: Mapping[str, str] = next(
            (each["labels"] for each in cloud.once(described, self.of) if each["id"] == identifier), {}
        )
        cloud.change(self.of, identifier, {"labels": {**found, **(self.labels or {})}})

    def terraform_arguments(self) -> dict[str, Any]:
        return {**super().terraform_arguments(), "labels": self.labels}


def id_of(task: HetznerTask | None) -> int:
    """The id of what a task refers to. Raises KopsError while it has none."""
    if task is None or task.id is None:
        raise KopsError(f"{task.key if task else 'what it refers to'} is not there")
    return task.id


def refer(kind: type[Referred], identifier: int | None) -> Referred | None:
    """A stand-in for an object that another one refers to; None for none."""
    return kind(name=str(identifier), id=identifier, only_id=True) if identifier else None
