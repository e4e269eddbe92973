# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources of AWX for the playbooks: job templates with surveys, workflows, schedules and credential types.

``playbooks/awx_resources`` says which; variables and their questions come from the specs of the playbooks. Keys are the
options of the modules of ``awx.awx``. ``needs`` names what must be in AWX before: ``<endpoint of the API>/<name>``,
itself among them.
"""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx_marks import marked, marked_identifier
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import environment_variables, spec_of
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.survey import survey_of

_FOLDER = pathlib.Path(__file__).resolve().parents[3] / "playbooks" / "awx_resources"
CLUSTER = "kops_cluster_name"
# What the next jobs of a workflow get from the first one: the form of a workflow would replace it.
PLAN_ID = "kops_plan_id"
# A new cluster has a name that none of the others has.
_NEW_CLUSTER = "create_cluster"
_NODES = "workflow_job_template_nodes"

Resource = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """What a user's AWX has, by name, and the names of the resources.

    clusters: those that surveys offer; without any, a survey asks for a name. project_url, image: what a project and an
    execution environment are made from; without them, they must be there. schedules: those that are wanted.
    """

    prefix: str = "kops"
    organization: str = "Default"
    clusters: Sequence[str] = ()
    inventory: str = "kops"
    project: str = "kops"
    project_url: str = ""
    project_branch: str = ""
    playbook_directory: str = "playbooks"
    execution_environment: str = ""
    image: str = ""
    credentials: Sequence[str] = ()
    schedules: Sequence[str] = ("drift",)

    def named(self, name: str) -> str:
        """The name in AWX of a resource of the collection."""
        return f"{self.prefix} {name}"

    def marked(self, description: str, name: str) -> str:
        """The description of a resource of the collection, by which it is known again."""
        return marked(description, self.prefix, name)

    @property
    def environment_name(self) -> str:
        """The execution environment of the job templates; "" for AWX' default."""
        return self.execution_environment or (self.prefix if self.image else "")


@functools.cache
def definitions(kind: str) -> tuple[Mapping[str, Any], ...]:
    """Definitions in playbooks/awx_resources of one kind: job_templates, workflows, schedules, credential_types."""
    return tuple(yaml.safe_load((_FOLDER / f"{kind}.yml").read_text(encoding="utf-8")))


def resources_of(settings: Settings) -> dict[str, list[Resource]]:
    """Resources by kind. The keys, and the resources of each kind, are in an order in which they can be made."""
    return {
        "credential_types": [_credential_type(each, settings) for each in definitions("credential_types")],
        "execution_environments": list(_execution_environments(settings)),
        "inventories": [_inventory(settings)],
        "projects": list(_projects(settings)),
        "job_templates": [_job_template(each, settings) for each in definitions("job_templates")],
        "workflow_job_templates": [_workflow(each, settings) for each in definitions("workflows")],
        "workflow_nodes": [node for each in definitions("workflows") for node in _nodes(each, settings)],
        "schedules": [each for name in settings.schedules for each in _schedules(name, settings)],
    }


def wanted_of(resources: Mapping[str, Sequence[Resource]]) -> list[str]:
    """What must be in AWX already, because nothing here makes it; as in ``needs``."""
    made = {f"{kind}/{each['name']}" for kind, found in resources.items() for each in found if "name" in each}
    return [need for need in _needed(resources) if need not in made and not need.startswith(f"{_NODES}/")]


def looked_for(resources: Mapping[str, Sequence[Resource]]) -> list[dict[str, Any]]:
    """The lists of AWX' API that say which of the needs are there: endpoint and filters.

    Raises ValueError for names with commas: the API takes them for several names.
    """
    names: dict[str, set[str]] = {}
    for need in _needed(resources):
        kind, _slash, name = need.partition("/")
        if "," in name:
            raise ValueError(f"a name has a comma, which AWX' API takes for several names: {name}")
        names.setdefault(kind, set()).add(name.partition("/")[0] if kind == _NODES else name)
    field = {_NODES: "workflow_job_template__name__in"}
    return [
        {"endpoint": kind, "query": {field.get(kind, "name__in"): ",".join(sorted(found)), "page_size": 200}}
        for kind, found in sorted(names.items())
    ]


def _needed(resources: Mapping[str, Sequence[Resource]]) -> list[str]:
    return sorted({need for found in resources.values() for each in found for need in each["needs"]})


def _needs(*pairs: tuple[str, str]) -> list[str]:
    return [f"{kind}/{name}" for kind, name in pairs if name]


def _credential_type(given: Mapping[str, Any], settings: Settings) -> Resource:
    name = settings.named(given["name"])
    fields = [
        {"id": field["id"], "label": field["label"], "type": "string", "help_text": field["help_text"]}
        | ({"secret": True} if field.get("secret") else {})
        for field in given["fields"]
    ]
    inputs: dict[str, Any] = {"fields": fields}
    if given.get("required"):
        inputs["required"] = given["required"]
    return {
        "name": name,
        "description": settings.marked(given["description"], given["name"]),
        "kind": "cloud",
        "inputs": inputs,
        "injectors": {"env": {field["env"]: f"{{{{ {field['id']} }}}}" for field in given["fields"]}},
        "needs": _needs(("credential_types", name)),
    }


def _execution_environments(settings: Settings) -> Iterator[Resource]:
    if settings.image:
        name = settings.environment_name
        needs = _needs(("organizations", settings.organization), ("execution_environments", name))
        yield {"name": name, "image": settings.image, "organization": settings.organization, "needs": needs}


def _inventory(settings: Settings) -> Resource:
    needs = _needs(("organizations", settings.organization), ("inventories", settings.inventory))
    return {"name": settings.inventory, "organization": settings.organization, "needs": needs}


