# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks by which objects in AWX are known as those that the collection has loaded, also when it has them no more.

A description ends with one: ``[kubeops.kops PREFIX: NAME]``. It names the object, so that a copy, which AWX gives the
same description, is not taken for the original. Nodes of workflows have no description; their identifiers end with
``[kubeops.kops]``. Labels would be no mark: modules replace those that users give, and credential types have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

MARK = "kubeops.kops"
_OF_NODES = f" [{MARK}]"
_NODES = "workflow_job_template_nodes"
_ORGANIZATION = "organization__name"
# Kinds in the order in which their objects can be deleted, by what the API calls the type of an object. The others
# (projects, inventories, execution environments) have names that users choose, and templates of theirs may need them.
KINDS = {
    "schedule": "schedules",
    "workflow_job_template_node": _NODES,
    "workflow_job_template": "workflow_job_templates",
    "job_template": "job_templates",
    "credential_type": "credential_types",
}
_ORGANIZATIONS = {
    "schedules": f"unified_job_template__{_ORGANIZATION}",
    _NODES: f"workflow_job_template__{_ORGANIZATION}",
    "workflow_job_templates": _ORGANIZATION,
    "job_templates": _ORGANIZATION,
}

Item = Mapping[str, Any]


def marked(description: str, prefix: str, name: str) -> str:
    """A description with the mark of an object, whose name in AWX is the prefix and this name."""
    return f"{description} {_start(prefix)}{name}]"


def marked_identifier(identifier: str) -> str:
    """The identifier of a node that the collection makes; others in its workflows are the user's."""
    return f"{identifier}{_OF_NODES}"


def lists_of_marked(prefix: str, organization: str) -> list[dict[str, Any]]:
    """The lists of AWX' API with all marked objects of a set: endpoint and filters. They may have others as well."""
    found = []
    for kind in KINDS.values():
        query: dict[str, Any] = {"page_size": 200}
        if kind in _ORGANIZATIONS:
            query[_ORGANIZATIONS[kind]] = organization
        if kind == _NODES:
            query["identifier__endswith"] = _OF_NODES
        query["workflow_job_template__description__contains" if kind == _NODES else "description__contains"] = _start(
            prefix
        )
        found.append({"endpoint": kind, "query": query})
    return found


def unwanted(resources: Mapping[str, Any], items: Iterable[Item], prefix: str) -> list[dict[str, str]]:
    """What of the items is marked and not among the resources, in the order in which it can be deleted.

    items: objects as the API shows them. Each one that is found has ``kind`` (its endpoint), ``name`` and ``path``,
    which is like a need of a resource; a schedule has ``unified_job_template``, and a node ``workflow_job_template``,
    both by name. Nodes of a workflow that is not wanted go with it, and are not named.
    """
    wanted = set(_wanted(resources))
    found = [(KINDS[item["type"]], *_key(item)) for item in items if item["type"] in KINDS and _is_marked(item, prefix)]
    gone = {name for kind, _of, name in found if kind == "workflow_job_templates" and (kind, "", name) not in wanted}
    order = list(KINDS.values())
    result = []
    for kind, of, name in sorted(set(found), key=lambda each: (order.index(each[0]), *each[1:])):
        if (kind, of, name) in wanted or (kind == _NODES and of in gone):
            continue
        field = {"schedules": "unified_job_template", _NODES: "workflow_job_template"}.get(kind)
        path = "/".join((kind, of, name) if kind == _NODES else (kind, name))
        result.append({"kind": kind, "name": name, "path": path, **({field: of} if field else {})})
    return result


def _start(prefix: str) -> str:
    return f"[{MARK} {prefix}: "


def _wanted(resources: Mapping[str, Sequence[Item]]) -> Iterator[tuple[str, str, str]]:
    for kind in ("credential_types", "job_templates", "workflow_job_templates"):
        yield from ((kind, "", each["name"]) for each in resources[kind])
    yield from (("schedules", each["unified_job_template"], each["name"]) for each in resources["schedules"])
    yield from ((_NODES, each["workflow_job_template"], each["identifier"]) for each in resources["workflow_nodes"])


def _key(item: Item) -> tuple[str, str]:
    """Key of an object: the name of what it belongs to, and its own name."""
    if item["type"] == "workflow_job_template_node":
        return item["summary_fields"]["workflow_job_template"]["name"], item["identifier"]
    if item["type"] == "schedule":
        return item["summary_fields"]["unified_job_template"]["name"], item["name"]
    return "", item["name"]


def _is_marked(item: Item, prefix: str) -> bool:
    """Whether the object has its own mark, not the mark of its original or of another set."""
    if item["type"] == "workflow_job_template_node":
        workflow = item["summary_fields"]["workflow_job_template"]
        return item["identifier"].endswith(_OF_NODES) and _is_marked({**workflow, "type": "workflow"}, prefix)
    before, space, name = item["name"][: len(prefix)], item["name"][len(prefix) :][:1], item["name"][len(prefix) + 1 :]
    # A user who removes the mark keeps the object.
    return (before, space) == (prefix, " ") and item["description"].endswith(f"{_start(prefix)}{name}]")
