# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an update asks of a target: where what a specification asks for goes. The rows are in table.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from ...api.cluster import Cluster
from ...engine.plan_data import Entry
from ...engine.targets.rendering import FOUND, LateValues
from ...engine.task import Task
from ...statestore.store import ClusterStore
from ..progress import Progress
from ..update.desired import Desired, DesiredOptions


class TargetOptions(DesiredOptions, Protocol):
    """The options of an update, as a target reads them."""

    @property
    def target(self) -> str:
        """Which one."""

    @property
    def apply(self) -> bool:
        """Whether what the target says is carried out, too."""

    @property
    def release(self) -> bool:
        """Whether what the target has carried out is left to updates without a target."""

    @property
    def out(self) -> str:
        """The directory to which a target writes; empty if none was given."""

    @property
    def terraform_variables(self) -> bool:
        """Whether what people change of instance groups are variables of what the target writes."""


@dataclass(frozen=True)
class Planned:
    """What a target does when the update has done its tasks, in the words of a plan.

    entries: of it. unchanged: of how many objects of it nothing changes. data: what the target itself needs for it.
    """

    entries: list[Entry] = field(default_factory=list)
    unchanged: int = 0
    data: Any = None


@dataclass(frozen=True)
class Written:
    """What a target has written beside what the plan says, or in check mode would write.

    out: the directory. files: those in it that differ, sorted. next_step: what the user does with them.
    replaced: launch templates -> what their instances only get when they are replaced. is_part: whether the rest can
    only be said now, so that the update is done once more.
    """

    out: str = ""
    files: list[str] = field(default_factory=list)
    next_step: str = ""
    replaced: dict[str, str] = field(default_factory=dict)
    is_part: bool = False


class Target:
    """A target. What is said here is so for one that makes the objects itself.

    name: in options. title: in messages.
    out_is: what the option out is to it, which it needs then; "" if it writes to no directory.
    needs_all_groups: why an update for it cannot be of some instance groups only; "" if it can.
    late_values: how the model gets values that are known only when other objects are there.
    why_not_applied: why it has no row among those that carry out what they say.
    has_variables: whether what it writes can have variables.
    makes_own_plan: whether the plan of an update does not say what happens to the cloud.
    prunes: whether an update deletes what was only kept for instances that run.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    out_is: ClassVar[str] = ""
    needs_all_groups: ClassVar[str] = ""
    late_values: ClassVar[LateValues] = FOUND
    why_not_applied: ClassVar[str] = ""
    has_variables: ClassVar[bool] = False
    makes_own_plan: ClassVar[bool] = False
    prunes: ClassVar[bool] = True

    def takeovers(self, options: TargetOptions, store: ClusterStore, cluster: Cluster) -> list[str]:
        """What a user should know of places that are taken over from another cluster.

        Raises KopsError for what the user has not named.
        """
        return []

    def settle(self, desired: Desired, *, check: bool) -> None:
        """Wait until what an earlier run has begun is over. It is called before anything else is looked at.

        In check mode nothing waits; what then is not known yet is added to the warnings.
        """

    def tasks(self, options: TargetOptions, store: ClusterStore, desired: Desired) -> Mapping[str, Task[Any]]:
        """The tasks that the update does itself, by their keys. Warnings are added to what is desired.

        It only reads. Raises KopsError for all that the target cannot do.
        """
        return desired.tasks

    def planned(self, desired: Desired) -> Planned:
        """What the target does beside these tasks, if the plan of the update says it. It only reads."""
        return Planned()

    def write(
        self, options: TargetOptions, desired: Desired, planned: Planned, *, check: bool, progress: Progress
    ) -> Written:
        """Write all else, once the update has done its tasks. check: only say what differs."""
        return Written()
