# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task is: one declared object that the engine makes real, prints, or renders."""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Generic, TypeVar

from ..base.errors import KopsError


class Lifecycle(str, enum.Enum):
    """What the engine may do with an object (kops' lifecycles)."""

    SYNC = "Sync"
    IGNORE = "Ignore"
    WARN_IF_INSUFFICIENT_ACCESS = "WarnIfInsufficientAccess"
    EXISTS_AND_VALIDATES = "ExistsAndValidates"
    EXISTS_AND_WARN_IF_CHANGES = "ExistsAndWarnIfChanges"


class TryAgainLater(KopsError):
    """Something that this task needs is not ready yet (eventual consistency): the engine starts the task again."""


class AnswerLost(TryAgainLater):
    """Nobody knows whether a write was carried out: what exists is looked at before anything is written again.

    still: seconds for which the cloud may go on carrying it out, such as after a timeout.
    """

    def __init__(self, message: str, still: float = 0.0) -> None:
        self.still = still
        super().__init__(message)


class Twins(KopsError):
    """Several objects are what one task stands for. spare: remove those of them that nothing uses, all but one."""

    def __init__(self, message: str, spare: Sequence[Callable[[], None]]) -> None:
        self.spare = list(spare)
        super().__init__(message)


class ImmutableField(KopsError):
    """The object exists and differs in a field that the cloud cannot change in place."""


@dataclass(frozen=True)
class Change:
    """One field that differs: what exists, what is wanted."""

    before: Any
    after: Any


@dataclass
class Deletion:
    """Something that exists and is no longer wanted.

    deferred: only removed when pruning is asked for (old launch template versions, replaced target groups).
    run: removes it; succeeds when it is already gone; raises TryAgainLater until it is.
    reason: why, where that is not obvious.
    leaves: the instance that it takes out of its group, which runs on until a rolling update has drained it.
    """

    task: str
    kind: str
    item: str
    run: Callable[[], None]
    deferred: bool = False
    reason: str = ""
    leaves: str = ""


# The functions below are called in the bodies of dataclasses, which is where a field may be declared.
_declare: Any = functools.partial(dataclasses.field)


def computed(default: Any = None) -> Any:
    """A field that the cloud fills in (id, arn): never compared, taken over from what exists, set by create()."""
    return _declare(default=default, metadata={"computed": True})


def internal(default: Any = None, default_factory: Any = dataclasses.MISSING) -> Any:
    """A field that steers the task and is no property of the object: neither compared nor shown."""
    if default_factory is not dataclasses.MISSING:
        return _declare(default_factory=default_factory, metadata={"internal": True})
    return _declare(default=default, metadata={"internal": True})


def unordered(default: Any = None, default_factory: Any = dataclasses.MISSING) -> Any:
    """A list whose order carries no meaning."""
    if default_factory is not dataclasses.MISSING:
        return _declare(default_factory=default_factory, metadata={"unordered": True})
    return _declare(default=default, metadata={"unordered": True})


def secret(default: Any = None) -> Any:
    """A value that is compared but never shown."""
    return _declare(default=default, metadata={"secret": True})


# What a kind of task needs of a cloud: its client, or less where the object is not in the cloud but in the store.
CloudT_contra = TypeVar("CloudT_contra", contravariant=True)
ValueT = TypeVar("ValueT")


