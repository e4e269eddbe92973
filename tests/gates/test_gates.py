# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gates of the field, each as one test: what Ansible, Galaxy and Python's own checkers say of the collection.

Tools that need the collection at its place on the path, or that leave files behind, work on a copy of what git tracks.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.gates.get_pip import prime_ansible_test
from ansible_collections.kubeops.kops.tests.support import checked
from ansible_collections.kubeops.kops.tests.support.checked import Checked, look_at_new
from ansible_collections.kubeops.kops.tests.support.programs import run
from ansible_collections.kubeops.kops.tests.support.turns import due

SANITY_TESTS = 24  # those of ansible-core 2.19 that apply to a collection
# Tests of ansible-test that take minutes, each with the Python files that it looks at.
SLOW = {"import": "plugins/", "pylint": ""}


def ansible_test_sanity(copy: pathlib.Path, *arguments: str) -> str:
    prime_ansible_test()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    output = run("ansible-test", "sanity", "--color", "no", "--python", version, *arguments, cwd=copy)
    # A tool that is not there is only warned of, so a green run is no proof that it ran.
    assert "Required program" not in output, output
    return output


def collections_path(copy: pathlib.Path) -> str:
    return str(copy.parent.parent.parent)


def test_ruff_finds_nothing() -> None:
    run("ruff", "check", ".", cwd=ROOT)


def test_ruff_would_format_nothing() -> None:
    run("ruff", "format", "--check", ".", cwd=ROOT)


def test_types_are_right(copy: pathlib.Path) -> None:
    """In the copy, because only there our modules have the names by which they import each other."""
    root = copy.parent.parent.parent
    configured = ("--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache"))
    run(
        "mypy",
        *configured,
        str((copy / "plugins").relative_to(root)),
        str((copy / "tests").relative_to(root)),
        cwd=root,
    )


def test_plugins_need_no_newer_python_than_they_say(checksums: dict[str, str]) -> None:
    """ansible-test compiles with the Pythons that are here; this looks for what Python 3.9 and its library lack."""

    def look(new: list[str]) -> None:
        # It takes the float in api/shapes.py for an int. Only controllers read TOML.
        excluded = ("--exclude", "int.is_integer", "--exclude", "tomllib")
        run("vermin", "--no-tips", "--violations", "--target=3.9-", *excluded, *new, cwd=ROOT)

    of_plugins = {name: each for name, each in checksums.items() if name.startswith("plugins/")}
    look_at_new("vermin", {name: each for name, each in of_plugins.items() if name.endswith(".py")}, look)


@pytest.fixture(scope="module")
def checksums(copy: pathlib.Path) -> dict[str, str]:
    return checksums_of(copy)


@pytest.mark.xdist_group("ansible-test")
def test_ansible_test_sanity(copy: pathlib.Path, checksums: dict[str, str]) -> None:
    skipped = [option for test in SLOW for option in ("--skip-test", test)]

    def look(new: list[str]) -> None:
        if len(new) < len(checksums):
            ansible_test_sanity(copy, *skipped, *new)
            return
        output = ansible_test_sanity(copy, *skipped)
        assert output.count("Running sanity test") >= SANITY_TESTS - len(SLOW), output

    look_at_new("sanity", checksums, look)


@pytest.mark.xdist_group("ansible-test")
@pytest.mark.parametrize("test", SLOW)
def test_ansible_test_sanity_of_what_is_new(
    copy: pathlib.Path, checksums: dict[str, str], test: str, pytestconfig: pytest.Config
) -> None:
    def look(new: list[str]) -> None:
        assert f'Running sanity test "{test}"' in ansible_test_sanity(copy, "--test", test, *new)

    of_python = [name for name in checksums if name.endswith(".py") and name.startswith(SLOW[test])]
    now = due(of_python, pytestconfig.getoption("--turn"), ROOT)
    look_at_new(f"sanity-{test}", {name: checksums[name] for name in now}, look)


def test_what_is_new_is_what_has_changed_and_what_imports_it(copy: pathlib.Path, tmp_path: pathlib.Path) -> None:
    new = new_after("plugins/module_utils/engine/task.py", copy, tmp_path)
    # The file, what imports it, what imports that, and tests; not what it imports itself.
    importing = ("engine/planner.py", "cloud/aws/tasks/vpc.py", "operations/update/cluster.py")
    assert {f"plugins/module_utils/{name}" for name in ("engine/task.py", *importing)} <= new
    assert {"plugins/modules/update_cluster.py", "tests/support/effects.py"} <= new
    assert not new & {"plugins/module_utils/base/errors.py", "plugins/module_utils/exchange/items.py"}


