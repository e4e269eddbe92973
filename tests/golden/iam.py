# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' cases of updates: the IAM documents alone, trust policies and permissions, statement by statement."""

from __future__ import annotations

import json
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError

from . import terraform
from .results import DIFFERING, MATCHED, MISSING, Result

PREFIX = "data/aws_iam_"

Case = terraform.Case
cases = terraform.cases


def compare(case: Case) -> list[Result]:
    """Every IAM document of a case: matched, differing (the first statement that does), or missing (not rendered)."""
    try:
        actual = terraform.rendered(case)
    except KopsError as error:
        return [Result(case.name, "documents", DIFFERING, f"refused: {error}")]
    expected = {f"data/{path.name}": path.read_bytes() for path in (case.directory / "data").glob("aws_iam_*")}
    names = sorted(expected.keys() | {name for name in actual if name.startswith(PREFIX)})
    return [_compare(case, name, expected.get(name), actual.get(name)) for name in names]


def _compare(case: Case, name: str, expected: bytes | None, actual: bytes | None) -> Result:
    if actual is None:
        return Result(case.name, name, MISSING)
    if expected is None:
        return Result(case.name, name, DIFFERING, "additional")
    detail = _first_difference(json.loads(expected), json.loads(actual))
    return Result(case.name, name, DIFFERING if detail else MATCHED, detail)


def _first_difference(expected: dict[str, Any], actual: dict[str, Any]) -> str:
    if expected == actual:
        return ""
    pairs = zip(expected["Statement"], actual["Statement"])
    for index, (one, other) in enumerate(pairs):
        if one != other:
            return f"statement {index}: expected {json.dumps(one)}, got {json.dumps(other)}"
    return f"expected {len(expected['Statement'])} statements, got {len(actual['Statement'])}"
