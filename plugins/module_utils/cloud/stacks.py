# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks: objects that a cloud makes from a template, changes by another one, and deletes together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from ..api.yaml.read import read_documents
from ..base.errors import KopsError
from ..engine.targets.cloudformation import cluster_of
from .reads import Reads

CloudT_contra = TypeVar("CloudT_contra", bound=Reads, contravariant=True)


@dataclass(frozen=True)
class Stack:
    """A stack.

    id: of this one, and none that had its name before. status: as the cloud says it. template: the text that it was
    made from, or is to be; "" if there is none. is_begun: whether anything of it was made. is_busy: whether it is being
    changed. is_failed: whether nothing is in
    it, as its creation has failed; only deleting it helps. problem: why it cannot be changed, and what helps; "" if it
    can. is_protected: whether the cloud refuses to delete it. parts: the templates of the stacks nested in it, by their
    ids in its own.
    """

    name: str
    id: str
    status: str
    template: str = ""
    is_begun: bool = True
    is_busy: bool = False
    is_failed: bool = False
    problem: str = ""
    is_protected: bool = False
    parts: Mapping[str, str] = field(default_factory=dict)

    def is_of(self, cluster: str) -> bool:
        """Whether it was made from a template of a cluster."""
        return bool(self.template) and cluster_of(read_template(self.template.encode(), self.name)) == cluster


def read_template(content: bytes, source: str) -> Any:
    """A template; {} for what is none of ours, which have one document. source: of it, for messages."""
    try:
        (document,) = read_documents(content, source)
    except (KopsError, ValueError):
        return {}
    return document.data


@dataclass(frozen=True)
class Text:
    """A template. url: where the cloud reads it, if it is too large for a request; "" if it is not.

    has_parts: whether stacks are nested in it.
    """

    content: str
    url: str = ""
    has_parts: bool = False


@dataclass(frozen=True)
class Imported:
    """An object that is there, and that a stack takes in.

    name: the id of its resource in the template. type: of it. identifier: by what the cloud knows the object.
    """

    name: str
    type: str
    identifier: Mapping[str, str]


@dataclass(frozen=True)
class Drifted:
    """An object of a stack that others have changed, or deleted. before, after: what differs, as it is and should be.

    kind, name: as the cloud says them.
    """

    kind: str
    name: str
    is_gone: bool
    before: Mapping[str, str]
    after: Mapping[str, str]


class Stacks(Protocol[CloudT_contra]):
    """The stacks of a cloud. Progress is told to the client's `tell`.

    largest: bytes of a template that a request can hold. keeps: kinds of objects (see Resource) that outlive a stack.
    """

    largest: int
    keeps: Collection[str]

    def of(self, cloud: CloudT_contra, identifier: str) -> str:
        """The name of the stack that has made an object, by the object's id; "" for none."""

    def find(self, cloud: CloudT_contra, name: str) -> Stack | None:
        """A stack as it is now, by its name; None if there is none."""

    def fixed(self, cloud: CloudT_contra, kinds: Collection[str]) -> dict[str, set[str]]:
        """Kinds of resources -> paths of properties ("A.B") whose change replaces the resource."""

    def wait(self, cloud: CloudT_contra, stack: Stack) -> None:
        """Wait until nobody changes a stack any more, whatever comes of it."""

    def make(
        self,
        cloud: CloudT_contra,
        name: str,
        text: Text,
        stack: Stack | None,
        *,
        names: Mapping[str, str],
        replaced: Collection[str],
    ) -> None:
        """Make a stack, or change one that is there, and wait until it is as its template.

        names: ids in templates -> what a user calls them. replaced: ids of what may be replaced.
        Raises KopsError if the cloud would replace anything else, or refuses the template, before anything is changed;
        ApplyError with what failed, when the cloud has undone it.
        """

    def imported(
        self, cloud: CloudT_contra, resources: Mapping[str, Any], tasks: Mapping[str, Any], names: Collection[str]
    ) -> list[Imported]:
        """How the cloud knows objects that are there.

        resources: of a template. tasks: ids in it -> the tasks, which have found their objects. names: ids of those
        that are asked for; what a stack makes over what is there is not in the answer.
        Raises KopsError for what a stack cannot take in.
        """

    def take_in(
        self,
        cloud: CloudT_contra,
        name: str,
        text: Text,
        stack: Stack | None,
        objects: Sequence[Imported],
        names: Mapping[str, str],
    ) -> Stack:
        """Take objects that are there into a stack, or into a new one, and wait for it.

        text: the template with them, and nothing else that is new. names: as of make. Raises as make does.
        """

    def let_go(self, cloud: CloudT_contra, stack: Stack, text: Text, names: Mapping[str, str]) -> None:
        """Delete a stack, and nothing that it has. text: the template by which it keeps all. Raises as make does."""

    def drifted(self, cloud: CloudT_contra, stack: Stack) -> Iterable[Drifted]:
        """Let the cloud compare what a stack has with its template. Raises KopsError if it could not."""

    def delete(self, cloud: CloudT_contra, stack: Stack) -> None:
        """Delete a stack with all that it does not keep. Raises ApplyError with what could not be deleted."""
