# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' cases of conversion: each version of a manifest gives every other one, compared as text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError

from .results import DIFFERING, Result, as_text, case_directories

# What can be written. The legacy form (apiVersion kops/v1alpha2) is only read.
WRITTEN = ("v1alpha2", "v1alpha3")


@dataclass(frozen=True)
class Case:
    """One manifest, and the version that it is to be written in."""

    source: Path
    version: str

    @property
    def name(self) -> str:
        return self.source.parent.name

    @property
    def expected(self) -> Path:
        return self.source.with_name(f"{self.version}.yaml")


def cases(directory: Path) -> list[Case]:
    """Every pair of versions below a directory of golden cases (the one that holds conversion/)."""
    pairs = [
        Case(source, version)
        for path in case_directories(directory, "conversion")
        for source in sorted(path.glob("*.yaml"))
        for version in WRITTEN
    ]
    return [case for case in pairs if case.expected.is_file()]


def compare(case: Case) -> list[Result]:
    """Convert, and compare with what kops writes."""
    name = f"{case.source.stem} as {case.version}"
    try:
        written = manifest.dump_all(manifest.load(case.source.read_text(), source=case.source.name), case.version)
    except KopsError as error:
        return [Result(case.name, name, DIFFERING, f"refused: {error}")]
    return [as_text(case.name, name, case.expected.read_text(), written)]
