# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations on stacks as CloudFormation carries them out.

moto changes a stack at once, with no events of resources, and answers with an error when a resource fails. Here each
resource has its events, what refers to a new version of a launch template changes with it, and what was done is undone
when something fails. Which changes replace a resource is what CloudFormation's registry says, as cfn-lint has it.
Source: the user guide of CloudFormation (stack status codes, change sets, DeletionPolicy).
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.kubeops.kops.tests.support.moto_stacks import ACTUAL, TAKEN_IN

# docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateChangeSet.html
MOST_IMPORTS = 200
_GONE = ("NotFound", "NoSuch", "does not exist", "not found", "Non-existent")
_OPEN = ("REVIEW_IN_PROGRESS", "CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE")
_OPEN += ("IMPORT_ROLLBACK_COMPLETE",)
# Kinds whose physical id is one part of what identifies them; it is all parts of others.
_PHYSICAL = {"AWS::EC2::EIP": "PublicIp", "AWS::EC2::VPCCidrBlock": "Id", "AWS::Route53::RecordSet": "Name"}
_TO_IMPORT = re.compile(r"ResourcesToImport\.member\.(\d+)\.(\w+)(?:\.entry\.(\d+)\.(key|value))?")


@functools.cache
def schema_of(kind: str, region: str) -> dict[str, Any]:
    """The schema of a kind of resource."""
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    return dict(PROVIDER_SCHEMA_MANAGER.get_resource_schema(region, kind).schema)


def is_replaced(old: dict[str, Any], new: dict[str, Any], region: str) -> bool:
    """Whether a stack makes another resource in the place of one whose description changes so."""
    paths = schema_of(new["Type"], region).get("createOnlyProperties", ())
    names = {path.removeprefix("/properties/").partition("/")[0] for path in paths}
    before, after = (each.get("Properties", {}) for each in (old, new))
    return old["Type"] != new["Type"] or any(before.get(name) != after.get(name) for name in names)


class Failed(Exception):
    """A resource could not be made or changed; its event says why."""


@dataclass
class Operation:
    """What is done to a stack just now."""

    stack: Any
    failed: list[str] = field(default_factory=list)
    # What is there -> its physical id.
    imports: dict[str, str] = field(default_factory=dict)

    def tell(self, name: str, kind: str, identifier: str, status: str, reason: str = "") -> None:
        """Add an event of a resource."""
        from moto.cloudformation.models import Event

        event = Event(self.stack.stack_id, self.stack.name, name, identifier, kind, status, reason or None, None)
        self.stack.events.append(event)
        if status.endswith("_FAILED"):
            self.failed.append(name)


running: list[Operation] = []


