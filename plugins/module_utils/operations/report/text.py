# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The problems of a report as lines for a terminal; the page says more."""

from __future__ import annotations

from collections.abc import Iterator

from .facts import Problem, Report

# So many names are in a line.
_NAMED = 5


def lines_of(report: Report) -> list[str]:
    """A line for each problem and its command, and one for each part that is not known."""
    return list(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    name = report.cluster.name
    if report.problems:
        yield f"{name}: {len(report.problems)} {'problems' if len(report.problems) > 1 else 'problem'}"
    elif report.unread:
        yield f"{name}: no problems in what could be read"
    else:
        yield f"{name}: no problems"
    for each in report.problems:
        yield f"- {each.severity}: {each.kind} {_named(each)}: {each.message}"
        if each.command:
            yield f"  Next: {each.command}"
    for part in report.unread:
        yield f"Not known: {part.what}: {part.why}"


def _named(problem: Problem) -> str:
    more = len(problem.names) - _NAMED
    return ", ".join(problem.names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
