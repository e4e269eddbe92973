# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' cases of conversion: each version of a manifest gives every other one, compared as text."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.errors import KopsError

# What can be written. The legacy form (apiVersion kops/v1alpha2) is only read.
WRITTEN = ("v1alpha2", "v1alpha3")


@dataclass(frozen=True)
class Case:
    """One manifest, and the version that it is to be written in."""

    source: Path
    version: str

    @property
    def name(self) -> str:
        return f"{self.source.parent.name}/{self.source.stem} as {self.version}"

    @property
    def expected(self) -> Path:
        return self.source.with_name(f"{self.version}.yaml")


@dataclass(frozen=True)
class Result:
    """The outcome of a case: matched, differing (with what differs) or missing (nothing to compare with)."""

    case: str
    kind: str
    status: str
    detail: str = ""


def cases(directory: Path) -> Iterator[Case]:
    """Every pair of versions below a directory of golden cases (the one that holds conversion/)."""
    for source in sorted((directory / "conversion").glob("*/*.yaml")):
        for version in WRITTEN:
            yield Case(source, version)


def compare(case: Case) -> Result:
    """Convert, and compare with what kops writes."""
    if not case.expected.is_file():
        return Result(case.name, "conversion", "missing", f"no {case.expected.name}")
    expected = case.expected.read_text()
    try:
        written = manifest.dump_all(manifest.load(case.source.read_text(), source=case.source.name), case.version)
    except KopsError as error:
        return Result(case.name, "conversion", "differing", str(error))
    if written == expected:
        return Result(case.name, "conversion", "matched")
    changes = difflib.unified_diff(expected.splitlines(), written.splitlines(), "expected", "written", lineterm="", n=1)
    return Result(case.name, "conversion", "differing", "\n".join(changes))


def run(directory: Path) -> list[Result]:
    """The results of all cases."""
    return [compare(case) for case in cases(directory)]


if __name__ == "__main__":
    results = run(Path(sys.argv[1]))
    for result in results:
        sys.stdout.write(f"{result.status:9} {result.case}\n{result.detail}\n".replace("\n\n", "\n"))
    sys.stdout.write(f"{sum(result.status == 'matched' for result in results)} of {len(results)} matched\n")
    sys.exit(any(result.status != "matched" for result in results))
