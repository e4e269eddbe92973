# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Galaxy, Automation Hub and the community's inclusion rules ask of a collection's own files."""

from __future__ import annotations

import pathlib
import re

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.release import collection
from ansible_collections.kubeops.kops.tests.support.programs import run

GALAXY = collection.metadata(ROOT)
README = (ROOT / "README.md").read_text()
HEADINGS = re.findall(r"^## (.+)$", README, re.MULTILINE)
# What Red Hat's template of a README has.
ASKED = (
    "Description",
    "Requirements",
    "Installation",
    "Use cases",
    "Testing",
    "Contributing",
    "Support",
    "Release notes",
    "Related information",
    "License",
)
# One of them is asked for; galaxy-importer has the list.
REQUIRED_TAGS = {
    *("ai", "application", "cloud", "database", "eda", "infrastructure", "linux"),
    *("monitoring", "networking", "security", "storage", "tools", "windows"),
}
# Folders of plugins that Ansible knows, with the collection's own in module_utils and plugin_utils.
FOLDERS = {
    *(
        "action",
        "become",
        "cache",
        "callback",
        "cliconf",
        "connection",
        "doc_fragments",
        "filter",
        "httpapi",
        "inventory",
    ),
    *("lookup", "module_utils", "modules", "netconf", "plugin_utils", "strategy", "terminal", "test", "vars"),
}


def test_the_version_is_semantic() -> None:
    assert collection.numbers(GALAXY["version"])


def test_no_other_file_has_a_version_of_its_own() -> None:
    """Where a version is needed, it is read from galaxy.yml."""
    assert not re.search(r"^version\s*=", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert not [
        path.name
        for path in (ROOT / "plugins").rglob("*.py")
        if re.search(r"^(__version__|COLLECTION_VERSION)\b", path.read_text(), re.MULTILINE)
    ]


def test_nothing_is_newer_than_the_version() -> None:
    """A module or option that was added in a version that is still to come is documented wrongly."""
    now = collection.numbers(GALAXY["version"])
    added = {
        (str(path.relative_to(ROOT)), found)
        for path in (ROOT / "plugins").rglob("*.py")
        for found in re.findall(r"^ *version_added: [\"']?([\d.]+)", path.read_text(), re.MULTILINE)
    }
    assert added
    assert sorted(each for each in added if collection.numbers(each[1]) > now) == []
    assert [each for each in collection.released(ROOT) if collection.numbers(each) > now] == []


def test_tags_say_what_it_is_for() -> None:
    assert len(GALAXY["tags"]) <= 20
    assert set(GALAXY["tags"]) & REQUIRED_TAGS


@pytest.mark.parametrize("link", ["repository", "documentation", "homepage", "issues"])
def test_links_are_there(link: str) -> None:
    assert GALAXY[link].startswith("https://")


def test_it_depends_on_no_other_collection() -> None:
    """Certified collections may depend on certified ones only."""
    assert GALAXY["dependencies"] == {}


def test_the_license_is_there() -> None:
    text = (ROOT / GALAXY["license_file"]).read_text()
    assert "GNU GENERAL PUBLIC LICENSE" in text
    assert (ROOT / "LICENSES" / "GPL-3.0-or-later.txt").read_text() == text  # where REUSE looks for it


def test_every_file_says_its_license(copy: pathlib.Path) -> None:
    """Of the copy: beside the checkout's files, other tests write caches meanwhile."""
    run("reuse", "--suppress-deprecation", "lint", "--lines", cwd=copy)


def test_the_readme_has_the_sections_that_are_asked_for() -> None:
    assert [heading for heading in ASKED if heading not in HEADINGS] == []


def test_links_of_the_readme_are_absolute() -> None:
    """Galaxy shows it where relative ones lead nowhere."""
    assert re.findall(r"\]\((?!https://)([^)]*)\)", README) == []


@pytest.mark.parametrize("word", ["semver.org", "forum.ansible.com/c/help/6", "code_of_conduct", "are not supported"])
def test_the_readme_tells_what_the_community_asks_for(word: str) -> None:
    """Versions, where to talk, how to behave, and which Pythons and ansible-cores are meant."""
    assert word in README


@pytest.mark.parametrize("name", ["CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_a_page_for_the_community_is_there(name: str) -> None:
    assert (ROOT / name).is_file()


def test_requirements_of_execution_environments_leave_newer_versions_open() -> None:
    lines = (ROOT / "meta" / "ee-requirements.txt").read_text().split("\n")
    wanted = [line for line in lines if line and not line.startswith("#")]
    assert [line for line in wanted if not re.fullmatch(r"[A-Za-z0-9_-]+(>=[\d.]+)?", line)] == []
    assert not {"ansible", "ansible-core"} & {line.partition(">")[0] for line in wanted}


def test_plugins_are_in_folders_that_ansible_knows() -> None:
    folders = {path.name for path in (ROOT / "plugins").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= FOLDERS
