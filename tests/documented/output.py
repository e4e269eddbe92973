# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The output that a page shows, compared with that of the command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ansible_collections.kubeops.kops.tests.documented.shell import Command

# Lines that a page leaves out.
_LEFT_OUT = "..."
# What differs in each run -> what stands for it.
_DIFFERS = (
    (re.compile(r"\bPlan [0-9a-f]{16}\b"), "Plan"),
    (re.compile(r"\bi-[0-9a-f]+\b"), "i-"),
    (re.compile(r"\b\d+ (?:s|min)\b"), "some time"),
    (re.compile(r"\bversion \d+ of its launch template, which has \d+ now"), "an older version"),
    # Numbers of nodes.
    (re.compile(r"(?<= )\(\d+\)"), "(some)"),
    # Consoles are asked from the third minute on. tests/integration/test_validation.py looks at what they say.
    (re.compile(r', and its console says ".*"'), ""),
)


def comparable(text: str) -> str:
    """A text without what differs in each run."""
    for pattern, replacement in _DIFFERS:
        text = pattern.sub(replacement, text)
    return text


def missing_of(command: Command, output: str) -> list[str]:
    """The lines that a page shows of a command's output and that are not in it, from the first such line on."""
    shown = [comparable(line).strip() for line in _unwrapped(command.shown) if line.strip() not in ("", _LEFT_OUT)]
    printed = (line.strip() for line in comparable(output).splitlines())
    for number, line in enumerate(shown):
        # What was before the line is behind: they are in the same order.
        if not any(line == each for each in printed):
            return shown[number:]
    return []


def _unwrapped(lines: Sequence[str]) -> Iterator[str]:
    """Long lines of a list ("- ..."), which pages continue in the next line."""
    item = ""
    for line in lines:
        if item and line.startswith("  "):
            item = f"{item} {line.strip()}"
            continue
        if item:
            yield item
        item = line if line.startswith("- ") else ""
        if not item:
            yield line
    if item:
        yield item
