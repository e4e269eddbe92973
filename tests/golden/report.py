# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All kinds of comparison together: run, counted, shown as a table, and held against the floor."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from . import (
    addons,
    cloudformation,
    completed,
    conversion,
    create_cluster,
    iam,
    openstack,
    terraform,
    validation,
    validity,
)
from .results import DIFFERING, MATCHED, MISSING, Result

KINDS: dict[str, ModuleType] = {
    "create_cluster": create_cluster,
    "conversion": conversion,
    "completed": completed,
    "terraform": terraform,
    "cloudformation": cloudformation,
    "iam": iam,
    "addons": addons,
    "openstack": openstack,
    "validation": validation,
    "validity": validity,
}
# Only where it is asked for: it needs Terraform, and takes a second or more for each case.
ON_DEMAND = ("validity",)
# What the cases of one directory are compared in.
GROUPS = {"update_cluster": ("completed", "terraform", "cloudformation", "iam", "addons")}
FLOOR = Path(__file__).with_name("floor.json")
# What of an outcome may not become less.
FLOOR_COUNTS = ("cases_equal", "objects_equal")


def chosen(names: Iterable[str]) -> list[str]:
    """Kinds by their names or by the directory of their cases; all of them when none is named."""
    wanted = {kind for name in names for kind in GROUPS.get(name, (name,))}
    return [kind for kind in KINDS if (kind in wanted if wanted else kind not in ON_DEMAND)]


def compare(directory: Path, kinds: Iterable[str], names: Collection[str] = ()) -> dict[str, list[Result]]:
    """The results of kinds over a directory of cases; names: only of these cases."""
    return {
        kind: [
            result
            for case in KINDS[kind].cases(directory)
            if not names or case.name in names
            for result in KINDS[kind].compare(case)
        ]
        for kind in kinds
    }


def as_data(results: dict[str, list[Result]]) -> dict[str, dict[str, Any]]:
    """{kind: {cases, cases_equal, objects, objects_equal, differences}}."""
    return {kind: _counts(found) for kind, found in results.items()}


def _counts(results: list[Result]) -> dict[str, Any]:
    cases = {result.case for result in results}
    wrong = [result for result in results if result.status != MATCHED]
    return {
        "cases": len(cases),
        "cases_equal": len(cases - {result.case for result in wrong}),
        "objects": len(results),
        "objects_equal": len(results) - len(wrong),
        "differences": [
            {"case": result.case, "object": result.object, "status": result.status, "detail": result.detail}
            for result in wrong
        ],
    }


def text(results: dict[str, list[Result]], shown: int) -> str:
    """A table of case x kind, the totals, and the first differences in full."""
    kinds = [kind for kind, found in results.items() if found]
    cells: dict[str, dict[str, Counter[str]]] = {}
    for kind in kinds:
        for result in results[kind]:
            cells.setdefault(result.row or result.case, {}).setdefault(kind, Counter())[result.status] += 1
    rows = [["case", *kinds]]
    rows += [[case, *(_cell(cells[case].get(kind)) for kind in kinds)] for case in sorted(cells)]
    data = as_data(results)
    rows.append(["objects equal", *(f"{data[k]['objects_equal']}/{data[k]['objects']}" for k in kinds)])
    rows.append(["cases equal", *(f"{data[k]['cases_equal']}/{data[k]['cases']}" for k in kinds)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(kinds) + 1)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    wrong = [(kind, result) for kind in kinds for result in results[kind] if result.status != MATCHED]
    for kind, result in wrong[:shown]:
        lines += ["", f"{result.status}: {kind} {result.case}: {result.object}", *result.detail.splitlines()]
    if len(wrong) > shown:
        lines += ["", f"and {len(wrong) - shown} differences more"]
    return "\n".join(lines)


def _cell(count: Counter[str] | None) -> str:
    """How many match, "-3" differ, "?2" are missing."""
    if count is None:
        return ""
    signs = {MATCHED: "", DIFFERING: "-", MISSING: "?"}
    return " ".join(f"{sign}{count[status]}" for status, sign in signs.items() if count[status] or status == MATCHED)


def below_floor(outcome: dict[str, dict[str, Any]]) -> list[str]:
    """A line for each count of an outcome of the default cases that is less than the floor."""
    floor = json.loads(FLOOR.read_text())
    return [
        f"{kind}: {count.replace('_', ' ')} {outcome[kind][count]}, the floor is {floor[kind][count]}"
        for kind in outcome
        for count in FLOOR_COUNTS
        if kind in floor and outcome[kind][count] < floor[kind][count]
    ]


def raise_floor(outcome: dict[str, dict[str, Any]]) -> None:
    """Record the counts of an outcome of the default cases that are more than the floor."""
    floor = json.loads(FLOOR.read_text()) if FLOOR.is_file() else {}
    for kind, counts in outcome.items():
        known = floor.setdefault(kind, dict.fromkeys(FLOOR_COUNTS, 0))
        known.update({count: max(known[count], counts[count]) for count in FLOOR_COUNTS})
    FLOOR.write_text(json.dumps(floor, indent=2) + "\n")
