# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What changes for users comes with a changelog fragment: the rule of Ansible's collections, held on a clone alone.

On a branch, its commits since the default branch are looked at; on the default branch, those since the last release.
A commit that users need not know of says so by the trailer `Changelog: none`.
"""

from __future__ import annotations

import pathlib
import subprocess

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT

PRODUCT = ("plugins", "roles", "playbooks")
# A release moves the fragments into the changelog.
CHANGELOG = ("changelogs/fragments", "changelogs/changelog.yaml")
DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "main")


class NoHistory(Exception):
    """The clone does not tell what is new."""


def git(root: pathlib.Path, *command: str) -> str:
    """What git says; NoHistory when it has no answer."""
    done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoHistory(f"git {command[0]}: {done.stderr.strip() or 'no answer'}")
    return done.stdout.strip("\n")


def base_of(root: pathlib.Path) -> str:
    """The commit from which on changes are new."""
    if git(root, "rev-parse", "--is-shallow-repository") == "true":
        raise NoHistory("the clone is shallow")
    head = git(root, "rev-parse", "HEAD")
    for branch in DEFAULT_BRANCHES:
        try:
            base = git(root, "merge-base", "HEAD", branch)
        except NoHistory:
            continue
        if base != head:
            return base
    released = git(root, "log", "-1", "--format=%H", "-G^version:", "--", "galaxy.yml")
    if not released:
        raise NoHistory("no commit has set galaxy.yml's version")
    return released


def commits_without_fragment(root: pathlib.Path) -> list[str]:
    """The new commits that users should know of, if no fragment tells of any; NoHistory."""
    new = f"{base_of(root)}..HEAD"
    if git(root, "log", "--format=%h", "--diff-filter=AM", new, "--", *CHANGELOG):
        return []
    trailer = "%(trailers:key=Changelog,valueonly,separator=%x20)"
    listed = git(root, "log", "--no-merges", f"--format={trailer}%x09%h %s", new, "--", *PRODUCT)
    commits = (line.partition("\t") for line in listed.splitlines())
    return [subject for said, _tab, subject in commits if said.strip().lower() != "none"]


def test_changes_of_the_product_have_a_changelog_fragment() -> None:
    try:
        missing = commits_without_fragment(ROOT)
    except NoHistory as reason:
        pytest.skip(f"what is new is not known: {reason}")
    assert missing == [], "add a file to changelogs/fragments, or the trailer 'Changelog: none' to the commit"


class Clone:
    """A small collection with a history, released once."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        root.mkdir()
        git(root, "init", "--quiet", "--initial-branch", "main")
        git(root, "config", "user.name", "a")
        git(root, "config", "user.email", "a@example.com")
        git(root, "config", "commit.gpgsign", "false")
        self.commit("plugins/old.py", message="Before the release")
        self.commit("galaxy.yml", "version: 0.1.0\n", message="Release")

    def commit(self, name: str, text: str = "", message: str = "Change") -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--message", message)

    def missing(self) -> list[str]:
        return [each.partition(" ")[2] for each in commits_without_fragment(self.root)]


@pytest.fixture
def clone(tmp_path: pathlib.Path) -> Clone:
    return Clone(tmp_path / "clone")


@pytest.mark.parametrize("product", PRODUCT)
def test_since_the_last_release(clone: Clone, product: str) -> None:
    assert clone.missing() == []
    clone.commit("tests/test_a.py", message="Tests only")
    assert clone.missing() == []
    clone.commit(f"{product}/a.py", message="A: new")
    assert clone.missing() == ["A: new"]
    clone.commit("changelogs/fragments/a.yml")
    assert clone.missing() == []


def test_a_branch_needs_a_fragment_of_its_own(clone: Clone) -> None:
    clone.commit("plugins/a.py")
    clone.commit("changelogs/fragments/a.yml")
    git(clone.root, "switch", "--quiet", "--create", "topic")
    clone.commit("plugins/b.py", message="B: new")
    assert clone.missing() == ["B: new"]
    clone.commit("changelogs/fragments/a.yml", "of b, too\n")
    assert clone.missing() == []


def test_what_users_need_not_know_says_so(clone: Clone) -> None:
    clone.commit("plugins/a.py", message="A: faster\n\nIt was slow.\n\nChangelog: none")
    assert clone.missing() == []
    clone.commit("plugins/b.py", message="B: new")
    assert clone.missing() == ["B: new"]


def test_a_release_moves_fragments_into_the_changelog(clone: Clone) -> None:
    clone.commit("plugins/a.py")
    git(clone.root, "switch", "--quiet", "--create", "release")
    clone.commit("changelogs/changelog.yaml")
    clone.commit("galaxy.yml", "version: 0.2.0\n")
    clone.commit("plugins/version.py")
    assert clone.missing() == []


def test_without_history_nothing_is_said(clone: Clone, tmp_path: pathlib.Path) -> None:
    clone.commit("plugins/a.py")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth", "1", clone.root.as_uri(), str(shallow))
    with pytest.raises(NoHistory, match="shallow"):
        commits_without_fragment(shallow)
    plain = tmp_path / "plain"
    plain.mkdir()
    with pytest.raises(NoHistory):
        commits_without_fragment(plain)