def carry_out_change_sets() -> None:
    """Let moto do so. It must have the rows of moto_stacks.py."""
    from flask import request
    from moto.cloudformation import parsing
    from moto.cloudformation.exceptions import AlreadyExistsException, ValidationError
    from moto.cloudformation.models import Change, CloudFormationBackend
    from moto.cloudformation.responses import CloudFormationResponse
    from moto.core.responses import ActionResult

    backend: Any = CloudFormationBackend
    answers: Any = CloudFormationResponse
    make: Any = parsing.parse_and_create_resource
    begin = backend.create_change_set
    tokens: dict[str, Any] = {}

    def create(name: str, described: dict[str, Any], resources: Any, *arguments: Any, **more: Any) -> Any:
        if not running:
            return make(name, described, resources, *arguments, **more)
        operation = running[-1]
        done = "IMPORT" if name in operation.imports else "CREATE"
        try:
            if name in operation.imports:
                TAKEN_IN.append(operation.imports[name])
            made = make(name, described, resources, *arguments, **more)
            if (
                name in operation.imports
                and made.type in ACTUAL
                and ACTUAL[made.type](made.clients, made.physical_resource_id) is None
            ):
                raise ValueError(f"Resource {made.physical_resource_id} does not exist")
        except Failed:
            raise
        except Exception as error:
            operation.tell(name, described["Type"], "", f"{done}_FAILED", str(error))
            raise Failed from error
        operation.tell(name, described["Type"], made.physical_resource_id, f"{done}_COMPLETE")
        return made

    def create_change_set(self: Any, **given: Any) -> tuple[str, str]:
        token = request.values.get("ClientToken")
        if token and token in tokens:
            return tokens[token]
        tokens[token] = describe_changes(self, **given)
        if request.values.get("IncludeNestedStacks") == "true":
            self.describe_nested_changes(tokens[token][0])
        return tokens[token]

    def describe_changes(self: Any, stack_name: str, change_set_type: str, **more: Any) -> tuple[str, str]:
        there = [each for each in self.stacks.values() if each.name == stack_name]
        if there and there[0].status not in _OPEN:
            raise ValidationError(
                message=f"Stack:{there[0].stack_id} is in {there[0].status} state and can not be updated."
            )
        begun = [each for each in there if each.status != "REVIEW_IN_PROGRESS"]
        imports = {}
        if change_set_type == "IMPORT":
            imports = imported(request.values)
            held = begun[0].template_dict if begun else {}
            problem = _problem_of_import(imports, held, more["template"], self)
            if problem:
                raise ValidationError(message=problem)
            change_set_type = "UPDATE" if begun else "CREATE"
        if there and change_set_type == "CREATE":
            if there[0].status != "REVIEW_IN_PROGRESS":
                raise AlreadyExistsException(f"Stack [{stack_name}] already exists")
            del self.stacks[there[0].stack_id]
        made = begin(self, stack_name=stack_name, change_set_type=change_set_type, **more)
        change_set = self.change_sets[made[0]]
        change_set.imports = {name: _physical_id(*described) for name, described in imports.items()}
        old, new = change_set.stack.template_dict.get("Resources", {}), change_set.template_dict["Resources"]
        for each in change_set.changes:
            name = each.logical_resource_id
            both = each.action == "Modify"
            each.replacement = str(is_replaced(old[name], new[name], self.region_name)) if both else None
        changed = {each.logical_resource_id for each in change_set.changes if each.action == "Modify"}
        for name in sorted(new.keys() & old.keys() - changed):
            if changed.intersection(_growing(new[name])):
                change_set.changes.append(Change("Modify", name, new[name]["Type"]))
        if imports:
            change_set.changes = [Change("Import", name, kind) for name, (kind, _identifier) in imports.items()]
        return made

    def execute_change_set(self: Any, change_set_name: str, stack_name: str | None = None) -> None:
        token = request.values.get("ClientRequestToken")
        if token and token in tokens:
            return
        change_set = self.describe_change_set(change_set_name)
        if change_set.execution_status != "AVAILABLE":
            raise ValidationError(message=f"ChangeSet [{change_set_name}] cannot be executed in its current status")
        tokens[token] = True
        kind = "IMPORT" if change_set.imports else change_set.change_set_type
        carry_out(change_set.stack, kind, change_set.template, imports=change_set.imports)
        # They were made for what the stack was.
        for identifier in [name for name, each in self.change_sets.items() if each.stack is change_set.stack]:
            del self.change_sets[identifier]

    def delete_change_set(self: Any, change_set_name: str) -> None:
        for identifier, each in [*self.change_sets.items()]:
            if change_set_name in (identifier, each.change_set_name):
                del self.change_sets[identifier]

    def delete_stack(self: Any, name_or_stack_id: str) -> None:
        for stack in [*self.stacks.values()]:
            if name_or_stack_id in (stack.stack_id, stack.name):
                if stack.enable_termination_protection:
                    raise ValidationError(
                        message=f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled"
                    )
                delete(stack)
                if stack.status == "DELETE_COMPLETE":
                    self.deleted_stacks[stack.stack_id] = self.stacks.pop(stack.stack_id)

    def describe_type(self: Any) -> Any:
        name = self._get_param("TypeName")
        return ActionResult({"TypeName": name, "Type": "RESOURCE", "Schema": json.dumps(schema_of(name, self.region))})

    def get_template(self: Any) -> Any:
        change_set = self._get_param("ChangeSetName")
        found = self.cloudformation_backend
        of = found.describe_change_set(change_set) if change_set else found.get_stack(self._get_param("StackName"))
        return ActionResult({"TemplateBody": of.template})

    def detect_stack_drift(self: Any) -> Any:
        detections.append(self.cloudformation_backend.get_stack(self._get_param("StackName")))
        return ActionResult({"StackDriftDetectionId": str(len(detections))})

    def describe_stack_drift_detection_status(self: Any) -> Any:
        identifier = self._get_param("StackDriftDetectionId")
        # It is asked for more than once.
        asked.append(identifier)
        status = "DETECTION_COMPLETE" if asked.count(identifier) > 1 else "DETECTION_IN_PROGRESS"
        stack = detections[int(identifier) - 1]
        found = {"StackId": stack.stack_id, "DetectionStatus": status, "StackDriftDetectionId": identifier}
        return ActionResult({**found, "Timestamp": stack.creation_time})

    def describe_stack_resource_drifts(self: Any) -> Any:
        stack = self.cloudformation_backend.get_stack(self._get_param("StackName"))
        wanted = self._get_param("StackResourceDriftStatusFilters")
        found = [each for each in drifts_of(stack) if each["StackResourceDriftStatus"] in wanted]
        # One on each page.
        start = int(self._get_param("NextToken") or 0)
        more = {"NextToken": str(start + 1)} if start + 1 < len(found) else {}
        return ActionResult({"StackResourceDrifts": found[start : start + 1], **more})

    detections: list[Any] = []
    asked: list[str] = []
    answers.detect_stack_drift = detect_stack_drift
    answers.describe_stack_drift_detection_status = describe_stack_drift_detection_status
    answers.describe_stack_resource_drifts = describe_stack_resource_drifts
    parsing.parse_and_create_resource = create
    backend.create_change_set = create_change_set
    backend.describe_changes = describe_changes
    backend.execute_change_set = execute_change_set
    backend.delete_change_set = delete_change_set
    backend.delete_stack = delete_stack
    answers.describe_type = describe_type
    answers.get_template = get_template


