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
from ansible_collections.kubeops.kops.tests.gates import sanity
from ansible_collections.kubeops.kops.tests.gates.get_pip import prime_ansible_test
from ansible_collections.kubeops.kops.tests.support.programs import run

SANITY_TESTS = 24  # those of ansible-core 2.19 that apply to a collection


def ansible_test_sanity(copy: pathlib.Path, *arguments: str) -> str:
    prime_ansible_test()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return run("ansible-test", "sanity", "--color", "no", "--python", version, *arguments, cwd=copy)


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


def test_plugins_need_no_newer_python_than_they_say() -> None:
    """ansible-test compiles with the Pythons that are here; this looks for what Python 3.9 and its library lack."""
    # It takes the float in api/shapes.py for an int.
    run("vermin", "--no-tips", "--violations", "--target=3.9-", "--exclude", "int.is_integer", "plugins", cwd=ROOT)


@pytest.mark.xdist_group("ansible-test")
def test_ansible_test_sanity(copy: pathlib.Path) -> None:
    skipped = [option for test in sanity.SLOW for option in ("--skip-test", test)]
    output = ansible_test_sanity(copy, *skipped)
    assert output.count("Running sanity test") >= SANITY_TESTS - len(sanity.SLOW), output
    # A tool that is not there is only warned of, so a green run is no proof that it ran.
    assert "Required program" not in output, output


@pytest.mark.xdist_group("ansible-test")
@pytest.mark.parametrize("test", sanity.SLOW)
def test_ansible_test_sanity_of_what_is_new(copy: pathlib.Path, test: str) -> None:
    checked = sanity.Checked(test)
    checksums = {name: each for name, each in checksums_of(copy).items() if name.startswith(sanity.SLOW[test])}
    new = checked.others(checksums)
    if new:
        output = ansible_test_sanity(copy, "--test", test, *new)
        assert f'Running sanity test "{test}"' in output, output
        assert "Required program" not in output, output
        checked.add({name: checksums[name] for name in new})


def test_what_is_new_is_what_has_changed_and_what_imports_it(copy: pathlib.Path, tmp_path: pathlib.Path) -> None:
    before = checksums_of(copy)
    checked = sanity.Checked("pylint", tmp_path)
    assert checked.others(before) == sorted(before)
    checked.add(before)
    assert sanity.Checked("pylint", tmp_path).others(before) == []
    changed = copy / "plugins" / "module_utils" / "engine" / "task.py"
    right = changed.read_text()
    try:
        changed.write_text(f"{right}\n")
        new = set(sanity.Checked("pylint", tmp_path).others(checksums_of(copy)))
    finally:
        changed.write_text(right)
    # The file, what imports it, what imports that, and tests; not what it imports itself.
    importing = ("engine/planner.py", "cloud/aws/tasks/vpc.py", "operations/update.py")
    assert {f"plugins/module_utils/{name}" for name in ("engine/task.py", *importing)} <= new
    assert {"plugins/modules/update_cluster.py", "tests/support/effects.py"} <= new
    assert not new & {"plugins/module_utils/base/errors.py", "plugins/module_utils/node/items.py"}


def checksums_of(copy: pathlib.Path) -> dict[str, str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=copy, check=True, stdout=subprocess.PIPE, text=True).stdout
    return sanity.checksums(copy, filter(None, listed.split("\0")))


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


def test_ansible_lint_production(copy: pathlib.Path) -> None:
    run(
        "ansible-lint",
        "--offline",
        "--profile",
        "production",
        cwd=copy,
        ANSIBLE_COLLECTIONS_PATH=collections_path(copy),
    )


def test_documentation_lint(copy: pathlib.Path) -> None:
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


def test_changelog_lint(copy: pathlib.Path) -> None:
    run("antsibull-changelog", "lint", cwd=copy)


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
