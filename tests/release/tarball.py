# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection as users get it: built, looked at, and tried without the checkout."""

from __future__ import annotations

import os
import pathlib
import shutil
import tarfile
from collections.abc import Mapping

from ansible_collections.kubeops.kops.tests.support.programs import run

NAME = "kubeops.kops"
# What a collection consists of at its top. Whatever else is here is for developers.
ROOMS = {"changelogs", "docs", "extensions", "meta", "playbooks", "plugins", "roles"}
FILES = {
    "CHANGELOG.rst",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "COPYING",
    "FILES.json",
    "MANIFEST.json",
    "README.md",
    "SECURITY.md",
}
LARGEST = 20_000_000  # bytes: what Galaxy takes
# No code of another project, no program, no cache.
KINDS = {"", ".css", ".html", ".j2", ".js", ".json", ".md", ".png", ".py", ".rst", ".svg", ".txt", ".yaml", ".yml"}
NO_SUFFIX = {"COPYING"}


def tracked(root: pathlib.Path) -> list[str]:
    """The files that git has, or would add."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=root)
    return [name for name in listed.split("\0") if name and (root / name).is_file()]


def copy_of(root: pathlib.Path, target: pathlib.Path) -> pathlib.Path:
    """Copies of these files below target, which is returned."""
    for name in tracked(root):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, target / name)
    return target


def repository_of(root: pathlib.Path, target: pathlib.Path) -> pathlib.Path:
    """The same as a git repository, which ansible-test asks for the names of files."""
    copy_of(root, target)
    run("git", "init", "--quiet", cwd=target)
    run("git", "add", "--all", cwd=target)
    return target


def build(root: pathlib.Path, output: pathlib.Path) -> pathlib.Path:
    """The tarball of what is below root, in output; Failed."""
    before = set(output.glob("*.tar.gz"))
    run("ansible-galaxy", "collection", "build", "--output-path", str(output), cwd=root)
    (built,) = set(output.glob(f"{NAME.replace('.', '-')}-*.tar.gz")) - before
    return built


def problems(tarball: pathlib.Path) -> list[str]:
    """What users should not get, all at once."""
    found = []
    with tarfile.open(tarball) as archive:
        for member in archive.getmembers():
            path = pathlib.PurePosixPath(member.name)
            if path.parts[0] not in ROOMS | FILES:
                found.append(f"{path}: is for developers; build_ignore of galaxy.yml should name it")
            if not (member.isfile() or member.isdir()):
                found.append(f"{path}: is neither a file nor a directory")
            if member.isfile() and (path.suffix not in KINDS or not path.suffix and path.name not in NO_SUFFIX):
                found.append(f"{path}: a kind of file that the collection has not")
            if member.isfile() and member.mode & 0o111:
                found.append(f"{path}: is executable")
            if member.isfile() and path.suffix != ".png" and _is_binary(archive, member):
                found.append(f"{path}: is binary")
    if tarball.stat().st_size > LARGEST:
        found.append(f"{tarball.name}: {tarball.stat().st_size} bytes, more than {LARGEST}")
    return sorted(found)


def _is_binary(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bool:
    content = archive.extractfile(member)
    return content is not None and b"\0" in content.read()


def install(tarball: pathlib.Path, directory: pathlib.Path, programs: pathlib.Path | None = None) -> dict[str, str]:
    """Install the tarball alone; what the environment needs for Ansible to see it and no other collection. Failed.

    programs: the directory of another ansible-core's programs.
    """
    directory.mkdir(exist_ok=True)
    environment = environment_of(directory)
    if programs:
        environment["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    command = ("ansible-galaxy", "collection", "install", str(tarball), "--collections-path", str(directory))
    run(*command, "--offline", cwd=directory, **environment)
    return environment


def environment_of(directory: pathlib.Path) -> dict[str, str]:
    """What the environment needs for Ansible to see the collections in a directory, and no others."""
    return {
        "ANSIBLE_COLLECTIONS_PATH": str(directory),
        "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "false",
        "ANSIBLE_HOME": str(directory / "home"),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
        "ANSIBLE_NOCOLOR": "1",
    }


def documented(directory: pathlib.Path, environment: Mapping[str, str]) -> set[str]:
    """The modules of an installed collection that ansible-doc lists; Failed."""
    listed = run("ansible-doc", "--list", NAME, cwd=directory, **environment)
    return {line.split()[0].rpartition(".")[2] for line in listed.splitlines() if line.startswith(f"{NAME}.")}


def check_playbook_syntax(directory: pathlib.Path, environment: Mapping[str, str]) -> int:
    """Have Ansible read all playbooks of an installed collection; how many there are. Failed."""
    rooms = directory / "ansible_collections" / NAME.replace(".", os.sep) / "playbooks"
    names = sorted(f"{NAME}.{path.stem}" for path in rooms.glob("*.yml"))
    run("ansible-playbook", "--syntax-check", *names, cwd=directory, **environment)
    return len(names)


def plan_cluster(directory: pathlib.Path, environment: Mapping[str, str], account: Mapping[str, str]) -> str:
    """Plan a first cluster in check mode; what the terminal shows. Failed.

    account: what a process needs in its environment to use an AWS account that has the bucket kops-state.
    """
    asked = {"KOPS_STATE_STORE": "s3://kops-state", "KOPS_CLUSTER_NAME": "first.example.com"}
    command = ("ansible-playbook", f"{NAME}.create_cluster", "--check", "-e", "kops_zones=us-east-1a")
    return run(*command, cwd=directory, **{**environment, **account, **asked})
