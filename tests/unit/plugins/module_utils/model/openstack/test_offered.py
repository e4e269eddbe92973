# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the project has is asked only for servers that are to be made, or made of something else."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import Image, InstanceType, NoFacts
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.account import Account
from ansible_collections.kubeops.kops.plugins.module_utils.model.context import ModelContext
from ansible_collections.kubeops.kops.plugins.module_utils.model.openstack import offered, removed_servers
from ansible_collections.kubeops.kops.tests.support.openstack import clusters
from ansible_collections.kubeops.kops.tests.support.openstack.memory import Project

NAME = clusters.NAME


class Facts(NoFacts):
    """What is asked, as (question, name). lacks: names that the project does not have."""

    def __init__(self, *lacks: str) -> None:
        self.lacks, self.asked = lacks, set[tuple[str, str]]()

    def instance_type(self, name: str) -> InstanceType | None:
        self.asked.add(("flavor", name))
        return None if name in self.lacks else InstanceType(name, 2, 4096)

    def image(self, reference: str) -> Image | None:
        self.asked.add(("image", reference))
        return None if reference in self.lacks else Image(reference, reference, "amd64")

    def zones(self) -> list[str]:
        self.asked.add(("zones", ""))
        return []


@pytest.fixture
def project() -> Project:
    """With the cluster."""
    made = Project()
    clusters.applied(made.client(NAME), clusters.tasks())
    return made


def missing(project: Project, facts: Facts, monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[str]:
    """Fields of what is missing by the specification."""
    built: list[ModelContext] = []
    monkeypatch.setattr(removed_servers, "build", built.append)
    clusters.tasks(facts=facts, account=Account.of(project.client(NAME)), **options)
    return sorted(f"{each.group}: {each.path}" for each in offered.missing(built[0]))


def changed(before: str, after: str) -> Any:
    return lambda text: text.replace(before, after)


def test_nothing_is_asked_of_servers_that_are_there(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    # Neither that they can be had no more, which others have decided since.
    facts = Facts("medium", "debian-12")
    assert missing(project, facts, monkeypatch) == []
    assert facts.asked == set()


@pytest.mark.parametrize("what", ["flavor", "image"])
def test_what_new_servers_would_be_made_of_is_asked_for(
    project: Project, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    field, before, after = {
        "flavor": ("spec.machineType", "machineType: medium", "machineType: huge"),
        "image": ("spec.image", "image: debian-12", "image: debian-99"),
    }[what]
    facts = Facts("huge", "debian-99")
    found = missing(project, facts, monkeypatch, change=changed(before, after))
    assert found == [f"{group}: {field}" for group in ("bastions", "control-plane-az-1", "nodes-az-1")]
    assert (what, after.split(": ")[1]) in facts.asked


@pytest.mark.parametrize("how", ["gone", "failed", "of kops"])
def test_a_server_that_is_to_be_made_needs_what_it_is_made_of(
    project: Project, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    servers = project.of(kinds.SERVER)
    (key,) = (key for key, each in servers.items() if each["metadata"]["KopsName"].startswith("nodes-az-1-2"))
    if how == "gone":
        del servers[key]
    elif how == "failed":
        servers[key]["status"] = "ERROR"
    else:
        del servers[key]["metadata"]["kubeops-made-from"]
    facts = Facts("medium")
    assert missing(project, facts, monkeypatch) == ["nodes-az-1: spec.machineType"]


def test_zones_are_asked_for_only_if_a_group_names_some(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = Facts()
    change = changed("machineType: medium", "machineType: huge")
    assert missing(project, facts, monkeypatch, change=change) == []
    assert ("zones", "") not in facts.asked
    change = changed("machineType: medium", "machineType: huge, zones: [nova]")
    found = missing(project, facts, monkeypatch, change=change)
    assert found == [f"{group}: spec.zones[0]" for group in ("bastions", "control-plane-az-1", "nodes-az-1")]
