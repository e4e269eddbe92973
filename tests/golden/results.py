# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What comparing a case gives, and where cases are found."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MATCHED, DIFFERING, MISSING = STATUSES = ("matched", "differing", "missing")


@dataclass(frozen=True)
class Result:
    """The outcome for one object of a case.

    case: what counts as whole when all its objects match. object: a block, a file, a form of the input.
    status: matched, differing (detail says in what) or missing (kops gives it, we do not).
    row: the case in whose line of the table it is counted, when that is another.
    """

    case: str
    object: str
    status: str
    detail: str = ""
    row: str = ""


def default_directory() -> Path:
    """The directory of kops' own cases: $KOPS_GOLDEN, else beside the checkout."""
    return Path(os.environ.get("KOPS_GOLDEN") or ROOT.parent / "shared" / "golden")


def part_of(directory: Path, name: str) -> Path:
    """A file or directory below a directory of cases; in the default one when that holds only some."""
    return directory / name if (directory / name).exists() else default_directory() / name


def case_directories(directory: Path, kind: str) -> list[Path]:
    """The directories of a kind's cases, by name; none when there are no cases of the kind."""
    parent = directory / kind
    return sorted(path for path in parent.iterdir() if path.is_dir()) if parent.is_dir() else []


def about(case: Path) -> dict[str, Any]:
    """What a case's meta.json says: features, env, rejected ..."""
    file = case / "meta.json"
    return json.loads(file.read_text()) if file.is_file() else {}


def as_text(case: str, name: str, expected: str, actual: str) -> Result:
    """Compare two texts line by line."""
    if expected == actual:
        return Result(case, name, MATCHED)
    lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "expected", "actual", lineterm="", n=2)
    return Result(case, name, DIFFERING, "\n".join(lines) or "they differ in line ends")


def differences(expected: Any, actual: Any, path: str = "") -> Iterator[str]:
    """Where two values differ, a line for each place."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted(expected.keys() | actual.keys()):
            yield from differences(expected.get(key), actual.get(key), f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for index, (one, other) in enumerate(zip(expected, actual)):
            yield from differences(one, other, f"{path}[{index}]")
    elif expected != actual:
        yield f"{path}: expected {expected!r}, got {actual!r}"
