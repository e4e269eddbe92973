# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the playbooks consist of: their plays, parts and tasks, and the variables that these read and set."""

from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import yaml
from ansible_collections.kubeops.kops.tests.conftest import ROOT

FOLDER = ROOT / "playbooks"
PLAYBOOKS = sorted(path.stem for path in FOLDER.glob("*.yml"))
# The first play of every playbook. It reads no variable by its name.
CHECK = "check_variables"


@functools.cache
def content_of(playbook: str) -> list[dict[str, Any]]:
    """The plays of a playbook, with those of its parts, and with the tasks of files that it includes.

    Not those of other playbooks that it continues with.
    """
    return list(_plays_in(FOLDER / f"{playbook}.yml", {playbook}))


@functools.cache
def continuations_of(playbook: str) -> frozenset[str]:
    """The other playbooks that a playbook continues with, and those that these continue with."""
    direct = {part for play in content_of(playbook) for part in _parts(play) if part in PLAYBOOKS and part != playbook}
    return frozenset(direct.union(*map(continuations_of, direct)))


@functools.cache
def everything_of(playbook: str) -> list[dict[str, Any]]:
    """The plays of a playbook and of all that it continues with."""
    parts = [FOLDER / "parts" / f"{name}.yml" for name in sorted(continuations_of(playbook))]
    return [*content_of(playbook), *(play for part in parts for play in _plays_in(part, {part.stem}))]


def _plays_in(path: pathlib.Path, playbooks: set[str]) -> Iterator[dict[str, Any]]:
    for play in yaml.safe_load(path.read_text()):
        tasks = [included for task in play.get("tasks", ()) for included in _with_included(path, task)]
        yield {**play, "tasks": tasks} if tasks else play
        for part in _parts(play):
            if part not in set(PLAYBOOKS) - playbooks | {CHECK}:
                yield from _plays_in(FOLDER / "parts" / f"{part}.yml", playbooks)


def _parts(play: dict[str, Any]) -> list[str]:
    """The files of parts/ that an import may mean, without their endings."""
    return re.findall(r"\b(\w+)\.yml", str(play.get("import_playbook", "")))


def _with_included(path: pathlib.Path, task: dict[str, Any]) -> list[dict[str, Any]]:
    """A task, or those of all files that it may include."""
    named = task.get("ansible.builtin.include_tasks", "") or task.get("ansible.builtin.import_tasks", "")
    pattern = re.sub(r"\{\{.*?\}\}", "*", named)
    # An expression that is all of it has the names in it.
    patterns = re.findall(r"[\w./]+\.yml", named) if pattern == "*" else [pattern]
    files = sorted(file for each in patterns if each for file in path.parent.glob(each))
    assert bool(files) == bool(pattern), pattern
    found = [task]
    for file in files:
        for each in yaml.safe_load(file.read_text()):
            found += _with_included(file, each)
    return found


def tasks_in(play: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All tasks of a play or a block, those of blocks among them."""
    for section in ("tasks", "block", "rescue", "always"):
        for task in play.get(section, ()):
            yield task
            yield from tasks_in(task)


def made_in(plays: list[dict[str, Any]]) -> set[str]:
    """Variables that plays register, or set for themselves and their tasks."""
    made = set()
    for play in plays:
        for holder in (play, *tasks_in(play)):
            made.update(holder.get("vars", ()))
            made.update({holder["register"]} if "register" in holder else ())
            made.update(holder.get("ansible.builtin.set_fact", ()))
    return made


@functools.cache
def made_anywhere() -> frozenset[str]:
    """Variables that any playbook registers or sets itself."""
    return frozenset().union(*(made_in(content_of(playbook)) for playbook in PLAYBOOKS))


def variables_of(playbook: str) -> dict[str, str]:
    """Every variable that a playbook looks at, empty; not what playbooks register or set themselves."""
    return dict.fromkeys(read_in(content_of(playbook)), "")


def read_in(plays: list[dict[str, Any]]) -> set[str]:
    """Variables that plays look at, and that no playbook registers or sets itself."""
    return {name for text in texts_in(plays) for name in re.findall(r"\bkops_\w+", text)} - made_anywhere()


def passed_on_by(plays: list[dict[str, Any]]) -> set[str]:
    """What plays pass to the next nodes of a workflow."""
    tasks = [task for play in plays for task in tasks_in(play)]
    return {name for task in tasks for name in task.get("kubeops.kops.show", {}).get("stats", ())}


def texts_in(content: Any) -> Iterator[str]:
    """All text values, but not keys, of plain data."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, (dict, list)):
        for value in content.values() if isinstance(content, dict) else content:
            yield from texts_in(value)