@dataclass(eq=False)
class Task(Generic[CloudT_contra]):
    """One declared object.

    A field that is None means "don't care". A field that holds another task (or a list or dict of them) is a
    reference: the engine runs that task first, and compares the reference by :meth:`identity`.
    Subclasses are dataclasses, one file a kind, and give find, create and update, and for each target that renders them
    a method of its name (targets/rendering.py).
    """

    name: str
    lifecycle: Lifecycle = dataclasses.field(default=Lifecycle.SYNC, metadata={"internal": True})

    # Fields that cannot change on an existing object: the engine refuses before anything is written.
    immutable: ClassVar[frozenset[str]] = frozenset()
    # Something that exists must be looked up (find and adopt) before a rendering can refer to it.
    found_before_rendering: ClassVar[bool] = False
    # Instances are started from it: those that run get its changes only when they are replaced.
    starts_instances: ClassVar[bool] = False

    @property
    def kind(self) -> str:
        """The class name; with the name it identifies the task ("VPC/demo.example.com")."""
        return type(self).__name__

    @property
    def key(self) -> str:
        """Unique among all tasks of a cluster."""
        return f"{self.kind}/{self.name}"

    def needed(self, value: ValueT | None, lacking: str) -> ValueT:
        """The value of a field without which there is no such object.

        KopsError: it is None or empty. lacking: what the message says then of the task, such as "has no subnets".
        """
        if not value:
            raise KopsError(f"{self.key} {lacking}")
        return value

    @property
    def store_only(self) -> bool:
        """Whether it is kept in the state store under every target, so that none renders it."""
        return False

    @property
    def made_directly(self) -> bool:
        """Whether no target renders it: it comes and goes, or is known only then. A direct run makes it afterwards."""
        return False

    @property
    def is_absence(self) -> bool:
        """Whether it wants that something is not there, and so is no object that a reader would count."""
        return False

    @property
    def is_ignored(self) -> bool:
        """Whether it is only looked up, and never written under any target."""
        return self.lifecycle is Lifecycle.IGNORE

    @property
    def doubts_when_rendered(self) -> list[str]:
        """Sentences about what a rendering says and the cloud will refuse; a direct run leaves it out."""
        return []

    def __repr__(self) -> str:
        return f"<{self.key}>"

    def identity(self) -> str:
        """How a reference to this task is compared: its id once known, else its key."""
        return getattr(self, "arn", None) or getattr(self, "id", None) or self.key

    def dependencies(self) -> Iterator[Task[Any]]:
        """The tasks that must be done before this one: all that its fields refer to."""
        for declared in dataclasses.fields(self):
            if not declared.metadata.get("backreference"):
                yield from _tasks_in(getattr(self, declared.name))

    # -- direct target ------------------------------------------------------------------------------------------

    def prepare(self, cloud: CloudT_contra) -> None:
        """Before the first find, for every task: announce what will be asked for, so that reads can be batched."""

    def find(self, cloud: CloudT_contra) -> Task[CloudT_contra] | None:
        """The object as it exists, as another instance of this class; None when it does not exist.

        Works on batched reads (cloud.once): never one call for each object. References in the result are
        instances whose id is set. Fields that cannot be read back are copied from self.
        """
        raise NotImplementedError(f"{self.kind}.find")

    def check(self, cloud: CloudT_contra, actual: Any, changes: dict[str, Change]) -> None:
        """Refuse what cannot be done, before anything is written: raise a KopsError with a clear text."""
        fixed = sorted(self.immutable & changes.keys()) if actual is not None else []
        if fixed:
            what = "; ".join(f"{name}: {show(changes[name].before)} -> {show(changes[name].after)}" for name in fixed)
            raise ImmutableField(f"{self.key} exists and cannot be changed in place ({what})")

    def create(self, cloud: CloudT_contra) -> None:
        """Create the object with its tags in the creating call, and set the computed fields.

        It is called again while `wait` raises, or when it has raised TryAgainLater itself: a known id says that the
        object is there.
        """
        raise NotImplementedError(f"{self.kind}.create")

    def batch_key(self) -> str | None:
        """Tasks that are ready at the same time and share a key are created by one create_many; None: one by one."""
        return None

    @classmethod
    def create_many(cls, cloud: CloudT_contra, tasks: Sequence[Any]) -> None:
        """Create several objects that share a batch_key with fewer calls than one by one."""
        for task in tasks:
            task.create(cloud)

    def wait(self, cloud: CloudT_contra) -> None:
        """Raise TryAgainLater until the object, which this run has made, can be used by those that refer to it."""

    def update(self, cloud: CloudT_contra, actual: Any, changes: dict[str, Change]) -> None:
        """Make the existing object equal, writing only what is in changes."""
        raise NotImplementedError(f"{self.kind}.update")

    def consequence(self, actual: Any, changes: dict[str, Change]) -> str:
        """What follows of a change besides it, for the reader of a plan; "" for nothing."""
        return ""

    def remarks(self) -> list[str]:
        """What the user should know of how it was made: sentences, which are warnings of the run."""
        return []

    def deletions(self, cloud: CloudT_contra, actual: Any) -> list[Deletion]:
        """What exists around this object and is not wanted (stray security group rules, old versions)."""
        return []


@dataclass(eq=False)
class Deferred:
    """Text that is known only when other tasks are done (a policy that names a hosted zone yet to be created).

    needs: those tasks; build: gives the text. A field that may hold one is written with str(field).
    """

    needs: list[Task[Any]]
    build: Callable[[], str]

    def __str__(self) -> str:
        return self.build()


def _tasks_in(value: Any) -> Iterator[Task[Any]]:
    if isinstance(value, Task):
        yield value
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _tasks_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tasks_in(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for declared in dataclasses.fields(value):
            yield from _tasks_in(getattr(value, declared.name))


def comparable(value: Any, is_unordered: bool = False) -> Any:
    """A value in the form that is compared, shown and hashed: references become identities, enums their text."""
    if isinstance(value, Task):
        return value.identity()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Deferred):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dict):
        return {str(key): comparable(item) for key, item in sorted(value.items(), key=lambda pair: str(pair[0]))}
    if isinstance(value, (set, frozenset)):
        return sorted((comparable(item) for item in value), key=repr)
    if isinstance(value, (list, tuple)):
        items = [comparable(item, is_unordered) for item in value]
        return sorted(items, key=repr) if is_unordered else items
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            declared.name: comparable(getattr(value, declared.name), bool(declared.metadata.get("unordered")))
            for declared in dataclasses.fields(value)
            if getattr(value, declared.name) is not None
        }
    return value


def properties(task: Task[Any]) -> dict[str, Any]:
    """The object's own fields, in declared order: neither computed, nor internal, nor the name."""
    return {
        declared.name: getattr(task, declared.name)
        for declared in dataclasses.fields(task)
        if declared.name != "name" and not declared.metadata.get("computed") and not declared.metadata.get("internal")
    }


def differences(wanted: Task[Any], actual: Task[Any]) -> dict[str, Change]:
    """The fields in which what exists is not what is wanted; a wanted None is "don't care"."""
    changes = {}
    own = properties(wanted)
    for declared in dataclasses.fields(wanted):
        if declared.name not in own:
            continue
        want, have = getattr(wanted, declared.name), getattr(actual, declared.name)
        if want is None:
            continue
        loose = bool(declared.metadata.get("unordered"))
        if comparable(want, loose) != comparable(have, loose):
            changes[declared.name] = Change(before=have, after=want)
    return changes


def adopt(wanted: Task[Any], actual: Task[Any]) -> None:
    """Take over what the cloud filled in (ids, ARNs) from the object that exists."""
    for declared in dataclasses.fields(wanted):
        if declared.metadata.get("computed") and getattr(wanted, declared.name) is None:
            setattr(wanted, declared.name, getattr(actual, declared.name))


def show(value: Any) -> str:
    """A value as one readable line."""
    plain = comparable(value)
    return plain if isinstance(plain, str) else repr(plain)
