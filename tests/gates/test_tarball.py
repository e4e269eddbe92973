# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What users get holds what they need and nothing else, and works without the checkout."""

from __future__ import annotations

import io
import pathlib
import re
import tarfile

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.documented.pages import blocks
from ansible_collections.kubeops.kops.tests.documented.runs import GALAXY, taken_by
from ansible_collections.kubeops.kops.tests.release import collection
from ansible_collections.kubeops.kops.tests.release import tarball as tarballs
from ansible_collections.kubeops.kops.tests.support import galaxy
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.programs import run

pytestmark = pytest.mark.long

# What the documentation says to type, in its order.
INSTALL, INSTALL_REQUIREMENTS, LIST = taken_by(GALAXY, "README.md", "docs/from-kops.md")


def test_holds_what_users_need_and_nothing_else(tarball: pathlib.Path) -> None:
    assert tarballs.problems(tarball) == []


def test_problems_are_found(tmp_path: pathlib.Path) -> None:
    bad = tmp_path / "bad.tar.gz"
    with tarfile.open(bad, "w:gz") as archive:
        for name, content in (("tests/a.py", b""), ("plugins/a.so", b""), ("plugins/b.py", b"\0"), ("docs/a.md", b"a")):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("plugins/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "b.py"
        archive.addfile(link)
    assert [problem.partition(":")[0] for problem in tarballs.problems(bad)] == [
        "plugins/a.so",
        "plugins/b.py",
        "plugins/link.py",
        "tests/a.py",
    ]


@pytest.fixture(scope="session")
def installed(tarball: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, dict[str, str]]:
    """By the command of README.md, from a Galaxy."""
    directory = tmp_path_factory.mktemp("installed")
    environment = tarballs.environment_of(directory)
    with galaxy.serving(tarball) as of_galaxy:
        printed = run(*INSTALL.words, cwd=directory, **environment, **of_galaxy)
    assert f"{tarballs.NAME}:{collection.version(ROOT)} was installed successfully" in printed
    return directory, environment


def test_requirements_name_it(tarball: pathlib.Path, installed: tuple[pathlib.Path, dict[str, str]]) -> None:
    directory, environment = installed
    (requirements,) = (block.text for block in blocks() if block.page == "README.md" and block.language == "yaml")
    (directory / "requirements.yml").write_text(requirements)
    with galaxy.serving(tarball) as of_galaxy:
        printed = run(*INSTALL_REQUIREMENTS.words, cwd=directory, **environment, **of_galaxy)
    assert "All requested collections are already installed" in printed
    assert re.search(rf"{tarballs.NAME} +{collection.version(ROOT)}", run(*LIST.words, cwd=directory, **environment))


def test_documents_all_modules(installed: tuple[pathlib.Path, dict[str, str]]) -> None:
    modules = {path.stem for path in (ROOT / "plugins" / "modules").glob("*.py")}
    assert tarballs.documented(*installed) == modules


def test_plans_a_first_cluster(installed: tuple[pathlib.Path, dict[str, str]]) -> None:
    with AWSServer() as server:
        server.client("s3").create_bucket(Bucket="kops-state")
        shown = tarballs.plan_cluster(*installed, server.environment)
    assert "Plan " in shown
    assert "AutoscalingGroup" in shown
