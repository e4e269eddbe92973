# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWX' page of docs says what is loaded, and its execution environment can be built from what the collection says."""

from __future__ import annotations

import pathlib
import re

import yaml
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx import Settings, definitions, resources_of
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support.programs import run

PAGE = (ROOT / "docs" / "awx.md").read_text()
DEFINITION = ROOT / "docs" / "awx" / "execution-environment.yml"


def rows(title: str) -> list[list[str]]:
    """The cells of the table in a section of the page, without its head."""
    section = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_the_page_lists_what_is_loaded() -> None:
    templates = [[f"`{each['name']}`", f"`{each['playbook']}`"] for each in definitions("job_templates")]
    assert [row[:2] for row in rows("Job templates")] == templates
    workflows = [
        [
            f"`{each['name']}`",
            ", ".join(f"`{node['template']}`" if "template" in node else "approval" for node in each["nodes"]),
        ]
        for each in definitions("workflows")
    ]
    assert rows("Workflows") == workflows
    schedules = [(each["name"], each["template"]) for each in definitions("schedules")]
    assert [re.findall("`([^`]+)`", row[0] + row[2])[:2] for row in rows("Schedules")] == [
        [*each] for each in schedules
    ]


def test_the_page_lists_the_variables_of_credentials() -> None:
    said = {row[0]: re.findall("`([A-Z0-9_]+)`", row[1]) for row in rows("Credentials")}
    for each in resources_of(Settings())["credential_types"]:
        assert sorted(said[f"*{each['name']}*"]) == sorted(each["injectors"]["env"])


def test_the_execution_environment(copy: pathlib.Path, tmp_path: pathlib.Path) -> None:
    run("ansible-builder", "create", "--file", str(DEFINITION), "--context", str(tmp_path), cwd=tmp_path)
    made = yaml.safe_load((tmp_path / "_build" / "requirements.yml").read_text())
    assert [each["name"] for each in made["collections"]] == ["kubeops.kops", "awx.awx"]
    assert "pip_install" in (tmp_path / "Containerfile").read_text()

    # What the builder finds in the collection, once it is in the image.
    output = run("ansible-builder", "introspect", str(copy.parent.parent.parent), cwd=tmp_path)
    found = yaml.safe_load(output[output.index("---") :])
    said = {
        kind: (ROOT / "meta" / f"ee-{file}.txt").read_text().splitlines()
        for kind, file in (("python", "requirements"), ("system", "bindep"))
    }
    # The builder leaves out what ansible-core brings.
    said["python"] = [line for line in said["python"] if not line.startswith("PyYAML")]
    assert {kind: [line.partition("  #")[0] for line in lines] for kind, lines in found.items()} == said
