# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the tasks for objects of DigitalOcean: how those of a kind are found, and made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from ....base.errors import KopsError
from ....engine.targets.hcl import Literal
from ....engine.task import Task, TryAgainLater, computed, internal
from ...tasks.terraform_resource import TerraformResource
from .. import names
from ..cloud import Described, DigitalOceanCloud
from ..kinds import Kind
from ..ownership import described

READY = "ready"
# What names the cluster, in a configuration of Terraform, which knows the name.
MARK = Literal('"' + names.mark("${local.cluster_name}") + '"')

Referred = TypeVar("Referred", bound="DigitalOceanTask")


@dataclass(eq=False, repr=False)
class DigitalOceanTask(TerraformResource[DigitalOceanCloud]):
    """An object; its task name is its name in the account. only_id: it stands for one that is there."""

    id: str | None = computed()
    only_id: bool = internal(False)

    of: ClassVar[Kind]

    def dependencies(self) -> Iterator[Task[Any]]:
        return (each for each in super().dependencies() if not getattr(each, "only_id", False))

    def named(self, cloud: DigitalOceanCloud) -> Described | None:
        """The object of that name, whoever has made it. Raises KopsError if there are several."""
        return self.only([each for each in cloud.once(described, self.of) if each["name"] == self.name])

    def only(self, found: list[Described]) -> Described | None:
        """The one object; None for none. Raises KopsError for several."""
        if len(found) > 1:
            several = ", ".join(sorted(str(each["id"]) for each in found))
            raise KopsError(
                f"{len(found)} objects of the account are called {self.of.word} {self.name} ({several}):"
                " delete or rename those that are not the cluster's"
            )
        return found[0] if found else None

    def not_own(self) -> KopsError:
        """What is said of an object that has the name, and is not the cluster's."""
        return KopsError(
            f"{self.of.word} {self.name}: there is one in the account already, and nothing says that it is the"
            " cluster's; it stays as it is. Delete or rename it, or give the cluster another name"
        )

    def request(self, cloud: DigitalOceanCloud) -> dict[str, Any]:
        """The properties that it is made with."""
        raise NotImplementedError(f"{self.kind}.request")

    def create(self, cloud: DigitalOceanCloud) -> None:
        # A task whose object is not ready yet is carried out again.
        if self.id is None:
            self.take(cloud.make(self.of, given(self.request(cloud))))

    def take(self, made: Described) -> None:
        """Take over what DigitalOcean says of the object that was just made."""
        self.id = str(made["id"])


@dataclass(eq=False, repr=False)
class SettlingTask(DigitalOceanTask):
    """An object that DigitalOcean makes later than it says so.

    state: READY, or DigitalOcean's word while it is made, and where that has failed: then it is not as wanted.
    coming, failed: its words for the two.
    """

    state: str | None = READY

    coming: ClassVar[frozenset[str]]
    failed: ClassVar[frozenset[str]]

    def state_of(self, found: Described) -> str:
        """READY, or the word. Anything else that is said is no matter of whether it was made."""
        word = str(found["status"])
        return word if word in self.coming | self.failed else READY

    def wait(self, cloud: DigitalOceanCloud) -> None:
        found = cloud.latest(self.of, id_of(self))
        state = "gone" if found is None else self.state_of(found)
        if state in self.failed:
            raise KopsError(f"{self.of.word} {self.name} is {state}: delete it, and run again")
        if state != READY:
            raise TryAgainLater(f"{self.of.word} {self.name} is {state}")
        if found is not None:
            self.take(found)


def given(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The properties without those that are None."""
    return {key: value for key, value in properties.items() if value is not None}


def id_of(task: DigitalOceanTask | None) -> str:
    """The id of what a task refers to. Raises KopsError while it has none."""
    if task is None or task.id is None:
        raise KopsError(f"{task.key if task else 'what it refers to'} is not there")
    return task.id


def refer(kind: type[Referred], identifier: str | None) -> Referred | None:
    """A stand-in for an object that another one refers to; None for none."""
    return kind(name=identifier, id=identifier, only_id=True) if identifier else None
