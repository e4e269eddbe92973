# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWX gets is made from the specs of the playbooks, and AWX takes it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx import (
    CLUSTER,
    PLAN_ID,
    Settings,
    definitions,
    looked_for,
    resources_of,
    wanted_of,
)
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.checks import Given, problems_of
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import (
    environment_variables,
    spec_of,
    variables_of,
)
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.survey import survey_of
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support.awx_api import problem_of_survey

ONE, TWO = "demo.example.com", "other.example.com"
TEMPLATES = {each["name"]: each for each in definitions("job_templates")}
WORKFLOWS = {each["name"]: each for each in definitions("workflows")}
# Variables of the environment that controllers read, and a credential of AWX' own kinds or nothing sets.
OTHER_VARIABLES = re.compile(
    r"AWS_|GOOGLE_|CLOUDSDK_|STORAGE_EMULATOR_HOST$|AZURE_|KUBE|DOCKER_|REGISTRY_|XDG_|SUDO_|LC_ALL$|PATH$"
)


def template(name: str, **settings: Any) -> dict[str, Any]:
    found = resources_of(Settings(**settings))["job_templates"]
    return next(each for each in found if each["name"] == f"kops {name}")


def asked(resource: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["variable"]: each for each in resource["survey_spec"]["spec"]}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_survey_asks_for_the_variables_of_its_playbook(name: str) -> None:
    given, questions = TEMPLATES[name], asked(template(name))
    spec = spec_of(given["playbook"])
    assert problem_of_survey(template(name)["survey_spec"]) == ""
    of_hosts = {variable for section in spec.sections if section.of_hosts for variable in section.options}
    fixed = given.get("variables", {})
    if "survey" in given:
        assert list(questions) == given["survey"]
    else:
        assert questions.keys() == set(spec.options) - environment_variables() - of_hosts - fixed.keys() | {CLUSTER}
    assert questions.keys() | fixed.keys() <= variables_of(given["playbook"]).keys()
    assert not questions.keys() & fixed.keys()
    # What a question says is what the spec says.
    said = {each["variable"]: each for each in survey_of(given["playbook"], without=())["spec"]}
    for variable in questions.keys() - {CLUSTER}:
        assert questions[variable] == said[variable]


@pytest.mark.parametrize("clusters", [(), (ONE,), (ONE, TWO)])
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_survey_that_is_sent_as_it_stands_is_right(name: str, clusters: tuple[str, ...]) -> None:
    found = template(name, clusters=clusters)
    answers = {variable: each["default"] for variable, each in asked(found).items()}
    answers[CLUSTER] = ONE
    lists = [variable for variable, each in asked(found).items() if each["type"] == "multiselect"]
    answers.update({variable: answers[variable].splitlines() for variable in lists if answers[variable]})
    assert problems_of(TEMPLATES[name]["playbook"], Given({**found["extra_vars"], **answers})) == []


