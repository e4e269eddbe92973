# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of lines that tasks show while they run. To Ansible they are texts; the callback quiet knows them apart.

Tasks are processes of their own: what they show is sent to Ansible's own process, which writes it.
"""

from __future__ import annotations

import re

# Counted objects, waits, and what belongs to them.
_PASSING = re.compile(r" *(\[\d+/\d+\] |waiting\b|.*\bwaiting for \d+ s:$)| {4}")


class Passing(str):
    """A line, or several, that matters only until the next one: where the work is, or what it waits for."""

    __slots__ = ()


class NextStep(str):
    """A line that says what the user can do next."""

    __slots__ = ()


def progress_line(line: str) -> str:
    """A line of a module's progress, indented."""
    return Passing(line) if _PASSING.match(line) else line
