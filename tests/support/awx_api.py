# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWX' API in memory, for the objects that the collection loads; it writes down every request.

Fields, filters, related lists and refusals are those of AWX 24.6.1 (awx/api/serializers.py, awx/api/views). It is
stricter where AWX would let a mistake pass: a field, filter or endpoint that is not in the tables below is an error.
"""

from __future__ import annotations

import json
import operator
import os
import re
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "recorded-token"
VERSION = "24.6.1"
_ROOT = "/api/v2/"
# AWX' size of a page, unless a request names another one.
_PAGE = 25
_KINDS_OF_QUESTIONS = {
    "text": str,
    "textarea": str,
    "password": str,
    "integer": int,
    "float": float,
    "multiplechoice": str,
    "multiselect": str,
}

Item = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """Objects of an endpoint. fields: those that can be written, with what they are at first.

    references: fields that hold the id of an object of another endpoint; None stands for no object. required: fields
    without which nothing is made. lists: lists of related objects, with their endpoints. filters: beside those that all
    lists have. unique: fields that no two objects have in common.
    """

    type: str
    fields: Mapping[str, Any]
    references: Mapping[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ("name",)
    lists: Mapping[str, str] = field(default_factory=dict)
    filters: tuple[str, ...] = ()
    read_only: Mapping[str, Any] = field(default_factory=dict)
    unique: tuple[str, ...] = ("name",)


_NAMED = {"name": "", "description": ""}
_ASKED = dict.fromkeys(
    (
        "ask_scm_branch_on_launch",
        "ask_diff_mode_on_launch",
        "ask_variables_on_launch",
        "ask_limit_on_launch",
        "ask_tags_on_launch",
        "ask_skip_tags_on_launch",
        "ask_job_type_on_launch",
        "ask_verbosity_on_launch",
        "ask_inventory_on_launch",
        "ask_credential_on_launch",
        "ask_execution_environment_on_launch",
        "ask_labels_on_launch",
        "ask_forks_on_launch",
        "ask_job_slice_count_on_launch",
        "ask_timeout_on_launch",
        "ask_instance_groups_on_launch",
    ),
    False,
)
_OF_JOBS = {"scm_branch": "", "limit": "", "job_tags": "", "skip_tags": ""}
_PROMPTED = {
    **dict.fromkeys(("scm_branch", "job_type", "job_tags", "skip_tags", "limit", "diff_mode", "verbosity", "forks")),
    **dict.fromkeys(("job_slice_count", "timeout", "inventory", "execution_environment")),
    "extra_data": {},
}
_SURVEY = "survey_spec"
KINDS: dict[str, Kind] = {
    "organizations": Kind(
        "organization",
        {**_NAMED, "max_hosts": 0, "default_environment": None},
        {"default_environment": "execution_environments"},
    ),
    "credential_types": Kind(
        "credential_type",
        {**_NAMED, "kind": "cloud", "inputs": {}, "injectors": {}},
        read_only={"managed": False, "namespace": None},
    ),
    "credentials": Kind(
        "credential",
        {**_NAMED, "organization": None, "credential_type": None, "inputs": {}},
        {"organization": "organizations", "credential_type": "credential_types"},
        ("name", "credential_type"),
        filters=("organization", "credential_type"),
        unique=("name", "organization", "credential_type"),
    ),
    "execution_environments": Kind(
        "execution_environment",
        {**_NAMED, "organization": None, "image": "", "credential": None, "pull": ""},
        {"organization": "organizations", "credential": "credentials"},
        ("name", "image"),
        read_only={"managed": False},
    ),
    "inventories": Kind(
        "inventory",
        {
            **_NAMED,
            "organization": None,
            "kind": "",
            "host_filter": None,
            "variables": "",
            "prevent_instance_group_fallback": False,
        },
        {"organization": "organizations"},
        ("name", "organization"),
        filters=("organization",),
        unique=("name", "organization"),
    ),
    "projects": Kind(
        "project",
        {
            **_NAMED,
            "organization": None,
            "local_path": "",
            "scm_type": "",
            "scm_url": "",
            "scm_branch": "",
            "scm_refspec": "",
            "scm_clean": False,
            "scm_track_submodules": False,
            "scm_delete_on_update": False,
            "credential": None,
            "timeout": 0,
            "scm_update_on_launch": False,
            "scm_update_cache_timeout": 0,
            "allow_override": False,
            "default_environment": None,
        },
        {"organization": "organizations", "credential": "credentials", "default_environment": "execution_environments"},
        filters=("organization",),
        read_only={"scm_revision": "", "status": "never updated"},
        unique=("name", "organization"),
    ),
    "job_templates": Kind(
        "job_template",
        {
            **_NAMED,
            **_ASKED,
            **_OF_JOBS,
            "job_type": "run",
            "inventory": None,
            "project": None,
            "playbook": "",
            "forks": 0,
            "verbosity": 0,
            "extra_vars": "",
            "force_handlers": False,
            "start_at_task": "",
            "timeout": 0,
            "use_fact_cache": False,
            "execution_environment": None,
            "host_config_key": "",
            "survey_enabled": False,
            "become_enabled": False,
            "diff_mode": False,
            "allow_simultaneous": False,
            "job_slice_count": 1,
            "webhook_service": "",
            "prevent_instance_group_fallback": False,
        },
        {"inventory": "inventories", "project": "projects", "execution_environment": "execution_environments"},
        ("name", "project", "playbook"),
        {"credentials": "credentials"},
        ("organization",),
        # It is the project's.
        read_only={"organization": None},
        unique=("name", "organization"),
    ),
    "workflow_job_templates": Kind(
        "workflow_job_template",
        {
            **_NAMED,
            **{name: value for name, value in _ASKED.items() if re.search("inv|scm|limit|var|lab|tags", name)},
            **_OF_JOBS,
            "extra_vars": "",
            "organization": None,
            "survey_enabled": False,
            "allow_simultaneous": False,
            "inventory": None,
            "webhook_service": "",
        },
        {"organization": "organizations", "inventory": "inventories"},
        filters=("organization",),
        unique=("name", "organization"),
    ),
    "workflow_job_template_nodes": Kind(
        "workflow_job_template_node",
        {
            **_PROMPTED,
            "workflow_job_template": None,
            "unified_job_template": None,
            "all_parents_must_converge": False,
            "identifier": "",
        },
        {"workflow_job_template": "workflow_job_templates", "unified_job_template": "unified_job_templates"},
        ("workflow_job_template", "identifier"),
        dict.fromkeys(("success_nodes", "failure_nodes", "always_nodes"), "workflow_job_template_nodes"),
        ("identifier", "workflow_job_template"),
        unique=("identifier", "workflow_job_template"),
    ),
    "workflow_approval_templates": Kind("workflow_approval_template", {**_NAMED, "timeout": 0}),
    "schedules": Kind(
        "schedule",
        {**_NAMED, **_PROMPTED, "rrule": "", "unified_job_template": None, "enabled": True},
        {"unified_job_template": "unified_job_templates"},
        ("name", "rrule", "unified_job_template"),
        filters=("unified_job_template",),
        unique=("name", "unified_job_template"),
    ),
}
# What can be run, whatever it is.
_RUNNABLE = ("projects", "job_templates", "workflow_job_templates", "workflow_approval_templates")
_FILTERS = {"name", "id", "or__id", "or__name", "page", "page_size"}


_LOOKUPS: dict[str, Callable[[str, str], bool]] = {
    "exact": operator.eq,
    "contains": operator.contains,
    "endswith": str.endswith,
    "in": lambda found, value: found in value.split(","),
}
# References that filters of lists may follow, with what they refer to.
_FOLLOWED = {
    "organization": "organizations",
    "workflow_job_template": "workflow_job_templates",
    "credential_type": "credential_types",
    # All that can be run has the fields of job templates that are asked for.
    "unified_job_template": "job_templates",
}


def _is_of_related(kind: str, name: str) -> bool:
    """Whether a list of a kind has a filter that has a lookup, or leads to objects of another kind."""
    parts = name.split("__")
    if len(parts) < 2:
        return False
    if parts[-1] in _LOOKUPS:
        parts.pop()
    for part in parts[:-1]:
        if part not in {**KINDS[kind].fields, **KINDS[kind].read_only} or part not in _FOLLOWED:
            return False
        kind = _FOLLOWED[part]
    return parts[-1] in {**KINDS[kind].fields, **KINDS[kind].read_only}


class Refused(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(body)
        self.status, self.body = status, body


@dataclass
class AWX:
    """An AWX with an organization. playbooks: the files that an update of any project finds."""

    playbooks: tuple[str, ...] = ()
    objects: dict[str, dict[int, Item]] = field(default_factory=lambda: {kind: {} for kind in KINDS})
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    surveys: dict[tuple[str, int], Item] = field(default_factory=dict)
    related: dict[tuple[str, int, str], list[int]] = field(default_factory=dict)
    url: str = ""
    _last: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.add("organizations", name="Default")

    def add(self, kind: str, **values: Any) -> int:
        """Make an object, as by another client; its id."""
        return int(self._create(kind, values)["id"])

    def named(self, kind: str) -> dict[str, Item]:
        """The objects of a kind by their names."""
        return {str(item.get("name") or item.get("identifier")): item for item in self.objects[kind].values()}

    def survey(self, kind: str, name: str) -> Item:
        return self.surveys[kind, self.named(kind)[name]["id"]]

    def writes(self) -> list[tuple[str, str]]:
        """The requests that may change something."""
        return [(method, path) for method, path, _body in self.requests if method != "GET"]

    @property
    def environment(self) -> dict[str, str]:
        """What the modules of awx.awx need in their environment."""
        return {"CONTROLLER_HOST": self.url, "CONTROLLER_OAUTH_TOKEN": TOKEN, **_NO_AUTHORITIES}

    def answer(self, method: str, target: str, body: Any, token: str) -> tuple[int, Any]:
        """Status and content of the answer to a request."""
        with self._lock:
            self.requests.append((method, target, body))
            try:
                if token != f"Bearer {TOKEN}":
                    raise Refused(401, {"detail": "Authentication credentials were not provided."})
                return self._answer(method, target, body)
            except Refused as refused:
                return refused.status, refused.body

    def _answer(self, method: str, target: str, body: Any) -> tuple[int, Any]:
        path, _mark, query = target.partition("?")
        if not path.startswith(_ROOT) or not path.endswith("/"):
            raise Refused(404, {"detail": f"no endpoint of this API: {path}"})
        kind, *rest = path[len(_ROOT) : -1].split("/")
        if kind == "unified_job_templates" and not rest and method == "GET":
            return 200, self._page(
                path, query, [(each, item) for each in _RUNNABLE for item in self.objects[each].values()]
            )
        if kind == "project_updates" and method == "GET":
            return 200, {"id": int(rest[0]), "type": "project_update", "status": "successful", "failed": False}
        if kind not in KINDS:
            raise Refused(404, {"detail": f"no endpoint of this API: {path}"})
        if not rest:
            if method == "GET":
                return 200, self._page(path, query, [(kind, item) for item in self.objects[kind].values()])
            return self._only(method, "POST", lambda: (201, self._shown(kind, self._create(kind, body))))
        item = self.objects[kind].get(int(rest[0]))
        if item is None:
            raise Refused(404, {"detail": "Not found."})
        if len(rest) == 1:
            return self._single(method, kind, item, body)
        return self._sub(method, kind, item, rest[1], path, query, body)

    @staticmethod
    def _only(method: str, allowed: str, done: Any) -> tuple[int, Any]:
        if method != allowed:
            raise Refused(405, {"detail": f'Method "{method}" not allowed.'})
        return done()

    def _single(self, method: str, kind: str, item: Item, body: Any) -> tuple[int, Any]:
        if method == "PATCH":
            self._write(kind, item, body, made=False)
        elif method == "DELETE":
            self._delete(kind, item["id"])
            return 204, None
        elif method != "GET":
            raise Refused(405, {"detail": f'Method "{method}" not allowed.'})
        return 200, self._shown(kind, item)

    def _delete(self, kind: str, number: int) -> None:
        """Delete an object with what goes with it (on_delete in awx/main/models, pre_delete in awx/main/signals.py)."""
        of_type = [each for each in self.objects["credentials"].values() if each["credential_type"] == number]
        if kind == "credential_types" and of_type:
            raise Refused(403, {"detail": "Credential types that are in use cannot be deleted"})
        item = self.objects[kind].pop(number)
        if kind == "workflow_job_template_nodes" and item["unified_job_template"]:
            self.objects["workflow_approval_templates"].pop(item["unified_job_template"], None)
        for other, field_name in (
            ("schedules", "unified_job_template"),
            ("workflow_job_template_nodes", "workflow_job_template"),
        ):
            for each in [each for each in self.objects[other].values() if each[field_name] == number]:
                self._delete(other, each["id"])
        for each in self.objects["workflow_job_template_nodes"].values():
            if each["unified_job_template"] == number:
                each["unified_job_template"] = None
        for (_kind, _number, name), ids in self.related.items():
            if KINDS[_kind].lists[name] == kind and number in ids:
                ids.remove(number)

    def _sub(self, method: str, kind: str, item: Item, name: str, path: str, query: str, body: Any) -> tuple[int, Any]:
        if name == _SURVEY and kind in ("job_templates", "workflow_job_templates"):
            if method == "GET":
                return 200, self.surveys.get((kind, item["id"]), {})
            return self._only(method, "POST", lambda: self._set_survey(kind, item, body))
        if name == "create_approval_template" and kind == "workflow_job_template_nodes":
            return self._only(method, "POST", lambda: self._approve(item, body))
        if name not in KINDS[kind].lists:
            raise Refused(404, {"detail": f"no endpoint of this API: {path}"})
        other = KINDS[kind].lists[name]
        ids = self.related.setdefault((kind, item["id"], name), [])
        if method == "GET":
            return 200, self._page(path, query, [(other, self.objects[other][each]) for each in ids])
        return self._only(method, "POST", lambda: self._associate(other, ids, body))

    def _associate(self, other: str, ids: list[int], body: Item) -> tuple[int, Any]:
        if set(body) - {"id", "disassociate"} or body.get("id") not in self.objects[other]:
            raise Refused(400, {"detail": f"no object that can be related: {body}"})
        if body.get("disassociate"):
            ids.remove(body["id"])
        else:
            ids.append(body["id"])
        return 204, None

    def _approve(self, node: Item, body: Item) -> tuple[int, Any]:
        made = self._create("workflow_approval_templates", body)
        node["unified_job_template"] = made["id"]
        return 201, self._shown("workflow_approval_templates", made)

    def _create(self, kind: str, body: Item) -> Item:
        self._last += 1
        item = {"id": self._last, **json.loads(json.dumps({**KINDS[kind].fields, **KINDS[kind].read_only}))}
        missing = [name for name in KINDS[kind].required if body.get(name) in (None, "")]
        if missing:
            raise Refused(400, {name: ["This field is required."] for name in missing})
        self._write(kind, item, body, made=True)
        self.objects[kind][item["id"]] = item
        return item

    def _write(self, kind: str, item: Item, body: Item, *, made: bool) -> None:
        """Check all that is said of an object, then say it."""
        table = KINDS[kind]
        problems: dict[str, Any] = {}
        for name, value in body.items():
            known = name in table.fields or name in table.read_only or (name, value) == ("type", table.type)
            first = table.fields.get(name)
            if not known:
                problems[name] = [f"{kind} have no such field"]
            elif name in table.references:
                if value is not None and value not in self._ids(table.references[name]):
                    problems[name] = [f'Invalid pk "{value}" - object does not exist.']
            elif first is not None and not isinstance(value, type(first)):
                problems[name] = [f"not a {type(first).__name__}: {value!r}"]
        wanted = {**item, **{name: value for name, value in body.items() if name in table.fields}}
        if kind == "job_templates" and not problems:
            wanted["organization"] = self.objects["projects"][wanted["project"]]["organization"]
        problems = problems or self._problems(kind, wanted)
        others = [each for each in self.objects[kind].values() if each["id"] != item["id"]]
        if any(all(each[name] == wanted[name] for name in table.unique) for each in others):
            problems = {"__all__": [f"{table.type} with this {' and '.join(table.unique)} already exists."]}
        if problems:
            raise Refused(400, problems)
        item.update(wanted)
        if kind == "projects" and item["scm_type"]:
            item.update(status="successful", scm_revision="0" * 40)

    def _ids(self, kind: str) -> set[int]:
        return {
            each for one in (_RUNNABLE if kind == "unified_job_templates" else (kind,)) for each in self.objects[one]
        }

    def _problems(self, kind: str, wanted: Item) -> dict[str, Any]:
        """What AWX refuses beside what the tables say."""
        if kind == "job_templates" and wanted["playbook"] not in self.playbooks:
            return {"playbook": ["Playbook not found for project."]}
        if kind == "job_templates" and not isinstance(json.loads(wanted["extra_vars"] or "{}"), dict):
            return {"extra_vars": ["not a mapping"]}
        if kind == "credential_types":
            return _problems_of_type(wanted)
        if kind == "schedules":
            return self._problems_of_schedule(wanted)
        return {}

    def _problems_of_schedule(self, wanted: Item) -> dict[str, Any]:
        if not re.fullmatch(
            r"DTSTART:\d{8}T\d{6}Z RRULE:FREQ=(MINUTELY|HOURLY|DAILY|WEEKLY);INTERVAL=\d+", wanted["rrule"]
        ):
            return {"rrule": ["Valid DTSTART and INTERVAL required in rrule."]}
        survey = self.surveys.get(("job_templates", wanted["unified_job_template"]), {"spec": []})["spec"]
        unknown = wanted["extra_data"].keys() - {each["variable"] for each in survey}
        if unknown:
            return {"extra_data": [f"Variables {sorted(unknown)} are not allowed on launch."]}
        unanswered = [
            each["variable"]
            for each in survey
            if each["required"] and not each["default"] and each["variable"] not in wanted["extra_data"]
        ]
        return {"variables_needed_to_start": unanswered} if unanswered else {}

    def _set_survey(self, kind: str, item: Item, spec: Item) -> tuple[int, Any]:
        problem = problem_of_survey(spec)
        if problem:
            raise Refused(400, {"error": problem})
        self.surveys[kind, item["id"]] = spec
        return 200, {}

    def _shown(self, kind: str, item: Item) -> Item:
        """An object as the API shows it."""
        url = f"{_ROOT}{kind}/{item['id']}/"
        related = {name: f"{url}{name}/" for name in KINDS[kind].lists}
        summary: Item = {}
        if "survey_enabled" in KINDS[kind].fields:
            related[_SURVEY] = f"{url}{_SURVEY}/"
        if kind == "projects" and item["scm_type"]:
            summary["current_update"] = {"id": 1}
        if kind == "workflow_job_template_nodes":
            summary["workflow_job_template"] = self._summary("workflow_job_templates", item["workflow_job_template"])
            if item["unified_job_template"]:
                of = self._kind_of(item["unified_job_template"])
                related["unified_job_template"] = f"{_ROOT}{of}/{item['unified_job_template']}/"
        if kind == "schedules":
            template = item["unified_job_template"]
            summary["unified_job_template"] = self._summary(self._kind_of(template), template)
        if kind == "credentials":
            summary["credential_type"] = self._summary("credential_types", item["credential_type"])
        return {**item, "type": KINDS[kind].type, "url": url, "related": related, "summary_fields": summary}

    def _summary(self, kind: str, number: int) -> Item:
        item = self.objects[kind][number]
        return {"id": number, "name": item["name"], "description": item["description"]}

    def _page(self, path: str, query: str, items: list[tuple[str, Item]]) -> Item:
        """A page of the objects that a query asks for, in the order of their ids."""
        given = dict(urllib.parse.parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
        name = path[len(_ROOT) : -1]
        allowed = _FILTERS | set(KINDS[name].filters if name in KINDS else ("organization", "type"))
        for filter_name in given:
            if filter_name not in allowed and not (name in KINDS and _is_of_related(name, filter_name)):
                raise Refused(400, {"detail": f"{name} has no field named '{filter_name}'"})
        found = [(kind, item) for kind, item in items if self._matches(kind, item, given)]
        number, size = int(given.get("page", 1)), int(given.get("page_size", _PAGE))
        pages = {**given, "page": number + 1}
        after = f"{path}?{urllib.parse.urlencode(pages)}" if number * size < len(found) else None
        shown = [self._shown(kind, item) for kind, item in found[(number - 1) * size : number * size]]
        return {"count": len(found), "next": after, "previous": None, "results": shown}

    def _matches(self, kind: str, item: Item, given: Mapping[str, str]) -> bool:
        either = [str(item.get(name[4:])) == value for name, value in given.items() if name.startswith("or__")]
        for name, value in given.items():
            if name.startswith("or__") or name in ("page", "page_size"):
                continue
            if "__" in name:
                matches = self._matches_related(kind, item, name, value)
            elif name == "type":
                matches = KINDS[kind].type == value
            else:
                matches = str(item.get(name)) == value
            if not matches:
                return False
        return not either or any(either)

    def _matches_related(self, kind: str, item: Item, name: str, value: str) -> bool:
        """Whether a filter matches that has a lookup, or leads to another object."""
        parts = name.split("__")
        lookup = parts.pop() if parts[-1] in _LOOKUPS else "exact"
        for part in parts[:-1]:
            if item[part] is None:
                return False
            kind = self._kind_of(item[part]) if part == "unified_job_template" else _FOLLOWED[part]
            item = self.objects[kind][item[part]]
        return _LOOKUPS[lookup](str(item.get(parts[-1])), value)

    def _kind_of(self, number: int) -> str:
        """The kind of what can be run and has this id."""
        (kind,) = (each for each in _RUNNABLE if number in self.objects[each])
        return kind


def _problems_of_type(wanted: Item) -> dict[str, Any]:
    """awx/main/fields.py: CredentialTypeInputField and CredentialTypeInjectorField."""
    ids = set()
    for each in wanted["inputs"].get("fields", ()):
        if each.keys() - {"id", "label", "type", "help_text", "secret", "choices", "multiline", "format", "default"}:
            return {"inputs": [f"Additional properties are not allowed: {each}"]}
        if not re.fullmatch(r"[a-zA-Z_]+[a-zA-Z0-9_]*", each["id"]) or each["id"] == "tower":
            return {"inputs": [f"{each['id']} is a reserved field"]}
        ids.add(each["id"])
    if set(wanted["inputs"].get("required", ())) - ids or wanted["inputs"].keys() - {"fields", "required"}:
        return {"inputs": ["required names no field"]}
    if wanted["injectors"].keys() - {"env", "extra_vars", "file"}:
        return {"injectors": ["Additional properties are not allowed"]}
    for name, template in wanted["injectors"].get("env", {}).items():
        if name.startswith("ANSIBLE_"):
            return {"injectors": [f"Environment variable {name} may affect Ansible configuration"]}
        if set(re.findall(r"{{ *(\w+) *}}", template)) - ids:
            return {"injectors": [f"{name} uses an undefined field ({template})"]}
    return {}


def problem_of_survey(spec: Item) -> str:
    """What AWX refuses of a survey (JobTemplateSurveySpec in awx/api/views); "" for none."""
    if spec.keys() != {"name", "description", "spec"} or not spec["spec"]:
        return "a survey needs name, description and items"
    variables = set()
    for each in spec["spec"]:
        kind, default, choices = each["type"], each.get("default", ""), each.get("choices")
        known = {
            "question_name",
            "question_description",
            "variable",
            "type",
            "required",
            "choices",
            "min",
            "max",
            "default",
        }
        if each.keys() - known or kind not in _KINDS_OF_QUESTIONS or not isinstance(each["required"], bool):
            return f"not a question: {each}"
        if each["variable"] in variables:
            return f"{each['variable']} is asked twice"
        variables.add(each["variable"])
        if default != "" and not isinstance(default, _KINDS_OF_QUESTIONS[kind]):
            return f"default of {each['variable']}: {default!r}"
        if kind in ("multiplechoice", "multiselect"):
            chosen = default.splitlines()
            if not choices or set(chosen) - set(choices) or (kind == "multiplechoice" and len(chosen) > 1):
                return f"choices of {each['variable']}: {choices!r}, {default!r}"
        if kind == "password":
            return f"{each['variable']}: AWX encrypts the default of a password, so that each load would write it again"
    return ""


# Ansible's client reads all certificate authorities of the system for each request, which takes longer than the rest.
_NO_AUTHORITIES = {"SSL_CERT_FILE": os.devnull, "SSL_CERT_DIR": os.devnull}


@contextmanager
def serving(awx: AWX) -> Iterator[AWX]:
    """Serve the API on loopback; awx.url says where."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _do(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            content = self.rfile.read(length)
            body = json.loads(content) if content else None
            status, answer = awx.answer(self.command, self.path, body, self.headers.get("Authorization", ""))
            sent = b"" if answer is None else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.send_header("X-API-Product-Name", "AWX")
            self.send_header("X-API-Product-Version", VERSION)
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_POST = do_PATCH = do_DELETE = _do

        def log_message(self, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    awx.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield awx
    finally:
        server.shutdown()
        server.server_close()