def drifts_of(stack: Any) -> Iterator[dict[str, Any]]:
    """What differs of the kinds that can be looked at here; AWS cannot look at all kinds either."""
    for made in stack.stack_resources:
        look = ACTUAL.get(made.type)
        if look is None:
            continue
        actual = look(made.clients, made.physical_resource_id)
        found = {
            "StackId": stack.stack_id,
            "LogicalResourceId": made.logical_resource_id,
            "PhysicalResourceId": made.physical_resource_id,
            "ResourceType": made.type,
            "Timestamp": stack.creation_time,
        }
        if actual is None:
            yield {**found, "StackResourceDriftStatus": "DELETED"}
            continue
        differing = {name for name, value in actual.items() if str(made.properties.get(name)) != str(value)}
        yield {
            **found,
            "StackResourceDriftStatus": "MODIFIED" if differing else "IN_SYNC",
            "PropertyDifferences": [
                {
                    "PropertyPath": f"/{name}",
                    "ExpectedValue": str(made.properties.get(name)),
                    "ActualValue": str(actual[name]),
                    "DifferenceType": "NOT_EQUAL",
                }
                for name in sorted(differing)
            ],
        }


def imported(values: Any) -> dict[str, tuple[str, dict[str, str]]]:
    """What a request wants to be taken in: name -> kind, and what identifies it."""
    found: dict[str, dict[str, Any]] = {}
    for key, value in values.items():
        parts = _TO_IMPORT.fullmatch(key)
        if parts:
            each = found.setdefault(parts[1], {"entries": {}})
            if parts[3]:
                each["entries"].setdefault(parts[3], {})[parts[4]] = value
            else:
                each[parts[2]] = value
    return {
        each["LogicalResourceId"]: (
            each["ResourceType"],
            {entry["key"]: entry["value"] for entry in each["entries"].values()},
        )
        for each in found.values()
    }


