# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which test files script/test --changed leaves out."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support.passed_before import checksums_of_tests

PACKAGE = "from ansible_collections.kubeops.kops"
FILES = {
    "galaxy.yml": "",
    "docs/page.md": "",
    "plugins/module_utils/a.py": "from .b import B\n",
    "plugins/module_utils/b.py": "B = 1\n",
    "plugins/module_utils/c.py": "C = 1\n",
    "playbooks/p.yml": "",
    "tests/config.yml": "",
    "tests/conftest.py": "ROOT = 1\n",
    "tests/unit/test_a.py": f"{PACKAGE}.plugins.module_utils.a import B\n",
    "tests/unit/conftest.py": f"{PACKAGE}.tests.support import helper\n",
    "tests/support/helper.py": "",
    "tests/unit/test_program.py": "import subprocess\n",
    "tests/integration/test_all.py": "",
    "tests/integration/test_page.py": "PAGE = 'docs/page.md'\n",
    "tests/gates/test_gate.py": "",
    "tests/lab/test_host.py": "",
}
UNIT, PROGRAM = "tests/unit/test_a.py", "tests/unit/test_program.py"
ALL, PAGE, GATE = "tests/integration/test_all.py", "tests/integration/test_page.py", "tests/gates/test_gate.py"
EVERY = {UNIT, PROGRAM, ALL, PAGE, GATE}
SMALL = "tests/unit/plugins/module_utils/base"
# All its tests are long.
LONG = "tests/integration/test_warm_ansible.py"


@pytest.fixture()
def project(tmp_path: pathlib.Path) -> pathlib.Path:
    """A small project."""
    root = tmp_path / "project"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (tmp_path / "golden").mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    return root


@pytest.mark.parametrize(
    ("changed", "again"),
    [
        ("plugins/module_utils/b.py", EVERY),
        ("plugins/module_utils/c.py", EVERY - {UNIT}),
        ("playbooks/p.yml", EVERY),
        ("tests/support/helper.py", EVERY),
        ("docs/page.md", {PAGE, GATE}),
        (UNIT, {UNIT, GATE}),
        ("tests/lab/test_host.py", {GATE}),
        ("../golden/case", EVERY),
        ("plugins/module_utils/new.py", EVERY - {UNIT}),
    ],
)
def test_what_has_changed_is_tested_again(project: pathlib.Path, changed: str, again: set[str]) -> None:
    before = checksums_of_tests(project, project.parent / "golden")
    assert before.keys() == EVERY
    with (project / changed).open("a") as file:
        file.write("\n")
    after = checksums_of_tests(project, project.parent / "golden")
    assert {name for name in before if before[name] != after[name]} == again


@pytest.mark.long
def test_a_file_that_has_passed_is_left_out(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    files = str(len([*(ROOT / SMALL).glob("test_*.py")]))
    passed = int(run()[0])
    assert passed > 1
    assert run("--changed") == ("0", files)
    assert run() == (str(passed), "0")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    # What was chosen by a name is not the whole file.
    run("-k", "not errors and not test_a and not google", expect=0)
    assert run("--changed", workers=0)[0] == str(passed)
    assert run("--changed", workers=0) == ("0", files)


@pytest.mark.long
@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_that_has_ended_before_says_nothing_of_the_rest(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "ends_early.py").write_text(
        "def pytest_runtest_logreport(report):\n    if report.when == 'teardown': SESSION.shouldstop = 'enough'\n"
        "def pytest_sessionstart(session):\n    global SESSION\n    SESSION = session\n"
    )
    run("-p", "ends_early", workers=workers, expect=2)
    assert run("--changed")[1] == "0"


def test_a_file_has_passed_without_its_long_tests_only_where_they_do_not_run(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert run(place=LONG, workers=0) == ("0", "0")
    assert run("--changed", place=LONG, workers=0) == ("0", "1")
    assert run("--changed", "--all", "--collect-only", place=LONG, workers=0) == ("0", "0")


def run(*options: str, place: str = SMALL, workers: int = 2, expect: int = 0) -> tuple[str, str]:
    """Run some test files: how many tests have passed, how many files were left out."""
    plugin = "ansible_collections.kubeops.kops.tests.support.passed_before"
    command = [sys.executable, "-m", "pytest", "-p", plugin, "-n", str(workers), *options, place]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == expect, done.stdout + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    left_out = re.search(r"as they are: (\d+) of", done.stdout)
    assert left_out
    return passed[1] if passed else "0", left_out[1]
