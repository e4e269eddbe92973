# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Surveys are as AWX takes them: JobTemplateSurveySpec in awx/api/views, SurveyJobTemplateMixin in awx/main/models."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.checks import Given, problems_of
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import environment_variables, playbooks
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.survey import survey_of

# AWX' kinds of questions, and the type that a default must have.
DEFAULTS: dict[str, type] = {
    "float": float,
    "integer": int,
    "multiplechoice": str,
    "multiselect": str,
    "password": str,
    "text": str,
    "textarea": str,
}


def question(playbook: str, variable: str) -> dict[str, Any]:
    (found,) = (each for each in survey_of(playbook, without=())["spec"] if each["variable"] == variable)
    return found


@pytest.mark.parametrize("playbook", playbooks())
def test_awx_takes_it(playbook: str) -> None:
    survey = survey_of(playbook, without=())
    assert survey.keys() == {"name", "description", "spec"}
    names = [each["question_name"] for each in survey["spec"]]
    assert len(set(names)) == len(names)
    for each in survey["spec"]:
        assert all(isinstance(each[key], str) for key in ("question_name", "question_description", "variable"))
        assert isinstance(each["required"], bool)
        assert each["default"] == "" or isinstance(each["default"], DEFAULTS[each["type"]]), each
        assert all(each[key] is None or isinstance(each[key], int) for key in ("min", "max"))
        assert bool(each["choices"]) == (each["type"] in ("multiplechoice", "multiselect"))
        if each["choices"]:
            assert set(each["default"].splitlines()) <= set(each["choices"])


@pytest.mark.parametrize("playbook", playbooks())
def test_what_a_form_has_at_first_is_right(playbook: str) -> None:
    """Filled in where something must be, as AWX gives it to the playbook: what is empty as an empty text."""
    answers: dict[str, Any] = {}
    for each in survey_of(playbook)["spec"]:
        value = each["default"] or ((each["choices"] or ["x"])[0] if each["required"] else "")
        answers[each["variable"]] = value.splitlines() if each["type"] == "multiselect" and value else value
    assert problems_of(playbook, Given(answers)) == []


def test_a_question() -> None:
    assert question("update_cluster", "kops_target") == {
        "question_name": "Target",
        "question_description": "Where to, the cloud, or a Terraform configuration or CloudFormation template",
        "variable": "kops_target",
        "type": "multiplechoice",
        "required": False,
        "choices": ["direct", "terraform", "cloudformation"],
        "min": None,
        "max": None,
        "default": "direct",
    }


@pytest.mark.parametrize(
    ("playbook", "variable", "kind", "title", "default"),
    [
        ("secret", "kops_secret_value", "password", "Secret value", ""),
        ("assets", "kops_architectures", "multiselect", "Architectures", ""),
        ("rolling_update", "kops_force", "multiplechoice", "Force", ""),
        ("rolling_update", "kops_fail_on_validate", "multiplechoice", "Fail on validate", "true"),
        ("rolling_update", "kops_drain_timeout", "integer", "Drain timeout", 900),
        ("rolling_update", "kops_lease_wait", "float", "Lease wait", 90.0),
        ("etcd_restore", "kops_backups", "textarea", "Backups", ""),
        ("create_cluster", "kops_dns_zone", "text", "DNS zone", ""),
        ("create_cluster", "kops_ipv6", "multiplechoice", "IPv6", ""),
        ("create_cluster", "kops_admin_access", "text", "Admin access", "0.0.0.0/0, ::/0"),
        ("toolbox_instance_selector", "kops_vcpus_min", "integer", "vCPUs min", ""),
    ],
)
def test_kinds(playbook: str, variable: str, kind: str, title: str, default: Any) -> None:
    found = question(playbook, variable)
    assert (found["type"], found["question_name"], found["default"]) == (kind, title, default)


def test_limits() -> None:
    found = question("rolling_update", "kops_limit")
    assert (found["min"], found["max"] > 1_000_000) == (0, True)
    assert question("secret", "kops_secret_value")["max"] > 1024
    assert question("rolling_update", "kops_force")["max"] is None


def test_a_question_says_when_it_counts() -> None:
    said = question("rolling_update", "kops_limit")["question_description"]
    assert said == "In a cloud: replace no more instances than this in one run"
    # Marks of modules are for pages of docs.
    assert "O(" not in str(survey_of("create_cluster"))


def test_what_the_environment_says_is_not_asked() -> None:
    asked = {each["variable"] for each in survey_of("rolling_update")["spec"]}
    assert asked & environment_variables() == set()
    assert "kops_instance_group" not in asked
    assert "kops_force" in asked
    assert {each["variable"] for each in survey_of("get_secrets", without=())["spec"]} == {
        "kops_cluster_name",
        "kops_state_store",
    }


def test_what_must_be_answered() -> None:
    assert question("instancegroup", "kops_groups")["required"] is True
    assert question("edit", "kops_groups")["required"] is False