def test_the_cluster_is_chosen_among_those_that_are_named() -> None:
    question = asked(template("update cluster"))[CLUSTER]
    assert (question["type"], question["required"], question["default"]) == ("text", False, "")
    question = asked(template("update cluster", clusters=(ONE,)))[CLUSTER]
    assert (question["type"], question["required"], question["default"]) == ("multiplechoice", True, ONE)
    question = asked(template("update cluster", clusters=(ONE, TWO)))[CLUSTER]
    assert (question["choices"], question["required"], question["default"]) == ([ONE, TWO], True, "")
    # Nothing is chosen beforehand that would be deleted; and a new cluster has a name of its own.
    assert asked(template("delete cluster", clusters=(ONE,)))[CLUSTER]["default"] == ""
    assert asked(template("create cluster", clusters=(ONE,)))[CLUSTER]["type"] == "text"


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow(name: str) -> None:
    given = WORKFLOWS[name]
    (found,) = (each for each in resources_of(Settings())["workflow_job_templates"] if each["name"] == f"kops {name}")
    assert problem_of_survey(found["survey_spec"]) == ""
    playbooks = [TEMPLATES[node["template"]]["playbook"] for node in given["nodes"] if "template" in node]
    taken = {variable for playbook in playbooks for variable in variables_of(playbook)}
    assert list(asked(found)) == given["survey"]
    assert set(given["survey"]) <= taken
    # The variables of a workflow replace what its jobs pass on.
    assert not set(given["survey"]) & {variable for playbook in playbooks for variable in spec_of(playbook).results}
    assert PLAN_ID not in given["survey"]
    # First a job that can only plan, then a person, then the same playbook.
    first, approval, second = given["nodes"][:3]
    assert TEMPLATES[first["template"]]["job_type"] == "check"
    assert "approval" in approval
    assert TEMPLATES[second["template"]].get("job_type", "run") == "run"
    assert TEMPLATES[first["template"]]["playbook"] == TEMPLATES[second["template"]]["playbook"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_the_jobs_of_a_workflow_take_what_they_all_get(name: str) -> None:
    (found,) = (each for each in resources_of(Settings())["workflow_job_templates"] if each["name"] == f"kops {name}")
    given = {variable: each["default"] for variable, each in asked(found).items()}
    given[CLUSTER] = ONE
    for node in (node for node in WORKFLOWS[name]["nodes"] if "template" in node):
        playbook = TEMPLATES[node["template"]]["playbook"]
        assert problems_of(playbook, Given(given, others=None)) == []
        # What it passes on, the next ones get.
        given.update(dict.fromkeys(spec_of(playbook).results, "x"))


def test_the_plan_of_the_first_node_reaches_the_one_that_applies_it() -> None:
    apply = [node["template"] for node in WORKFLOWS["apply"]["nodes"] if "template" in node]
    plan, update = (TEMPLATES[name]["playbook"] for name in apply[:2])
    assert PLAN_ID in spec_of(plan).results
    assert PLAN_ID in spec_of(update).options


def test_names_and_needs() -> None:
    settings = Settings(prefix="prod", organization="Ops", inventory="hosts", credentials=("aws",), clusters=(ONE,))
    resources = resources_of(settings)
    made = [each["name"] for kind in resources if kind != "workflow_nodes" for each in resources[kind]]
    assert [name for name in made if not name.startswith("prod ")] == ["hosts"]
    assert wanted_of(resources) == ["credentials/aws", "organizations/Ops", "projects/kops"]
    assert resources["projects"] == resources["execution_environments"] == []
    made_of = Settings(project_url="https://git.example.com/a.git", image="example.com/ee")
    assert wanted_of(resources_of(made_of)) == ["organizations/Default"]
    assert {each["execution_environment"] for each in resources_of(made_of)["job_templates"]} == {"kops"}
    query = {each["endpoint"]: each["query"] for each in looked_for(resources)}
    assert (
        query["workflow_job_template_nodes"]["workflow_job_template__name__in"] == "prod apply,prod delete,prod upgrade"
    )
    with pytest.raises(ValueError, match="a name has a comma, which AWX' API takes for several names: a,b"):
        looked_for(resources_of(Settings(credentials=("a,b",))))


@pytest.mark.parametrize(
    ("directory", "path"), [("playbooks", "playbooks/drift.yml"), ("", "drift.yml"), ("a/b/", "a/b/drift.yml")]
)
def test_where_playbooks_are(directory: str, path: str) -> None:
    assert template("drift", playbook_directory=directory)["playbook"] == path


def test_schedules() -> None:
    every = tuple(each["name"] for each in definitions("schedules"))
    found = resources_of(Settings(schedules=every, clusters=(ONE, TWO)))["schedules"]
    assert len(found) == 2 * len(every)
    assert {each["extra_data"][CLUSTER] for each in found} == {ONE, TWO}
    assert [each["extra_data"] for each in resources_of(Settings())["schedules"]] == [{}]
    (chosen,) = (option for name, option in spec_of("awx").options.items() if name == "kops_awx_schedules")
    assert tuple(chosen["choices"]) == every


def read_from_environment() -> Iterator[str]:
    """The names of variables that code for controllers reads: given to os.environ, or in a table of such names."""
    for path in (ROOT / "plugins").rglob("*.py"):
        if "node" in path.relative_to(ROOT / "plugins").parts[:2]:
            continue
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            named = isinstance(node, ast.Assign) and any(
                re.search("ENVIRONMENT$", ast.unparse(each)) for each in node.targets
            )
            keyword = isinstance(node, ast.keyword) and node.arg == "environment"
            reads = isinstance(node, (ast.Call, ast.Subscript, ast.Compare)) and re.search(
                r"\bos\.environ\b", ast.unparse(node)
            )
            if named or keyword or reads:
                texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
                yield from (
                    text
                    for text in texts
                    if isinstance(text, str) and re.fullmatch(r"[A-Z][A-Z0-9]+(_[A-Z0-9]+)+", text)
                )


def test_credential_types_have_the_variables_that_the_collection_reads() -> None:
    types = resources_of(Settings())["credential_types"]
    set_by_types = [name for each in types for name in each["injectors"]["env"]]
    assert sorted(set_by_types) == sorted({name for name in read_from_environment() if not OTHER_VARIABLES.match(name)})
    for each in types:
        ids = [field["id"] for field in each["inputs"]["fields"]]
        assert list(each["injectors"]["env"].values()) == [f"{{{{ {name} }}}}" for name in ids]
        secret = {field["id"] for field in each["inputs"]["fields"] if field.get("secret")}
        assert secret == {name for name in ids if "secret" in name}
