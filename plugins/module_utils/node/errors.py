# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors of the converger. Their text is complete by itself, and holds no secret once it leaves converge()."""

from __future__ import annotations

from collections.abc import Iterable


class NodeError(Exception):
    """Root of everything that is raised on purpose: what is wrong, where, and what to do where that is known."""


class ConfigError(NodeError):
    """What was asked for cannot be done on this node: all problems at once, found before anything was written."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = list(problems)
        count = f"{len(self.problems)} problem{'s' if len(self.problems) != 1 else ''}"
        lines = [f"the node was left as it is, for {count}:", *(f"- {problem}" for problem in self.problems)]
        super().__init__("\n".join(lines))


class CommandError(NodeError):
    """A command of the host failed; with the last lines of what it said."""
