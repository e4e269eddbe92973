# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of all playbooks, in a page that is written by hand otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import playbooks, spec_of
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support.playbooks import content_of, tasks_in

HEAD = "| Playbook | What it does | Modules |\n|---|---|---|\n"
_ROW = re.compile(r"(?:\|.*\n)*")
_MODULE = "kubeops.kops."
# What playbooks say and check with, whatever they do.
_EVERYWHERE = ("check_policy", "next_steps", "show", "validate_variables")


def with_overview(text: str) -> str:
    """The page with its table. Rows keep their order, those of new playbooks come last. ValueError: it has none."""
    beginning, head, rest = text.partition(HEAD)
    if not head:
        raise ValueError("the page has no table of playbooks")
    rows = _ROW.match(rest)
    present = rows.group() if rows else ""
    named = [name for name in re.findall(r"^\| `(\w+)`", present, re.MULTILINE) if name in playbooks()]
    ordered = dict.fromkeys([*named, *playbooks()])
    return beginning + head + "".join(map(_row, ordered)) + rest[len(present) :]


def _row(playbook: str) -> str:
    spec = spec_of(playbook)
    modules = ", ".join([*(f"`{name}`" for name in modules_of(playbook)), *_others(playbook)])
    return f"| `{playbook}` | {spec.description or spec.short_description} | {modules} |\n"


def modules_of(playbook: str) -> list[str]:
    """The modules of this collection that its own tasks call, that of its name first.

    Not those of playbooks that it runs.
    """
    keys = (key for play in content_of(playbook) for task in tasks_in(play) for key in _called(task))
    found = (key.removeprefix(_MODULE) for key in keys if key.startswith(_MODULE))
    named = [name for name in dict.fromkeys(found) if name not in _EVERYWHERE]
    return sorted(named, key=lambda name: name != playbook)


def _others(playbook: str) -> list[str]:
    """What is said of modules of other collections, besides Ansible's own."""
    keys = {key for play in content_of(playbook) for task in tasks_in(play) for key in task}
    collections = {key.rpartition(".")[0] for key in keys if key.count(".") == 2} - {"ansible.builtin", "kubeops.kops"}
    return [f"those of `{name}`" for name in sorted(collections)]


def _called(task: dict[str, Any]) -> Iterator[str]:
    """What a task calls: its keys, or those of the tasks of a role."""
    yield from task
    role = task.get("ansible.builtin.include_role")
    if role:
        path = ROOT / "roles" / role["name"].removeprefix(_MODULE) / "tasks" / f"{role.get('tasks_from', 'main')}.yml"
        yield from (key for each in yaml.safe_load(path.read_text()) for key in each)
