# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nested stacks as CloudFormation has them: with events, parameters and change sets of their own.

They are stacks of the account that are made, changed, undone and deleted with the resource that names their template.
Source: the user guide of CloudFormation (nested stacks, change sets for nested stacks).
"""

from __future__ import annotations

from typing import Any

from .moto_change_sets import carry_out, delete, running

KIND = "AWS::CloudFormation::Stack"
_PLANNED, _NEW = "REVIEW_IN_PROGRESS", "CREATE"


def nest_stacks() -> None:
    """Let moto have them. It must carry out change sets already (moto_change_sets.py)."""
    from moto.cloudformation import parsing
    from moto.cloudformation.models import CloudFormationBackend, cloudformation_backends
    from moto.cloudformation.utils import get_stack_from_s3_url
    from moto.core.common_models import CloudFormationModel

    backend: Any = CloudFormationBackend
    class_of, execute, remove = parsing.resource_class_from_type, backend.execute_change_set, backend.delete_change_set
    # By the id of a change set: those of the stacks in it, by their ids there.
    nested: dict[str, dict[str, Any]] = {}

    class Nested(CloudFormationModel):
        """The resource of a stack."""

        type = cf_resource_type = KIND
        logical_resource_id = ""

        def __init__(self, owner: Any, stack: Any) -> None:
            self.owner, self.stack, self.physical_resource_id = owner, stack, stack.stack_id

        def is_created(self) -> bool:
            return True

        @staticmethod
        def cloudformation_name_type() -> str:
            return ""

        @staticmethod
        def cloudformation_type() -> str:
            return KIND

        @classmethod
        def create_from_cloudformation_json(
            cls, resource_name: str, cloudformation_json: Any, account_id: str, region_name: str, **more: Any
        ) -> Any:
            owner, name = cloudformation_backends[account_id][region_name], more["LogicalId"]
            operation = running[-1]
            planned = (each.get(name) for each in nested.values())
            ours = [each for each in planned if each and each.root is operation.stack and each.stack.status == _PLANNED]
            stack = ours[0].stack if ours else _planned(owner, resource_name, "{Resources: {}}")
            operation.tell(name, KIND, stack.stack_id, "CREATE_IN_PROGRESS")
            carry_out(stack, _NEW, *_wanted(cloudformation_json, account_id))
            made = cls(owner, stack)
            if stack.status != "CREATE_COMPLETE":
                why = made.why()
                made.delete(account_id, region_name)
                raise ValueError(f"Embedded stack {stack.stack_id} was not successfully created: {why}")
            return made

        @classmethod
        def update_from_cloudformation_json(
            cls,
            original_resource: Any,
            new_resource_name: str,
            cloudformation_json: Any,
            account_id: str,
            region_name: str,
        ) -> Any:
            stack = original_resource.stack
            name = original_resource.logical_resource_id
            running[-1].tell(name, KIND, stack.stack_id, "UPDATE_IN_PROGRESS")
            carry_out(stack, "UPDATE", *_wanted(cloudformation_json, account_id))
            if stack.status != "UPDATE_COMPLETE":
                said = f"Currently in {stack.status} with reason: {original_resource.why()}"
                raise ValueError(f"Embedded stack {stack.stack_id} was not successfully updated. {said}")
            return original_resource

        def delete(self, account: str, region: str) -> None:
            delete(self.stack)
            if self.stack.status != "DELETE_COMPLETE":
                raise ValueError(f"Embedded stack {self.stack.stack_id} was not successfully deleted: {self.why()}")
            self.owner.deleted_stacks[self.stack.stack_id] = self.owner.stacks.pop(self.stack.stack_id)

        def why(self) -> str:
            """What its own events say last about a failure."""
            reasons = (each.resource_status_reason for each in reversed(self.stack.events))
            return next(each for each in reasons if each and each.startswith("The following"))

    def _wanted(described: Any, account: str) -> tuple[str, dict[str, Any]]:
        properties = described["Properties"]
        given = properties.get("Parameters") or {}
        assert all(isinstance(each, str) for each in given.values()), given
        return get_stack_from_s3_url(properties["TemplateURL"], account, "aws"), given

    def _planned(owner: Any, name: str, template: str) -> Any:
        """A stack that is there for a change set alone."""
        identifier, _stack = owner.describe_changes(
            stack_name=name,
            change_set_name="nested",
            template=template,
            parameters={},
            description="",
            change_set_type=_NEW,
        )
        return owner.change_sets.pop(identifier).stack

    def describe_nested_changes(self: Any, change_set_id: str) -> None:
        root = self.change_sets[change_set_id]
        found = nested.setdefault(change_set_id, {})
        for change in root.changes:
            if change.resource_type != KIND or change.action == "Remove":
                continue
            name = change.logical_resource_id
            template = get_stack_from_s3_url(
                root.template_dict["Resources"][name]["Properties"]["TemplateURL"], self.account_id, "aws"
            )
            there = root.stack.resource_map._parsed_resources.get(name)
            called = there.stack.name if there else f"{root.stack.name}-{name}-{len(self.stacks)}"
            identifier, _stack = self.describe_changes(
                stack_name=called,
                change_set_name=f"{root.change_set_name}-{name}",
                template=template,
                parameters=there.stack.parameters if there else {},
                description="",
                change_set_type="UPDATE" if there else _NEW,
            )
            change.change_set_id = identifier
            found[name] = self.change_sets[identifier]
            found[name].root = root.stack

    def execute_change_set(self: Any, change_set_name: str, stack_name: str | None = None) -> None:
        execute(self, change_set_name, stack_name)
        for each in nested.pop(change_set_name, {}).values():
            self.change_sets.pop(each.change_set_id, None)

    def delete_change_set(self: Any, change_set_name: str) -> None:
        for each in nested.pop(change_set_name, {}).values():
            self.change_sets.pop(each.change_set_id, None)
            if each.stack.status == _PLANNED:
                self.stacks.pop(each.stack.stack_id)
        remove(self, change_set_name)

    parsing.resource_class_from_type = lambda type_: Nested if type_ == KIND else class_of(type_)
    backend.describe_nested_changes = describe_nested_changes
    backend.execute_change_set = execute_change_set
    backend.delete_change_set = delete_change_set
