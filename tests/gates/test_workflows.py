# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Workflows of the forge run the project's own scripts, with the least permissions, on the versions that are tested."""

from __future__ import annotations

import itertools
import os
import re
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.versions.environments import DEVEL, VERSIONS

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
NAMES = [path.name for path in WORKFLOWS]


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text())
    return found


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job.get("steps", ())]


@pytest.mark.parametrize("name", NAMES)
def test_runs_only_scripts_of_the_project(name: str) -> None:
    """What a workflow does can be done, and tried, on any machine."""
    for step in steps(read(name)):
        if "run" in step:
            script, *_arguments = step["run"].split()
            assert "\n" not in step["run"].strip()
            assert script.startswith("script/")
            assert os.access(ROOT / script, os.X_OK), script


@pytest.mark.parametrize("name", NAMES)
def test_actions_are_pinned_and_say_their_version(name: str) -> None:
    used = re.findall(r"uses: (.+)$", (ROOT / ".github" / "workflows" / name).read_text(), re.MULTILINE)
    own = [each for each in used if each.startswith("./")]
    assert all((ROOT / each).is_file() for each in own)
    assert [
        each for each in used if each not in own and not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}  # v[\d.]+", each)
    ] == []


@pytest.mark.parametrize("name", NAMES)
def test_has_the_least_permissions_and_an_end(name: str) -> None:
    workflow = read(name)
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["concurrency"]["group"]
    for job in workflow["jobs"].values():
        assert "permissions" not in job
        assert "uses" in job or job["timeout-minutes"] <= 60
    for step in steps(workflow):
        assert not step.get("uses", "").startswith("actions/checkout@") or step["with"]["persist-credentials"] is False


def test_only_what_publishes_sees_a_secret() -> None:
    """It waits for the reviewers of its environment."""
    seeing = [name for name in NAMES if "secrets." in (ROOT / ".github" / "workflows" / name).read_text()]
    assert seeing == ["release.yml"]
    release = read("release.yml")["jobs"]
    assert [name for name, job in release.items() if "secrets." in str(job)] == ["publish"]
    assert release["publish"]["environment"]
    assert set(release["publish"]["needs"]) == release.keys() - {"publish"}


@pytest.mark.parametrize("name", ["tests.yml", "ansible-core.yml"])
def test_runs_for_each_change_and_each_week(name: str) -> None:
    assert {"push", "pull_request", "schedule"} <= read(name)["on"].keys()


def test_versions_of_ansible_core_are_those_that_are_tested() -> None:
    matrix = read("ansible-core.yml")["jobs"]["version"]["strategy"]["matrix"]
    left_out = {(each["core"], each["python"]) for each in matrix["exclude"]}
    run = set(itertools.product(matrix["core"], matrix["python"])) - left_out
    assert run == {(version.name, python) for version in (*VERSIONS, DEVEL) for python in version.pythons}
    runtime = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())
    oldest = VERSIONS[0].name
    assert runtime["requires_ansible"] == f">={oldest}.0"
    assert f"ansible-core {oldest} or newer" in (ROOT / "README.md").read_text()
    # Development uses one of them.
    lines = (ROOT / "requirements" / "development.txt").read_text().splitlines()
    assert [each.name for each in VERSIONS if each.requirement in lines]


def test_hooks_before_commits_are_programs_of_the_project() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    for hook in itertools.chain.from_iterable(each["hooks"] for each in hooks):
        program = hook["entry"].split()[0]
        assert program.startswith(".venv/bin/")
        assert hook["language"] == "system"
        assert os.access(ROOT / program, os.X_OK), program