def _problem_of_import(
    imports: dict[str, tuple[str, dict[str, str]]], held: dict[str, Any], text: str, backend: Any
) -> str:
    """Why AWS refuses it: the user guide, and messages that others have seen."""
    from moto.cloudformation.models import Stack

    template = Stack.parse_template(text)
    resources, old = template["Resources"], held.get("Resources", {})
    if len(imports) > MOST_IMPORTS:
        return f"Member must have length less than or equal to {MOST_IMPORTS}"
    if template.get("Outputs", {}) != held.get("Outputs", {}):
        return "As part of the import operation, you cannot modify or add [Outputs]"
    changed = [name for name in old if resources.get(name) != old[name]]
    new = sorted(resources.keys() - old.keys())
    if changed or new != sorted(imports):
        return f"You have modified resources in your template that are not being imported: {changed or new}"
    owned = {made.physical_resource_id for stack in backend.stacks.values() for made in stack.stack_resources}
    for name, (kind, identifier) in imports.items():
        schema = schema_of(kind, backend.region_name)
        wanted = {path.removeprefix("/properties/") for path in schema["primaryIdentifier"]}
        optional = wanted - {*schema.get("required", ())}
        if "read" not in schema["handlers"] or kind != resources[name]["Type"]:
            return f"ResourceTypes [{kind}] are not supported for Import"
        if "DeletionPolicy" not in resources[name]:
            return f"Resources [{name}] is missing DeletionPolicy. All resources to import must have it"
        if not wanted - optional <= identifier.keys() <= wanted or not all(identifier.values()):
            return f"Invalid resource identifiers of {name}: {identifier}"
        if _physical_id(kind, identifier) in owned and "|" not in _physical_id(kind, identifier):
            return f"{_physical_id(kind, identifier)} already exists in stack"
    return ""


def _physical_id(kind: str, identifier: dict[str, str]) -> str:
    if kind == "AWS::Events::Rule":
        return identifier["Arn"].rpartition("/")[2]
    return identifier[_PHYSICAL[kind]] if kind in _PHYSICAL else "|".join(identifier.values())


def carry_out(
    stack: Any,
    kind: str,
    template: str,
    parameters: dict[str, Any] | None = None,
    imports: dict[str, str] | None = None,
) -> None:
    """Make a stack (CREATE), change it (UPDATE) or take objects in (IMPORT), and undo that if something fails."""
    before, operation = (stack.template, stack.resource_map.input_parameters), Operation(stack, imports=imports or {})
    stack.resource_map.input_parameters = parameters or {}
    running.append(operation)
    try:
        stack.status = f"{kind}_IN_PROGRESS"
        stack._add_stack_event(stack.status, "User Initiated")
        try:
            _change(operation, stack.parse_template(template))
        except Failed:
            action = {"CREATE": "create", "UPDATE": "update", "IMPORT": "import"}[kind]
            reason = f"The following resource(s) failed to {action}: [{', '.join(operation.failed)}]. "
            undone = {"CREATE": "ROLLBACK"}.get(kind, f"{kind}_ROLLBACK")
            stack.status = f"{undone}_IN_PROGRESS"
            stack._add_stack_event(stack.status, reason)
            if kind == "CREATE":
                # It is told also of a stack in which nothing is.
                stack.template = template
                stack._parse_template()
                _remove(operation, [*reversed(_ordered(stack.resource_map._resource_json_map))], keep=("Retain",))
            end = "COMPLETE"
            for name in operation.imports:
                stack.resource_map._parsed_resources.pop(name, None)
            if kind == "IMPORT":
                # It is told also of a stack that was made for this.
                stack.template = before[0] or template
                stack._parse_template()
                stack.resource_map._resource_json_map = stack.template_dict["Resources"] if before[0] else {}
            if kind == "UPDATE":
                stack.resource_map.input_parameters = before[1]
                try:
                    _change(operation, stack.parse_template(before[0]))
                except Failed:
                    end = "FAILED"
            stack.status = f"{undone}_{end}"
        else:
            stack.template, stack.status = template, f"{kind}_COMPLETE"
            stack._parse_template()
            stack.output_map = stack._create_output_map()
        stack._add_stack_event(stack.status)
    finally:
        running.remove(operation)


