# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The harness as a program: every case of every kind, as a table and as JSON. script/golden runs it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.support.terraform import why_not

from . import report
from .results import default_directory


def main(arguments: list[str]) -> int:
    """Compare; 1 when less is equal than the floor says (of other cases than the default ones: than all)."""
    parser = argparse.ArgumentParser(prog="script/golden", description="Compare with kops, case by case.")
    parser.add_argument("directory", nargs="?", metavar="CASES_DIR", help="the cases; default: the sample")
    parser.add_argument("--kind", action="append", choices=sorted({*report.KINDS, *report.GROUPS}))
    parser.add_argument("--case", action="append", metavar="NAME", help="only this case; may be repeated")
    parser.add_argument("--json", metavar="FILE", help="write the outcome as JSON")
    parser.add_argument("--validate", action="store_true", help="have Terraform validate every configuration as well")
    parser.add_argument("--differences", type=int, default=20, help="how many to show in full (default: 20)")
    parser.add_argument("--raise-floor", action="store_true", help="record what is equal now, where it is more")
    options = parser.parse_args(arguments)
    directory = Path(options.directory) if options.directory else default_directory()
    if not directory.is_dir():
        if options.directory:
            parser.error(f"there is no directory {directory}")
        print(f"skipped: no cases in {directory}; set KOPS_GOLDEN to their directory")
        return 0
    kinds = report.chosen(options.kind or ())
    if options.validate:
        kinds = list(dict.fromkeys([*kinds, *report.ON_DEMAND]))
    if not set(kinds).isdisjoint(report.ON_DEMAND) and why_not():
        parser.error(why_not())
    results = report.compare(directory, kinds, options.case or ())
    outcome = report.as_data(results)
    print(report.text(results, options.differences))
    if options.json:
        Path(options.json).write_text(json.dumps(outcome, indent=2) + "\n")
    if not any(results.values()):
        print("no case is of that kind and name", file=sys.stderr)
        return 1
    if options.directory or options.case:
        return any(counts["differences"] for counts in outcome.values())
    if options.raise_floor:
        report.raise_floor(outcome)
    problems = report.below_floor(outcome)
    print("\n".join(problems) or "nothing is below the floor")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
