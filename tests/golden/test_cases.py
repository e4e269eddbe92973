# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' own cases of every kind, and that the harness sees what is not equal."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.golden import report
from tests.golden.__main__ import main
from tests.support.terraform import needs_terraform


# cfn-lint looks at each template for a second.
@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.turn(2)] if kind == "cloudformation" else []) for kind in report.chosen(())],
)
def test_cases_are_equal_to_kops(golden: Path, kind: str) -> None:
    results = report.compare(golden, [kind])
    assert results[kind]
    assert not report.below_floor(report.as_data(results)), report.text(results, 20)


@needs_terraform
@pytest.mark.turn(1)
def test_terraform_accepts_every_case(golden: Path) -> None:
    results = report.compare(golden, ["validity"])
    assert results["validity"]
    assert not report.as_data(results)["validity"]["differences"], report.text(results, 20)


def test_a_changed_case_is_told_apart(golden: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A directory may hold some kinds only; what differs is named, counted and returned."""
    for name in ("aws", "minimal"):
        shutil.copytree(golden / "conversion" / name, tmp_path / "cases" / "conversion" / name)
    changed = tmp_path / "cases" / "conversion" / "aws" / "v1alpha3.yaml"
    changed.write_text(changed.read_text().replace("kind: Cluster", "kind: Cluster\nstatus: {}", 1))
    outcome = tmp_path / "outcome.json"
    assert main([str(tmp_path / "cases"), "--json", str(outcome)]) == 1
    data = json.loads(outcome.read_text())
    assert data["conversion"]["cases"] == 2
    assert data["conversion"]["cases_equal"] == 1
    assert {found["case"] for found in data["conversion"]["differences"]} == {"aws"}
    assert data["terraform"] == {"cases": 0, "cases_equal": 0, "objects": 0, "objects_equal": 0, "differences": []}
    printed = capsys.readouterr().out
    assert "differing: conversion aws: v1alpha2 as v1alpha3" in printed
    assert "-status: {}" in printed
    assert main([str(tmp_path / "cases"), "--case", "minimal"]) == 0


def test_less_than_the_floor_is_a_failure(golden: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(report, "FLOOR", tmp_path / "floor.json")
    outcome = report.as_data(report.compare(golden, ["conversion"]))
    report.raise_floor(outcome)
    assert report.below_floor(outcome) == []
    assert main(["--kind", "conversion"]) == 0
    floor = json.loads(report.FLOOR.read_text())
    floor["conversion"]["objects_equal"] += 1
    report.FLOOR.write_text(json.dumps(floor))
    assert "the floor is" in report.below_floor(outcome)[0]
    assert main(["--kind", "conversion"]) == 1
    report.raise_floor(outcome)
    assert json.loads(report.FLOOR.read_text()) == floor, "the floor only rises"


def test_without_the_cases_nothing_is_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KOPS_GOLDEN", str(tmp_path / "none"))
    assert main([]) == 0
    assert "skipped: no cases" in capsys.readouterr().out


def test_the_completed_specification_is_compared_as_it_is_stored(golden: Path, tmp_path: Path) -> None:
    """kops' own case has no such fields; kops moves them into the scheduler's configuration file."""
    case = tmp_path / "update_cluster" / "minimal-aws"
    shutil.copytree(golden / "update_cluster" / "minimal-aws", case)
    source = case / "in-v1alpha2.yaml"
    source.write_text(
        source.read_text().replace("\nspec:\n", "\nspec:\n  kubeScheduler: {burst: 100, qps: '3.1'}\n", 1)
    )
    outcome = report.as_data(report.compare(tmp_path, ["completed"]))
    assert outcome["completed"]["objects_equal"] == 2


_OWN = """
---
apiVersion: batch/v1
kind: Job
metadata: {generateName: job-, namespace: demo}
---
apiVersion: batch/v1
kind: Job
metadata: {generateName: job-, namespace: demo}
---
apiVersion: config.example.com/v1
kind: Settings
"""


def test_objects_of_users_are_compared_also_those_without_a_name(golden: Path, tmp_path: Path) -> None:
    case = tmp_path / "update_cluster" / "minimal-aws"
    shutil.copytree(golden / "update_cluster" / "minimal-aws", case)
    with (case / "in-v1alpha2.yaml").open("a") as source:
        source.write(_OWN)
    name = "cluster-addons.kops.k8s.io"
    differing = report.as_data(report.compare(tmp_path, ["addons"]))["addons"]["differences"]
    assert {found["object"] for found in differing} == {
        f"index: {name}",
        *(f"{name}: {each}" for each in ("Job demo job-", "Job demo job- (2)", "Settings")),
    }
    (case / "addons" / f"{name}.yaml").write_text(_OWN)
    differing = report.as_data(report.compare(tmp_path, ["addons"]))["addons"]["differences"]
    assert [found["object"] for found in differing] == [f"index: {name}"]
