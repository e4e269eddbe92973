# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The turns together run each test that takes long, and every other test each time."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support.turns import THIRDS, TURNS, due, third_of

pytest_plugins = ("pytester",)

TESTS = r"^def test_"
LONG_TESTS = r"^@pytest\.mark\.long\n(?:@.*\n)*def test_"
OF_THE_LAB = """
    import pytest
    def test_always(): pass
    @pytest.mark.turn({turn})
    def test_in_turn(): pass
    @pytest.mark.turn({turn})
    @pytest.mark.long
    def test_long_in_turn(): pass
    @pytest.mark.long
    def test_long(): pass
"""
OTHER = """
    import pytest
    def test_always(): pass
    @pytest.mark.long
    def test_long(): pass
    @pytest.mark.turn({turn})
    def test_in_turn(): pass
"""


def ran(project: pytest.Pytester, *options: str) -> set[str]:
    """The tests that a run with these options does not skip."""
    plugin = "ansible_collections.kubeops.kops.tests.conftest"
    result = project.runpytest_inprocess("-p", plugin, "-p", "no:cacheprovider", "-rA", "--verbose", *options)
    assert result.ret == pytest.ExitCode.OK
    return {match.group(1) for line in result.outlines if (match := re.match(r"(\S+::\S+) PASSED", line))}


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    files = {f"tests/lab/test_lab{turn}.py": OF_THE_LAB.format(turn=turn) for turn in range(TURNS)}
    files |= {f"tests/integration/test_other{number}.py": OTHER.format(turn=number % THIRDS) for number in range(5)}
    for name, text in files.items():
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(line.removeprefix("    ") for line in text.splitlines()))
    (pytester.path / "pytest.ini").write_text(
        "[pytest]\nmarkers =\n    long\n    turn(number)\naddopts = --import-mode=importlib\n"
    )
    return pytester


def test_the_turns_run_every_test_that_has_one(project: pytest.Pytester) -> None:
    turns = [ran(project, f"--turn={turn}") for turn in range(TURNS)]
    always = set.intersection(*turns)
    everything = ran(project, "--all")
    assert always == {test for test in everything if test.endswith("::test_always")}
    # The long tests of the lab take hours: only --all runs them.
    left_out = everything - set.union(*turns)
    names = ("test_long", "test_long_in_turn")
    assert left_out == {f"tests/lab/test_lab{turn}.py::{name}" for turn in range(TURNS) for name in names}
    for test in everything - always - left_out:
        times = sum(test in turn for turn in turns)
        assert times == (1 if test.startswith("tests/lab/") else TURNS / THIRDS), f"{test} runs in {times} turns"


def test_three_turns_look_at_every_file_and_each_at_what_has_changed(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        by = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *by, *words], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)

    files = [f"plugins/{number}.py" for number in range(9)]
    (tmp_path / "plugins").mkdir()
    git("init")
    for name in files:
        (tmp_path / name).write_text("")
    git("add", ".")
    git("commit", "--message=all")
    assert due(files, 0, tmp_path) == due(files, None, tmp_path) == set(files), "all are new"
    for number in range(100):
        git("commit", "--allow-empty", f"--message={number}")
    thirds = [due(files, turn, tmp_path) for turn in range(THIRDS)]
    assert set.union(*thirds) == set(files)
    assert sum(map(len, thirds)) == len(files)
    changed = next(name for name in files if third_of(name) == 1)
    (tmp_path / changed).write_text("pass")
    git("commit", "--all", "--message=one")
    assert due(files, 0, tmp_path) == thirds[0] | {changed}


def test_without_a_turn_only_long_tests_are_skipped(project: pytest.Pytester) -> None:
    assert {test.rpartition("::")[2] for test in ran(project)} == {"test_always", "test_in_turn"}


def test_every_file_of_the_lab_is_long_has_a_turn_or_runs_each_time() -> None:
    """A file of the lab that runs in each turn makes every run of continuous integration longer: it is named here."""
    each_time = {"test_cluster.py", "test_joining.py"}
    for path in sorted(Path(ROOT, "tests", "lab").rglob("test_*.py")):
        text = path.read_text()
        marked = re.search(r"^pytestmark = .*mark\.(long|turn\([0-5]\))", text, re.MULTILINE)
        assert marked or path.name in each_time or count(TESTS, text) == count(LONG_TESTS, text), f"{path} has no turn"


def count(pattern: str, text: str) -> int:
    return len(re.findall(pattern, text, re.MULTILINE))


def test_continuous_integration_takes_turns() -> None:
    assert "script/test --turn\n" in Path(ROOT, ".ci", "run").read_text()
