# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of failed tasks. Ansible shows them whole, so what the terminal already shows is taken out."""

from __future__ import annotations

from typing import Any

from ansible.playbook.task import Task

_FOR_READERS = frozenset(("failed", "changed", "msg", "problems", "warnings", "deprecations", "exception", "diff"))


def is_caught(task: Task) -> bool:
    """Whether a playbook can do something with the result of a task that has failed."""
    if task.ignore_errors or task.failed_when:
        return True
    block = task._parent
    while block is not None:
        if getattr(block, "rescue", None) or getattr(block, "always", None):
            return True
        block = getattr(block, "_parent", None)
    return False


def is_refused(result: dict[str, Any]) -> bool:
    """Whether nothing was done of a plan: a policy forbids it, or another one was approved."""
    denied = any(each["effect"] == "deny" for each in result.get("violations") or ())
    return bool(result.get("failed")) and (denied or "plan_id" in result)


def for_readers(result: dict[str, Any]) -> dict[str, Any]:
    """A result without the data that says the same as its message."""
    return {name: each for name, each in result.items() if name in _FOR_READERS or name.startswith("_ansible")}


def readable(result: dict[str, Any]) -> dict[str, Any]:
    """The result, with a message of several lines as its headline and a list of the rest.

    Ansible shows an error once in its own words and once in the result, where it is one long line.
    """
    lines = str(result.get("msg", "")).splitlines()
    if not result.get("failed") or len(lines) < 2:
        return result
    headline, problems = f"{len(lines)} problems", lines
    if lines[0].endswith(":"):
        headline, problems = lines[0][:-1], lines[1:]
    problems = [line.removeprefix("- ") for line in problems]
    return {**result, "msg": headline, "problems": problems, "_ansible_verbose_always": True}
