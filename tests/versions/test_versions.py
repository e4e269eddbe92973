# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection on each ansible-core that it supports and that a Python is here for: as users get it, and for its
sanity tests as it is developed.
"""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.gates.get_pip import prime_ansible_test
from ansible_collections.kubeops.kops.tests.release import tarball as tarballs
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.programs import run
from ansible_collections.kubeops.kops.tests.versions.environments import (
    DEVEL,
    VERSIONS,
    Version,
    programs_of,
    python_for,
)

NAMED = os.environ.get("KOPS_ANSIBLE_CORE", "")
CHOSEN = [each for each in (*VERSIONS, DEVEL) if each.name == NAMED or not NAMED and each is not DEVEL]


@pytest.fixture(scope="module")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Of what git tracks alone."""
    copy = tarballs.copy_of(ROOT, tmp_path_factory.mktemp("copy"))
    return tarballs.build(copy, tmp_path_factory.mktemp("build"))


@pytest.fixture(scope="module")
def account() -> Iterator[AWSServer]:
    with AWSServer() as server:
        server.client("s3").create_bucket(Bucket="kops-state")
        yield server


@pytest.fixture(scope="module", params=CHOSEN, ids=[each.name for each in CHOSEN])
def version(request: pytest.FixtureRequest) -> Version:
    chosen: Version = request.param
    if not python_for(chosen):
        message = f"ansible-core {chosen.name} needs one of Python {', '.join(chosen.pythons)}"
        pytest.fail(message) if NAMED else pytest.skip(message)
    return chosen


@pytest.fixture(scope="module")
def installed(
    version: Version, tarball: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[pathlib.Path, dict[str, str]]:
    """The tarball alone, and the environment for its ansible-core."""
    directory = tmp_path_factory.mktemp("installed")
    programs = programs_of(version, python_for(version) or "")
    return directory, tarballs.install(tarball, directory, programs)


def test_first_plan(version: Version, installed: tuple[pathlib.Path, dict[str, str]], account: AWSServer) -> None:
    """Documentation of all modules, syntax of all playbooks, and a whole plan, for which arguments are checked."""
    directory, environment = installed
    assert version is DEVEL or f"core {version.name}." in run("ansible", "--version", cwd=directory, **environment)
    modules = {path.stem for path in (ROOT / "plugins" / "modules").glob("*.py")}
    assert tarballs.documented(directory, environment) == modules
    assert tarballs.check_playbook_syntax(directory, environment) == len(list((ROOT / "playbooks").glob("*.yml")))
    shown = tarballs.plan_cluster(directory, environment, account.environment)
    assert "AutoscalingGroup" in shown
    assert "DEPRECATION WARNING" not in shown


def test_sanity(version: Version, tmp_path: pathlib.Path) -> None:
    """All sanity tests that this ansible-core has, of all files. Each has a few of its own."""
    python = python_for(version) or ""
    programs = programs_of(version, python)
    copy = tarballs.repository_of(ROOT, tmp_path / "ansible_collections" / "kubeops" / "kops")
    prime_ansible_test(programs)
    # Programs that some tests start, such as shellcheck, are those of development.
    path = os.pathsep.join([str(programs), str(ROOT / ".venv" / "bin"), os.environ["PATH"]])
    # Each is a line of its own; warnings are longer.
    listed = run("ansible-test", "sanity", "--list-tests", cwd=copy, PATH=path)
    known = re.findall(r"^[a-z][a-z0-9-]+$", listed, re.MULTILINE)
    assert len(known) > 20, listed
    # The gates run these two for the files that have changed, and on the ansible-core of development alone.
    assert {"import", "pylint"} <= set(known), listed
    number = pathlib.Path(python).name.removeprefix("python")
    output = run("ansible-test", "sanity", "--color", "no", "--python", number, cwd=copy, PATH=path)
    assert set(known) <= set(re.findall(r'Running sanity test "([\w-]+)"', output)), output
    assert "Required program" not in output, output