def _projects(settings: Settings) -> Iterator[Resource]:
    if settings.project_url:
        yield {
            "name": settings.project,
            "organization": settings.organization,
            "scm_url": settings.project_url,
            "scm_branch": settings.project_branch,
            "needs": _needs(("organizations", settings.organization), ("projects", settings.project)),
        }


def _job_template(given: Mapping[str, Any], settings: Settings) -> Resource:
    name, playbook = settings.named(given["name"]), given["playbook"]
    variables = dict(given.get("variables", {}))
    questions = _questions_of(playbook, [name for name in given.get("survey", ()) if name not in variables], variables)
    directory = settings.playbook_directory.strip("/")
    return {
        "name": name,
        "description": settings.marked(given["description"], given["name"]),
        "job_type": given.get("job_type", "run"),
        # A template that can only plan asks for nothing else.
        "ask_job_type_on_launch": given.get("job_type", "run") == "run",
        "ask_variables_on_launch": bool(given.get("any_variable")),
        "diff_mode": given.get("job_type") == "check",
        "organization": settings.organization,
        "inventory": settings.inventory,
        "project": settings.project,
        "playbook": f"{directory}/{playbook}.yml".lstrip("/"),
        "execution_environment": settings.environment_name,
        "credentials": list(settings.credentials),
        "extra_vars": variables,
        "survey_spec": _survey(name, given, [_about_cluster(each, given, settings) for each in questions]),
        "needs": _needs(
            ("organizations", settings.organization),
            ("inventories", settings.inventory),
            ("projects", settings.project),
            ("execution_environments", settings.environment_name),
            *(("credentials", each) for each in settings.credentials),
            ("job_templates", name),
        ),
    }


def _workflow(given: Mapping[str, Any], settings: Settings) -> Resource:
    name = settings.named(given["name"])
    known: dict[str, Resource] = {}
    for node in reversed(given["nodes"]):
        if "template" in node:
            known.update({each["variable"]: each for each in _questions_of(_template(node)["playbook"])})
    questions = [_about_cluster(known[variable], given, settings) for variable in given["survey"]]
    return {
        "name": name,
        "description": settings.marked(given["description"], given["name"]),
        "organization": settings.organization,
        "survey_spec": _survey(name, given, questions),
        "needs": _needs(("organizations", settings.organization), ("workflow_job_templates", name)),
    }


def _nodes(given: Mapping[str, Any], settings: Settings) -> Iterator[Resource]:
    """The nodes of a workflow, the last one first: each names the one that comes after it."""
    workflow, after = settings.named(given["name"]), ""
    for node in reversed(given["nodes"]):
        identifier = marked_identifier(node["identifier"])
        template = settings.named(node["template"]) if "template" in node else ""
        approval = {} if template else {"name": f"{workflow}: approve", "description": node["approval"]}
        made = {
            "identifier": identifier,
            "workflow_job_template": workflow,
            "organization": settings.organization,
            "unified_job_template": template,
            "approval_node": approval,
            "success_nodes": [after] if after else [],
            "needs": _needs(
                ("workflow_job_templates", workflow),
                ("job_templates", template),
                (_NODES, f"{workflow}/{identifier}"),
                (_NODES, after and f"{workflow}/{after}"),
            ),
        }
        if approval:
            # awx.awx looks for the next nodes of an approval at the approval, which has none.
            yield {**made, "success_nodes": []}
            made["approval_node"] = {}
        yield made
        after = identifier


def _schedules(name: str, settings: Settings) -> Iterator[Resource]:
    """Schedules, one for each cluster; if none is named, one for the cluster of the environment."""
    (given,) = (each for each in definitions("schedules") if each["name"] == name)
    template = settings.named(given["template"])
    for cluster in settings.clusters or [""]:
        own = given["template"] + (f" of {cluster}" if cluster else "")
        called = settings.named(own)
        yield {
            "name": called,
            "description": settings.marked(given["description"], own),
            "unified_job_template": template,
            "organization": settings.organization,
            "rrule": given["rrule"],
            "extra_data": {CLUSTER: cluster} if cluster else {},
            "needs": _needs(("job_templates", template), ("schedules", called)),
        }


def _template(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The job template of a workflow's node."""
    return next(each for each in definitions("job_templates") if each["name"] == node["template"])


def _questions_of(playbook: str, only: Sequence[str] = (), without: Mapping[str, Any] | None = None) -> list[Resource]:
    """The questions for a playbook's variables, the cluster's first; only: these, in this order."""
    spec = spec_of(playbook)
    of_hosts = {name for section in spec.sections if section.of_hosts for name in section.options}
    left_out = {*environment_variables(), *of_hosts, *(without or ())} - {CLUSTER}
    found = {each["variable"]: each for each in survey_of(playbook, left_out)["spec"]}
    for also in spec.also if CLUSTER not in found else ():
        found.update({each["variable"]: each for each in _questions_of(also.playbook, [CLUSTER])})
    return [found[name] for name in only or sorted(found, key=lambda name: name != CLUSTER)]


def _about_cluster(question: Resource, given: Mapping[str, Any], settings: Settings) -> Resource:
    """A question of a survey; clusters that are named become its choices."""
    if question["variable"] != CLUSTER:
        return question
    if given.get("playbook") == _NEW_CLUSTER:
        return {**question, "required": True}
    if not settings.clusters:
        return question
    only = settings.clusters[0] if len(settings.clusters) == 1 and not given.get("destroys") else ""
    chosen = {"type": "multiplechoice", "choices": list(settings.clusters), "min": None, "max": None, "default": only}
    return {**question, **chosen, "required": True}


def _survey(name: str, given: Mapping[str, Any], questions: list[Resource]) -> Resource:
    return {"name": name, "description": given["description"], "spec": questions}
