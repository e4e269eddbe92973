# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the tasks for objects of OpenStack: how those of a kind are read, known and made.

Most objects have no mark of their cluster, as kops makes them: they are known by their whole names, in the project.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from ....base.errors import KopsError
from ....engine.targets.hcl import Literal, ignoring
from ....engine.task import Task, TryAgainLater, computed, internal
from ...tasks.terraform_resource import TerraformResource
from .. import names
from ..cloud import Described, OpenStackCloud
from ..kinds import MEMBER, Kind

READY = "ready"
# The description of what gets its tags later, in a configuration of Terraform, which knows the name of its cluster.
MARK = Literal('"' + names.mark("${local.cluster_name}") + '"')
# Of what is imported, the provider reads no tags; kops gives no descriptions; and others may add their tags.
AS_IT_WAS_MADE = ignoring("description", "tags")

Referred = TypeVar("Referred", bound="OpenStackTask")


def described(cloud: OpenStackCloud, kind: Kind) -> list[dict[str, Any]]:
    """All objects of a kind. One call, and its further pages."""
    return cloud.read(kind)


def members(cloud: OpenStackCloud, pool: str) -> list[dict[str, Any]]:
    """The members of a pool. One call."""
    return cloud.read(MEMBER, pool=pool)


def refers(found: Described, owners: str, identifier: str | None) -> bool:
    """Whether an object of Octavia names one as its owner. owners: its property that lists them."""
    return identifier is not None and identifier in (each["id"] for each in found.get(owners) or ())


@dataclass(eq=False, repr=False)
class OpenStackTask(TerraformResource[OpenStackCloud]):
    """An object; its task name is its name in the project.

    only_id: it stands for an object that is there, of which no more is known.
    """

    id: str | None = computed()
    only_id: bool = internal(False)

    of: ClassVar[Kind]

    def dependencies(self) -> Iterator[Task[Any]]:
        return (each for each in super().dependencies() if not getattr(each, "only_id", False))

    def among(self, found: Described) -> bool:
        """Whether an object of that name can be this one."""
        return True

    def described(self, cloud: OpenStackCloud) -> Described | None:
        """The object as its service describes it. Raises KopsError if there are several of that name."""
        project = cloud.project
        found = [
            each
            for each in cloud.once(described, self.of)
            if each.get("name") == self.name and each.get("project_id", project) in (project, None) and self.among(each)
        ]
        return self.only(found)

    def only(self, found: Sequence[Described]) -> Described | None:
        """The one object; None for none. Raises KopsError for several."""
        if len(found) > 1:
            several = ", ".join(sorted(str(each["id"]) for each in found))
            raise KopsError(
                f"{len(found)} objects of the project are called {self.of.word} {self.name} ({several}):"
                " delete or rename those that are not the cluster's"
            )
        return found[0] if found else None

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        """The properties that it is made with."""
        return {"name": self.name}

    def create(self, cloud: OpenStackCloud) -> None:
        # A task whose object is not ready yet, or that has more to write, is carried out again.
        if self.id is None:
            self.take(cloud.make(self.of, given(self.request(cloud))))

    def take(self, made: Described) -> None:
        """Take over what the service says of the object that was just made."""
        self.id = str(made["id"])

    @classmethod
    def make_together(cls, cloud: OpenStackCloud, tasks: Sequence[OpenStackTask]) -> None:
        """Make those of Neutron's objects by one request that are not there. Raises KopsError."""
        missing = [task for task in tasks if task.id is None]
        if len(missing) == 1:
            # Not as many of one: of these, Neutron forgets address pairs.
            missing[0].take(cloud.make(cls.of, given(missing[0].request(cloud))))
            return
        made = cloud.make_many(cls.of, [given(task.request(cloud)) for task in missing]) if missing else {}
        for task in missing:
            if task.name not in made:
                raise KopsError(f"{task.key}: Neutron does not say that it has made the {cls.of.word}")
            task.take(made[task.name])


@dataclass(eq=False, repr=False)
class SettlingTask(OpenStackTask):
    """An object that its service says it makes, and makes later.

    state: READY, or the service's word while it is made, and where it has failed: then it is not as wanted.
    begun: the word with which it was just made, before it is looked at for the first time.
    status: the property with the service's word. coming, failed: its words for the two.
    """

    state: str | None = READY
    begun: str = internal("")

    status: ClassVar[str] = "status"
    coming: ClassVar[frozenset[str]]
    failed: ClassVar[frozenset[str]]

    def state_of(self, found: Described) -> str:
        """READY, or the word. Anything else that the service says is no matter of whether it was made."""
        word = str(found[self.status])
        return word if word in self.coming | self.failed else READY

    def failure(self, found: Described) -> str:
        """What is to be said of an object that has failed."""
        raise NotImplementedError(f"{self.kind}.failure")

    def take(self, made: Described) -> None:
        super().take(made)
        # Not all say it.
        self.begun = str(made.get(self.status, min(self.coming)))

    def wait(self, cloud: OpenStackCloud, since: float = 0.0) -> None:
        """As of every task. since: as of OpenStackCloud.latest()."""
        begun, self.begun = self.begun, ""
        if begun in self.coming:
            raise TryAgainLater(f"{self.of.word} {self.name} is in the state {begun}")
        found = cloud.latest(self.of, id_of(self), since)
        if found is None:
            raise TryAgainLater(f"{self.of.word} {self.name} is not shown yet")
        state = self.state_of(found)
        if state in self.failed:
            # Lists need not say why.
            raise KopsError(f"{self.of.word} {self.name} {self.failure(cloud.get(self.of, id_of(self)) or found)}")
        if state != READY:
            self.settle(cloud, found, state)

    def settle(self, cloud: OpenStackCloud, found: Described, state: str) -> None:
        """Do what makes it READY, if that is not the service's matter. Raises TryAgainLater until it is."""
        raise TryAgainLater(f"{self.of.word} {self.name} is in the state {state}")


def given(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The properties without those that are None."""
    return {key: value for key, value in properties.items() if value is not None}


def id_of(task: OpenStackTask | None) -> str:
    """The id of what a task refers to. Raises KopsError while it has none."""
    if task is None or task.id is None:
        raise KopsError(f"{task.key if task else 'what it refers to'} is not there")
    return task.id


def refer(kind: type[Referred], identifier: str | None) -> Referred | None:
    """A stand-in for an object that another one refers to; None for none."""
    return kind(name=identifier, id=identifier, only_id=True) if identifier else None


def set_tags(cloud: OpenStackCloud, kind: Kind, made: Described, tags: Sequence[str] | None) -> None:
    """Give tags to an object that was just made, and that nobody else knows: all by one request.

    made: as Neutron has described it, which may have taken tags with it.
    """
    if not set(tags or ()) <= set(made.get("tags") or ()):
        path, body = f"/{made['id']}/tags", {"tags": list(tags or ())}
        cloud.ask("PUT", kind, path, body, f"tag {kind.word} {made['id']}")


def add_tag(cloud: OpenStackCloud, kind: Kind, identifier: str, tag: str) -> None:
    """Add a tag to an object, and leave those of others."""
    cloud.ask("PUT", kind, f"/{identifier}/tags/{tag}", None, f"tag {kind.word} {identifier}")
