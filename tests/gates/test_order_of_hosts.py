# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of hosts keep their order: Ansible's filters for sets give texts in another order in each run."""

from __future__ import annotations

import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
FILTERS = re.compile(r"\b(?:intersect|difference|symmetric_difference|union)['\"]?\s*[(,)]")
# Only whether there is anything: "if A | difference(B) else", "A | intersect(B) | length".
HARMLESS = re.compile(r"^(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))\s*(\|\s*length\b|else\b)")


def ordered(text: str) -> list[str]:
    """The uses of filters for sets whose order may matter."""
    return [
        text[match.start() :].partition("\n")[0]
        for match in FILTERS.finditer(text)
        if not HARMLESS.match(text[match.end() - 1 :])
    ]


def test_the_order_of_hosts_is_never_that_of_a_set() -> None:
    files = [file for room in ("playbooks", "roles") for file in sorted((ROOT / room).rglob("*.yml"))]
    problems = {str(file.relative_to(ROOT)): ordered(re.sub(r"(?m)^\s*#.*$", "", file.read_text())) for file in files}
    assert {name: uses for name, uses in problems.items() if uses} == {}


def test_what_is_found() -> None:
    assert ordered("a | intersect(b) | last") == ["intersect(b) | last"]
    assert ordered("a | map('difference', b)") == ["difference', b)"]
    assert ordered("x if a | difference(b | default([]) + ['c'])\n else y") == []
    assert ordered("a | intersect(b) | length > 0") == []