def test_a_playbook_is_new_with_all_that_it_runs(copy: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert "playbooks/update_cluster.yml" in new_after("playbooks/parts/hosts.yml", copy, tmp_path / "part")
    of_a_role = new_after("roles/nodeup/meta/argument_specs.yml", copy, tmp_path / "role")
    assert {"roles/nodeup/tasks/main.yml", "playbooks/parts/hosts.yml"} <= of_a_role
    of_a_module = new_after("plugins/modules/validate_cluster.py", copy, tmp_path / "module")
    assert {"playbooks/parts/hosts.yml", "playbooks/create_cluster.yml"} <= of_a_module
    assert "playbooks/keypair.yml" not in of_a_module


def new_after(changed: str, copy: pathlib.Path, directory: pathlib.Path) -> set[str]:
    """What a gate that knows all files looks at after one has changed."""
    before = checksums_of(copy)
    known = Checked("gate", directory)
    assert known.others(before) == sorted(before)
    known.add(before)
    assert Checked("gate", directory).others(before) == []
    path = copy / changed
    right = path.read_text()
    try:
        path.write_text(f"{right}\n")
        return set(Checked("gate", directory).others(checksums_of(copy)))
    finally:
        path.write_text(right)


def without_tests(checksums: dict[str, str]) -> dict[str, str]:
    """For a gate that looks at all files at once, but tests."""
    return {name: each for name, each in checksums.items() if not name.startswith("tests/")}


def checksums_of(copy: pathlib.Path) -> dict[str, str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=copy, check=True, stdout=subprocess.PIPE, text=True).stdout
    return checked.checksums(copy, filter(None, listed.split("\0")))


@pytest.mark.xdist_group("ansible-test")
def test_ansible_test_compares_documentation_with_arguments(copy: pathlib.Path) -> None:
    module = copy / "plugins" / "modules" / "keypair.py"
    right = module.read_text()
    try:
        module.write_text(right.replace("choices: [", "choices: [never, ", 1))
        with pytest.raises(AssertionError, match="doc-choices-do-not-match-spec"):
            ansible_test_sanity(copy, "--test", "validate-modules", "plugins/modules/keypair.py")
    finally:
        module.write_text(right)


def test_ansible_test_has_no_exceptions(copy: pathlib.Path) -> None:
    assert not list((copy / "tests" / "sanity").glob("ignore*")), "the gates have no ignore entries"


def test_ansible_lint_production(copy: pathlib.Path, checksums: dict[str, str]) -> None:
    def look(new: list[str]) -> None:
        # By name: by itself it would open all Python files, too, which takes it five times as long.
        arguments = ("--offline", "--profile", "production", *new)
        run("ansible-lint", *arguments, cwd=copy, ANSIBLE_COLLECTIONS_PATH=collections_path(copy))

    yaml = {name: each for name, each in checksums.items() if name.endswith((".yml", ".yaml"))}
    linted = {name: each for name, each in yaml.items() if not name.startswith("tests/")}
    look_at_new("ansible-lint", linted, look)


def test_documentation_lint(copy: pathlib.Path, checksums: dict[str, str]) -> None:
    def look(_new: list[str]) -> None:
        run(
            "antsibull-docs",
            "lint-collection-docs",
            "--plugin-docs",
            "--validate-collection-refs=self",
            "--check-extra-docs-refs",
            ".",
            cwd=copy,
            ANSIBLE_COLLECTIONS_PATH=collections_path(copy),
        )

    look_at_new("documentation-lint", without_tests(checksums), look)


def test_changelog_lint(copy: pathlib.Path) -> None:
    run("antsibull-changelog", "lint", cwd=copy)


@pytest.mark.long
def test_galaxy_importer(tarball: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Without its ansible-lint: the importer only warns of what test_ansible_lint_production fails for, and takes it
    for an error if that takes three minutes, as on a busy machine. It has no setting for this limit.
    """
    config = tmp_path / "importer.cfg"
    settings = ("RUN_ANSIBLE_TEST=False", "RUN_ANSIBLE_LINT=False", "RUN_FLAKE8=False", "CHECK_REQUIRED_TAGS=True")
    config.write_text("\n".join(["[galaxy-importer]", *settings, ""]))
    importer = ROOT / ".venv" / "importer" / "bin"
    output = run(
        str(importer / "python"),
        "-m",
        "galaxy_importer.main",
        str(tarball),
        cwd=tmp_path,
        GALAXY_IMPORTER_CONFIG=str(config),
        PATH=f"{importer}{os.pathsep}{os.environ['PATH']}",
    )
    assert [line for line in output.splitlines() if "ERROR" in line] == [], output
    assert "Linting collection" not in output
