# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin of pytest: with --changed, test files are left out that have passed and of which nothing has changed since.

What has passed is kept in the user's cache by a checksum: that of the test file, of all that it imports, of all files
that are no code (the pinned requirements are among them), and of the version of Python. Tests that run programs, or
read files of the project by themselves, depend on all files but other tests. Only whole files count, without skipped
tests.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import posixpath
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.conftest import LONG, ROOT
from ansible_collections.kubeops.kops.tests.support import references
from ansible_collections.kubeops.kops.tests.support.checked import Checked, own_checksums, reached

_TEST = re.compile(r"tests/.*/test_\w+\.py")
_OF_THE_LAB = "tests/lab/"
# It knows by itself what is new (see checked.py).
_ALWAYS = "tests/gates/test_gates.py"
# What tests and their helpers do that depend on more than what they import.
_LOOKS_AROUND = re.compile(r"\bsubprocess\b|\bROOT\b|__file__|\bimport_module\b|\bpkgutil\b|\bos\.exec|\bPopen\b")
_READS_DOCUMENTS = re.compile(r"docs|README|CONTRIBUTING|changelogs|\.md\b")
_DOCUMENTS = re.compile(r"docs/.*|changelogs/.*|.*\.md|\.github/.*|LICENSES/.*")


def checksums_of_tests(root: Path, golden: Path) -> dict[str, str]:
    """Test file -> the checksum of all that it depends on. golden: the directory of kops' own cases."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0")
    files = _Files({name: (root / name).read_bytes() for name in listed if name and (root / name).is_file()})
    own = own_checksums(files.texts)
    cases = "\n".join(_state_of(golden))
    found = {}
    for name in files.tests:
        if name != _ALWAYS and not name.startswith(_OF_THE_LAB):
            parts = [platform.python_version(), cases, *sorted(own[each] for each in files.needed(name))]
            found[name] = hashlib.sha256("\n".join([name, *parts]).encode()).hexdigest()
    return found


class _Files:
    """The project's files, by what depends on them. texts: name -> content."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self.texts = texts
        self.graph = references.between(texts)
        self.tests = {*filter(_TEST.fullmatch, texts)}
        self.documents = {*filter(_DOCUMENTS.fullmatch, texts)}
        self.code = {name for name in texts if name.endswith(".py")} - self.documents
        self.rest = texts.keys() - self.documents - self.code

    def needed(self, test: str) -> set[str]:
        """The files that a test depends on. Some gates look at the tests themselves."""
        if test.startswith("tests/gates/"):
            return {*self.texts}
        imported = set().union(*(reached(self.graph, name) for name in (test, *_conftests(test, self.graph))))
        helpers = {name for name in imported if name.startswith("tests/") and name != "tests/conftest.py"}
        all_code = not test.startswith("tests/unit/") or helpers & self.those_that_look_around
        found = self.rest | (imported & self.code)
        found |= self.code - self.tests if all_code else set()
        return found | self.documents if helpers & self.those_that_read_documents else found

    @functools.cached_property
    def those_that_look_around(self) -> set[str]:
        return self._saying(_LOOKS_AROUND)

    @functools.cached_property
    def those_that_read_documents(self) -> set[str]:
        return self._saying(_READS_DOCUMENTS)

    def _saying(self, what: re.Pattern[str]) -> set[str]:
        return {name for name in self.code if name.startswith("tests/") and what.search(self.texts[name].decode())}


def _conftests(test: str, names: Mapping[str, Any]) -> Iterator[str]:
    directory = posixpath.dirname(test)
    while directory:
        if f"{directory}/conftest.py" in names:
            yield f"{directory}/conftest.py"
        directory = posixpath.dirname(directory)


def _state_of(directory: Path) -> Iterator[str]:
    """A line for each file: to read kops' own cases as a whole takes long."""
    for path in sorted(directory.rglob("*")) if directory.is_dir() else ():
        state = path.stat()
        yield f"{path} {state.st_size} {state.st_mtime_ns}"


class PassedBefore:
    """Leaves out what has passed as it is, if that is asked for, and remembers what passes."""

    def __init__(self, config: pytest.Config) -> None:
        self.worker: dict[str, Any] | None = getattr(config, "workerinput", None)
        self.config = config
        # With and without the long tests.
        self.all = bool(config.getoption("--all"))
        self.checked = [Checked("tests"), *([] if self.all else [Checked("tests-without-long")])]
        self.checksums: dict[str, str] = {}
        self.left_out: set[str] = set()
        # Tests that should run and that have passed; files of which a test was skipped, not chosen, or has failed.
        self.expected: set[str] = set()
        self.passed: set[str] = set()
        self.others: set[str] = set()
        if self.worker is not None:
            self.left_out = set(self.worker["passed_before"])
            return
        cases = Path(os.environ.get("KOPS_GOLDEN") or ROOT.parent / "shared" / "golden")
        self.checksums = checksums_of_tests(ROOT, cases)
        if config.getoption("--changed"):
            new = set(self.checksums).intersection(*(each.others(self.checksums) for each in self.checked))
            self.left_out = self.checksums.keys() - new

    def pytest_report_header(self) -> str:
        return f"test files that have passed as they are: {len(self.left_out)} of {len(self.checksums)} left out"

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["passed_before"] = sorted(self.left_out)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        return True if self._name(str(collection_path)) in self.left_out else None

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.others |= {self._name(str(item.path)) for item in items}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed and not _is_long(report):
            self.others.add(_file_of(report.nodeid))
        elif report.when == "teardown":
            self.passed.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if not report.passed:
            self.others.add(_file_of(report.nodeid))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.expected |= {item.nodeid for item in session.items}

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.expected |= set(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        # A worker that has crashed says nothing; the others have chosen the same tests.
        self.others |= set((getattr(node, "workeroutput", None) or {}).get("passed_before", ()))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.worker is not None:
            vars(self.config)["workeroutput"]["passed_before"] = sorted(self.others)
        elif session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.left_out:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_unconfigure(self) -> None:
        # How the rest of a file ends is not known if it was not chosen, or if the run has ended before.
        if self.worker is None and not any("::" in argument for argument in self.config.args):
            rest = {_file_of(test) for test in self.expected - self.passed}
            whole = {_file_of(test) for test in self.passed} - rest - self.others
            self.checked[-1].add({name: self.checksums[name] for name in whole & self.checksums.keys()})

    @staticmethod
    def _name(path: str) -> str:
        """The name below the project of a test file that may be reached by a link."""
        return os.path.relpath(os.path.realpath(path), ROOT)


def _is_long(report: pytest.TestReport) -> bool:
    return report.skipped and isinstance(report.longrepr, (tuple, list)) and str(report.longrepr[2]).endswith(LONG)


def _file_of(test: str) -> str:
    return test.partition("::")[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option of script/test."""
    parser.addoption("--changed", action="store_true", help="leave out what has passed and has not changed since")


def pytest_configure(config: pytest.Config) -> None:
    """Start."""
    config.pluginmanager.register(PassedBefore(config), "passed_before")
