# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' cases of updates: the IAM documents alone, trust policies and permissions, statement by statement."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api.errors import KopsError

from . import terraform
from .completed import Result

PREFIX = "data/aws_iam_"

Case = terraform.Case
cases = terraform.cases


def compare(case: Case) -> list[Result]:
    """Every IAM document of a case: matched, differing (the first statement that does), or missing (not rendered)."""
    try:
        actual = terraform.rendered(case)
    except KopsError as error:
        return [Result(case.name, "iam", "differing", f"refused: {error}")]
    expected = {f"data/{path.name}": path.read_bytes() for path in (case.directory / "data").glob("aws_iam_*")}
    names = sorted(expected.keys() | {name for name in actual if name.startswith(PREFIX)})
    return [_compare(case, name, expected.get(name), actual.get(name)) for name in names]


def _compare(case: Case, name: str, expected: bytes | None, actual: bytes | None) -> Result:
    if actual is None:
        return Result(case.name, name, "missing")
    if expected is None:
        return Result(case.name, name, "differing", "additional")
    detail = _first_difference(json.loads(expected), json.loads(actual))
    return Result(case.name, name, "differing" if detail else "matched", detail)


def _first_difference(expected: dict[str, Any], actual: dict[str, Any]) -> str:
    if expected == actual:
        return ""
    pairs = zip(expected["Statement"], actual["Statement"])
    for index, (one, other) in enumerate(pairs):
        if one != other:
            return f"statement {index}: expected {json.dumps(one)}, got {json.dumps(other)}"
    return f"expected {len(expected['Statement'])} statements, got {len(actual['Statement'])}"


def main(arguments: list[str]) -> int:
    """Print what does not match in the cases below a directory; the number of documents that do not match."""
    root = Path(__file__).resolve().parents[2]
    directory = Path(arguments[0]) if arguments else root.parent / "shared" / "golden"
    results = [result for case in cases(directory) for result in compare(case)]
    for result in results:
        if result.status != "matched":
            print(f"{result.case} {result.kind}: {result.status} {result.detail}")
    count = {status: sum(r.status == status for r in results) for status in ("matched", "differing", "missing")}
    print("iam: " + ", ".join(f"{number} {status}" for status, number in count.items()))
    return count["differing"] + count["missing"]


if __name__ == "__main__":
    sys.exit(min(1, main(sys.argv[1:])))
