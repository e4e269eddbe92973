# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of requirements as a program: each row with its result. script/certify runs it."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Iterable

import pytest
from ansible_collections.kubeops.kops.tests.certification.requirements import REQUIREMENTS, Requirement
from ansible_collections.kubeops.kops.tests.conftest import ROOT

GREEN, RED, ELSEWHERE = "green", "RED", "not here"


class Results:
    """A plugin of pytest: what became of each test, and why."""

    def __init__(self) -> None:
        self.outcomes: dict[str, tuple[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
            self.outcomes[report.nodeid] = (report.outcome, reason)

    def of(self, test: str) -> list[tuple[str, str]]:
        """Of a test with all its parameters, or of all tests of a file."""
        return [
            outcome
            for name, outcome in self.outcomes.items()
            if name == test or name.startswith((f"{test}::", f"{test}["))
        ]


def result(requirement: Requirement, results: Results) -> tuple[str, str]:
    """The colour of a row, and why it is not green."""
    why = []
    elsewhere = ""
    for test in requirement.tests:
        outcomes = results.of(f"tests/{test}")
        if not outcomes:
            why.append(f"there is no test {test}, or it has not run")
        for outcome, reason in outcomes:
            if outcome == "skipped" and requirement.elsewhere:
                elsewhere = reason
            elif outcome != "passed":
                why.append(f"{test}: {reason}")
    if why:
        return RED, "\n".join(why)
    return (ELSEWHERE, elsewhere) if elsewhere else (GREEN, "")


def ran(requirements: Iterable[Requirement]) -> Results:
    """Run all tests of these rows, each once."""
    tests = dict.fromkeys(str(ROOT / "tests" / test) for row in requirements for test in row.tests)
    results = Results()
    options = ["-p", "no:cacheprovider", "--quiet", "--all", f"--rootdir={ROOT}"]
    with contextlib.redirect_stdout(io.StringIO()) as output:
        code = pytest.main([*options, *tests], plugins=[results])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(output.getvalue())
    return results


def main(arguments: list[str]) -> int:
    """Print the table; 1 when a row is red."""
    parser = argparse.ArgumentParser(prog="script/certify", description="What is asked of a collection, row by row.")
    speed = parser.add_mutually_exclusive_group()
    speed.add_argument("--fast", action="store_true", help="without the rows that take minutes (the default)")
    speed.add_argument("--all", action="store_true", help="all rows")
    options = parser.parse_args(arguments)
    rows = [row for row in REQUIREMENTS if options.all or not row.slow]
    results = ran(rows)
    told = [(row, *result(row, results)) for row in rows]
    width = max(len(row.subject) for row in rows)
    for row, colour, why in told:
        short = why.strip().splitlines()[-1] if colour == ELSEWHERE else ""
        print(f"{row.subject:{width}}  {row.source:9}  {colour}  {short}".rstrip())
    for row, colour, why in told:
        if colour == RED:
            print(f"\n{row.subject}:\n{why}")
    count = {name: sum(colour == name for _row, colour, _why in told) for name in (GREEN, RED, ELSEWHERE)}
    left = len(REQUIREMENTS) - len(rows)
    print(f"\n{count[GREEN]} green, {count[RED]} red, {count[ELSEWHERE]} not here, {left} not asked (--all)")
    return bool(count[RED])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
