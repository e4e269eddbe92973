# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects in AWX are known as those that the collection has loaded."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx import Settings, resources_of
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx_marks import (
    lists_of_marked,
    marked,
    unwanted,
)

RESOURCES = resources_of(Settings(schedules=("drift",)))


def shown(kind: str, name: str, description: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "name": name, "description": description, **more}


def node(identifier: str, workflow: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "workflow_job_template_node",
        "identifier": identifier,
        "summary_fields": {"workflow_job_template": workflow},
    }


def schedule(name: str, template: str) -> dict[str, Any]:
    description = marked("x", "kops", name.removeprefix("kops "))
    return shown("schedule", name, description, summary_fields={"unified_job_template": {"name": template}})


def paths(*items: dict[str, Any], prefix: str = "kops") -> list[str]:
    return [each["path"] for each in unwanted(RESOURCES, items, prefix)]


def test_what_is_loaded_is_wanted() -> None:
    kinds = {"job_templates": "job_template", "workflow_job_templates": "workflow_job_template"}
    items = [
        shown(kind, each["name"], each["description"])
        for kinds_of, kind in {**kinds, "credential_types": "credential_type"}.items()
        for each in RESOURCES[kinds_of]
    ]
    workflows = {each["name"]: each for each in RESOURCES["workflow_job_templates"]}
    items += [
        node(each["identifier"], workflows[each["workflow_job_template"]]) for each in RESOURCES["workflow_nodes"]
    ]
    items += [schedule(each["name"], each["unified_job_template"]) for each in RESOURCES["schedules"]]
    assert paths(*items) == []
    # All of them are known again.
    nothing: dict[str, Any] = {kind: [] for kind in RESOURCES}
    assert {each["kind"] for each in unwanted(nothing, items, "kops")} == {
        "job_templates",
        "workflow_job_templates",
        "credential_types",
        "schedules",
    }


@pytest.mark.parametrize(
    ("name", "description", "prefix", "is_ours"),
    [
        ("kops old", "Old. [kubeops.kops kops: old]", "kops", True),
        ("kops old", "Old. [kubeops.kops kops: old] ", "kops", False),
        ("kops old", "Old.", "kops", False),
        ("kops old", "", "kops", False),
        # A copy, and what somebody has renamed.
        ("kops old @ 10:00:00", "Old. [kubeops.kops kops: old]", "kops", False),
        ("mine", "Old. [kubeops.kops kops: old]", "kops", False),
        # Other sets.
        ("kops prod old", "Old. [kubeops.kops kops prod: old]", "kops", False),
        ("kops prod old", "Old. [kubeops.kops kops prod: old]", "kops prod", True),
        ("a b: old", "Old. [kubeops.kops a b: : old]", "a b", False),
        ("kopsold", "Old. [kubeops.kops kops: ld]", "kops", False),
    ],
)
def test_an_object_is_ours_if_its_mark_names_it(name: str, description: str, prefix: str, is_ours: bool) -> None:
    assert paths(shown("job_template", name, description), prefix=prefix) == (
        [f"job_templates/{name}"] if is_ours else []
    )


def test_the_order_is_that_in_which_they_can_be_deleted() -> None:
    apply = shown("workflow_job_template", "kops apply", marked("x", "kops", "apply"))
    old = shown("workflow_job_template", "kops old", marked("x", "kops", "old"))
    found = paths(
        shown("credential_type", "kops old", marked("x", "kops", "old")),
        shown("job_template", "kops old", marked("x", "kops", "old")),
        old,
        # It goes with its workflow.
        node("plan [kubeops.kops]", old),
        node("old [kubeops.kops]", apply),
        node("somebody's", apply),
        node("old [kubeops.kops]", {"name": "mine", "description": ""}),
        schedule("kops old", "kops old"),
        # The same name at another template.
        schedule("kops drift", "kops old"),
        shown("project", "kops old", marked("x", "kops", "old")),
    )
    assert found == [
        "schedules/kops drift",
        "schedules/kops old",
        "workflow_job_template_nodes/kops apply/old [kubeops.kops]",
        "workflow_job_templates/kops old",
        "job_templates/kops old",
        "credential_types/kops old",
    ]


def test_only_what_is_marked_is_asked_for_and_only_in_the_organization() -> None:
    for each in lists_of_marked("prod", "Ops"):
        assert "[kubeops.kops prod: " in each["query"].values()
        # Credential types belong to none.
        assert ("Ops" in each["query"].values()) == (each["endpoint"] != "credential_types")
