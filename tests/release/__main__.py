# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A release: the changelog, a tag, and a tarball that has been tried. script/release runs it.

All of it is made in a clone, so that the tarball holds what is committed and nothing else, and a release that fails
leaves nothing behind. Only at the end does the checkout get the commit, the tag and the tarball.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import sys
import tempfile

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.release import collection
from ansible_collections.kubeops.kops.tests.release import tarball as tarballs
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.programs import Failed, run


def git(root: pathlib.Path, *command: str) -> str:
    return run("git", *command, cwd=root).strip()


def problems_before(root: pathlib.Path) -> list[str]:
    """Why the version of galaxy.yml cannot be released from a checkout, all at once."""
    version = collection.version(root)
    found = []
    try:
        collection.numbers(version)
    except ValueError as error:
        found.append(f"galaxy.yml: {error}")
    if git(root, "status", "--porcelain"):
        found.append("the checkout has changes that are not committed")
    if git(root, "tag", "--list", f"v{version}"):
        found.append(f"the tag v{version} exists: galaxy.yml needs a newer version")
    if version in collection.released(root):
        found.append(f"changelogs/changelog.yaml has {version} already: galaxy.yml needs a newer version")
    if not list((root / "changelogs" / "fragments").glob("*.yml")):
        found.append("changelogs/fragments is empty: nothing is new")
    return found


def problems_of_tag(root: pathlib.Path, tag: str) -> list[str]:
    """Why a tag is not the release that it says, all at once."""
    version = collection.version(root)
    found = []
    if tag != f"v{version}":
        found.append(f"the tag is {tag}, and galaxy.yml has the version {version}")
    if version not in collection.released(root):
        found.append(f"changelogs/changelog.yaml does not tell of {version}")
    return found


def refuse(problems: list[str]) -> None:
    if problems:
        raise SystemExit("\n".join(f"script/release: {each}" for each in problems))


def write_changelog(root: pathlib.Path) -> None:
    """Move the fragments into the changelog, as a commit with a tag."""
    version = collection.version(root)
    run("antsibull-changelog", "lint", cwd=root)
    run("antsibull-changelog", "release", cwd=root)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", f"Release {version}")
    git(root, "tag", "--annotate", "--message", f"kubeops.kops {version}", f"v{version}")


def built_and_tried(root: pathlib.Path, work: pathlib.Path) -> pathlib.Path:
    """The tarball of a checkout, after it was used without any other file of it; Failed."""
    tarball = tarballs.build(root, work)
    refuse([f"{tarball.name}: {each}" for each in tarballs.problems(tarball)])
    installed = work / "installed"
    environment = tarballs.install(tarball, installed)
    modules = tarballs.documented(installed, environment)
    playbooks = tarballs.check_playbook_syntax(installed, environment)
    with AWSServer() as server:
        server.client("s3").create_bucket(Bucket="kops-state")
        shown = tarballs.plan_cluster(installed, environment, server.environment)
    plan = next(line.strip(' ",') for line in shown.splitlines() if "Plan " in line)
    print(f"{tarball.name}: {tarball.stat().st_size:,} bytes")
    print(f"from it alone: {len(modules)} modules, {playbooks} playbooks; a first cluster: {plan}")
    return tarball


def clone_at(work: pathlib.Path, commit: str) -> pathlib.Path:
    """The checkout at a commit, with nothing that is not committed. antsibull asks for the folders' names."""
    clone = work / "ansible_collections" / "kubeops" / "kops"
    git(ROOT, "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone))
    git(clone, "checkout", "--quiet", "--detach", commit)
    for name in ("user.name", "user.email"):
        if value := git(ROOT, "config", "--default", "", name):
            git(clone, "config", name, value)
    return clone


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="script/release", description="Release the version that galaxy.yml has.")
    parser.add_argument("--dry-run", action="store_true", help="do all of it in a clone, and throw that away")
    parser.add_argument("--tag", help="build what this tag has, which a run without --tag has made")
    parser.add_argument(
        "--publish", action="store_true", help="with --tag: upload it to the server that ansible-galaxy has"
    )
    options = parser.parse_args(arguments)
    if options.publish and (options.dry_run or not options.tag):
        parser.error("--publish needs --tag, and is no dry run")
    if not options.tag:
        refuse(problems_before(ROOT))
    version = collection.version(ROOT)
    with tempfile.TemporaryDirectory(prefix="kops-release-") as directory:
        work = pathlib.Path(directory)
        clone = clone_at(work, options.tag or "HEAD")
        if options.tag:
            refuse(problems_of_tag(clone, options.tag))
        try:
            if not options.tag:
                write_changelog(clone)
            tarball = built_and_tried(clone, work)
        except Failed as error:
            raise SystemExit(f"script/release: {error}") from error
        if options.dry_run:
            print(f"{version} can be released. Nothing has been changed.")
            return 0
        if not options.tag:
            git(ROOT, "pull", "--quiet", "--ff-only", str(clone), f"refs/tags/v{version}")
            git(ROOT, "fetch", "--quiet", str(clone), f"refs/tags/v{version}:refs/tags/v{version}")
        (ROOT / "dist").mkdir(exist_ok=True)
        final = shutil.copy2(tarball, ROOT / "dist")
        print(f"dist/{tarball.name}")
        if options.publish:
            run("ansible-galaxy", "collection", "publish", str(final), cwd=ROOT)
            print("published")
        elif not options.tag:
            print(f"To publish it: git push origin HEAD v{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
