# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that write files, from which another program makes the objects."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from ...engine.planner import Compared, PlanError, compare, look_up
from ...engine.targets.files import changed_files, read_file, write_files
from ...engine.task import ImmutableField, Task
from ...statestore.store import ClusterStore
from ..progress import Progress
from ..update.desired import Desired, desired_state
from .target import Planned, Target, TargetOptions, Written

# After the command for the files, where not all is in them.
_THEN = "; then kubeops.kops.update_cluster without a target makes the instances"


class Rendering(Target):
    """What only the state store keeps, such as keys, the update writes itself: it is in no file.

    What is made directly, and what needs it, is left to an update without target.
    carried_out_by: the command for the files, with {} for the directory.
    """

    carried_out_by: ClassVar[str]
    makes_own_plan = True
    prunes = False

    def refuse(self, desired: Desired) -> None:
        """Raise KopsError for what cannot be rendered, before anything is written."""

    def render(self, desired: Desired) -> dict[str, bytes]:
        """The files: path below the directory -> content."""
        raise NotImplementedError(f"{self.name}.render")

    def stale(self, files: Mapping[str, bytes], directory: str) -> list[str]:
        """Files of an earlier rendering that the directory still has, relative to it."""
        return []

    def write_to(self, directory: str, files: Mapping[str, bytes]) -> None:
        """Make the directory hold the files, and none of an earlier rendering."""
        write_files(files, directory, stale=self.stale(files, directory))

    def beside(self, desired: Desired, directory: str) -> dict[str, bytes]:
        """Files that depend on what the directory has, too."""
        return {}

    def replaced(self, files: Mapping[str, bytes], before: Mapping[str, bytes]) -> dict[str, str]:
        """Launch templates of which files change -> what their instances only get when they are replaced.

        before: what the changed files hold that are there already, by their paths.
        """
        return {}

    def is_rendered(self, task: Task[Any]) -> bool:
        """Whether the files say a task that is not made directly; else the update does it."""
        return not task.store_only

    def rendered(self, desired: Desired) -> list[Task[Any]]:
        """The tasks that are in the files."""
        left = _made_directly(desired.tasks.values())
        return [task for task in desired.tasks.values() if self.is_rendered(task) and task not in left]

    def tasks(self, options: TargetOptions, store: ClusterStore, desired: Desired) -> Mapping[str, Task[Any]]:
        """Those that are in no file. Raises KopsError for what cannot be rendered, and what a direct run refuses."""
        self.refuse(desired)
        look_up(desired.tasks.values(), desired.cloud, explain=desired.provider.explain)
        desired.warnings += self._refuse_replacements(options, store, desired)
        desired.warnings += [doubt for task in self.rendered(desired) for doubt in task.doubts_when_rendered]
        left = _made_directly(desired.tasks.values())
        return {key: task for key, task in desired.tasks.items() if not self.is_rendered(task) and task not in left}

    def write(
        self, options: TargetOptions, desired: Desired, planned: Planned, *, check: bool, progress: Progress
    ) -> Written:
        """Write the files that differ, and remove those of an earlier rendering."""
        out = os.path.expanduser(options.out)
        files = {**self.render(desired), **self.beside(desired, out)}
        changed = sorted([*changed_files(files, out), *self.stale(files, out)])
        held = {name: read_file(os.path.join(out, name)) for name in changed if name in files}
        replaced = self.replaced(files, {name: content for name, content in held.items() if content is not None})
        if not check and changed:
            self.write_to(out, files)
            progress(f"wrote {len(files)} files to {out}")
        return Written(out, changed, self.next_step(desired, out), replaced)

    def next_step(self, desired: Desired, out: str) -> str:
        """What the user does with the files. out: their directory."""
        left = [task for task in _made_directly(desired.tasks.values()) if not task.is_ignored]
        return self.carried_out_by.format(out) + (_THEN if left else "")

    def look(self, options: TargetOptions, store: ClusterStore, desired: Desired) -> Compared:
        """Keep what is there in desired.looked_at and desired.there.

        Compared is what a direct run would make, since looking fills in what a rendering must not name. Raises
        PlanError for what keeps it from looking.
        """
        provider = desired.provider
        direct = desired_state(options, dry_run=True, store=store, workers_version=desired.workers_version)
        there = compare(direct.tasks, direct.cloud, explain=provider.explain, is_denied=provider.is_denied)
        desired.looked_at, desired.there = direct.tasks, there
        return there

    def _refuse_replacements(self, options: TargetOptions, store: ClusterStore, desired: Desired) -> list[str]:
        """Raise PlanError for what a direct run refuses: the other program would destroy what cannot be changed.

        Returns what could not be looked at. Of a cloud that nobody compares, etcd's disks are protected in the files.
        """
        if not desired.provider.compares:
            return []
        there = self.look(options, store, desired)
        if there.refused:
            destroyed = f"; {self.title} would destroy it and make another one"
            raise PlanError(
                [f"{each}{destroyed if isinstance(each, ImmutableField) else ''}" for each in there.refused]
            )
        return there.unseen


def _made_directly(tasks: Collection[Task[Any]]) -> set[Task[Any]]:
    """The tasks that no target renders, and those that can be done only after one of them."""
    found = {task for task in tasks if task.made_directly}
    while found:
        more = {task for task in tasks if task not in found and not found.isdisjoint(task.dependencies())}
        if not more:
            break
        found |= more
    return found