def _change(operation: Operation, template: dict[str, Any]) -> None:
    from moto.cloudformation.parsing import parse_and_update_resource

    resources: Any = operation.stack.resource_map
    old, new = {**resources._resource_json_map}, template["Resources"]
    modified = {name for name in new if name in old and _made_of(old[name]) != _made_of(new[name])}
    modified |= {name for name in new if name in old and modified & set(_growing(new[name]))}
    resources._template, resources._resource_json_map = template, new
    earlier = {**resources.resolved_parameters}
    resources.resolved_parameters.clear()
    for load in (resources.load_mapping, resources.load_parameters, resources.load_conditions):
        load()
    given = {name for name, value in resources.resolved_parameters.items() if earlier.get(name) != value}
    modified |= {name for name in new if name in old and given & {*_refs(new[name])}}
    for name in _ordered(new):
        if name not in resources._parsed_resources:
            resources[name]
        elif name in modified:
            kind = new[name]["Type"]
            try:
                changed: Any = parse_and_update_resource(
                    name,
                    new[name],
                    resources,
                    account_id=operation.stack.account_id,
                    region_name=resources._region_name,
                )
            except Exception as error:
                identifier = resources._parsed_resources[name].physical_resource_id
                operation.tell(name, kind, identifier, "UPDATE_FAILED", str(error))
                raise Failed from error
            resources._parsed_resources[name] = changed
            operation.tell(name, kind, changed.physical_resource_id, "UPDATE_COMPLETE")
    gone = [name for name in reversed(_ordered(old)) if name not in new]
    _remove(operation, gone, described=old, keep=("Retain", "RetainExceptOnCreate"))


def _made_of(described: dict[str, Any]) -> tuple[Any, Any]:
    return described["Type"], described.get("Properties")


def delete(stack: Any) -> None:
    operation = Operation(stack)
    stack._add_stack_event("DELETE_IN_PROGRESS", "User Initiated")
    made = [*reversed(_ordered(stack.template_dict.get("Resources", {})))]
    _remove(operation, made, keep=("Retain", "RetainExceptOnCreate"))
    stack.status = "DELETE_FAILED" if operation.failed else "DELETE_COMPLETE"
    failed = f"The following resource(s) failed to delete: [{', '.join(operation.failed)}]. "
    stack._add_stack_event(stack.status, failed if operation.failed else None)


def _remove(
    operation: Operation, names: list[str], *, keep: tuple[str, ...], described: dict[str, Any] | None = None
) -> None:
    """Resources that are not kept; what is gone already is no failure, and what depends on a failed one is tried."""
    resources = operation.stack.resource_map
    described = described or resources._resource_json_map
    for name in names:
        made = resources._parsed_resources.get(name)
        if made is None or name not in described:
            continue
        kind, identifier = described[name]["Type"], made.physical_resource_id
        if described[name].get("DeletionPolicy") in keep:
            operation.tell(name, kind, identifier, "DELETE_SKIPPED")
        else:
            try:
                made.delete("", "")
            except Exception as error:
                if not any(each in str(error) for each in _GONE):
                    operation.tell(name, kind, identifier, "DELETE_FAILED", str(error))
                    continue
            operation.tell(name, kind, identifier, "DELETE_COMPLETE")
        del resources._parsed_resources[name]


def _ordered(described: dict[str, Any]) -> list[str]:
    """Names of resources, those that others refer to before these."""
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in described and name not in found:
            for other in sorted({*_refs(described[name]), *described[name].get("DependsOn", ())}):
                visit(other)
            found[name] = None

    for name in sorted(described):
        visit(name)
    return [*found]


def _refs(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "Ref" in value:
            yield value["Ref"]
        elif "Fn::GetAtt" in value:
            yield value["Fn::GetAtt"][0]
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _refs(each)


def _growing(value: Any) -> Iterator[str]:
    """What a description has the latest version of."""
    if isinstance(value, dict) and value.get("Fn::GetAtt", ("", ""))[1] == "LatestVersionNumber":
        yield value["Fn::GetAtt"][0]
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _growing(each)
