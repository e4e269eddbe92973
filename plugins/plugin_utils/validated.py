# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a validation that has found something: its tables in the terminal, and what is wrong once."""

from __future__ import annotations

from typing import Any

from ansible.playbook.task import Task
from ansible.utils.display import Display

from .failures import for_readers, is_caught, readable

# What is wrong is a table of its own at the end, for playbooks that only have the text.
_OF_FAILURES = "VALIDATION ERRORS"

display = Display()


def validated(result: dict[str, Any], task: Task) -> dict[str, Any]:
    """A result as the task returns it. Playbooks show the tables of a cluster that is as it should be."""
    if not (result.get("failed") and result.get("failures")) or is_caught(task):
        return result
    for line in str(result.get("text", "")).partition(_OF_FAILURES)[0].rstrip().splitlines():
        display.display(line)
    return for_readers(readable(result))
