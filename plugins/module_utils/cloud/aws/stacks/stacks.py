# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks of CloudFormation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ....base.errors import KopsError
from ....engine.targets.template_imports import not_kept
from ....engine.targets.template_parts import STACK
from ...stacks import Drifted, Imported, Stack, Stacks, Text, read_template
from ..cloud import AWSCloud
from ..errors import error_code
from .change_sets import carry_out, change_sets, is_ours, make_change_set, remove_ours
from .drift import drifted
from .events import follow, last_event, start_of_operation
from .imports import imported
from .parts import text_of, texts_of_parts
from .registry import properties, schema_of

# CloudFormation says so of an object that no stack has, and of a stack that is not there.
NONE = "ValidationError"
_NOT_BEGUN = "REVIEW_IN_PROGRESS"
_DELETED = "DELETE_COMPLETE"
# Its creation failed, and what it had made is gone.
_FAILED = "ROLLBACK_COMPLETE"
# It took nothing in, and has what it had: nothing, if it was made for that.
_NOT_TAKEN_IN = "IMPORT_ROLLBACK_COMPLETE"
# Status -> the command that helps. docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
_STUCK = {
    "CREATE_FAILED": "aws cloudformation delete-stack --stack-name {}",
    "DELETE_FAILED": "aws cloudformation delete-stack --stack-name {}",
    "ROLLBACK_FAILED": "aws cloudformation delete-stack --stack-name {}",
    "IMPORT_ROLLBACK_FAILED": "aws cloudformation continue-update-rollback --stack-name {}",
    "UPDATE_FAILED": "aws cloudformation rollback-stack --stack-name {}",
    "UPDATE_ROLLBACK_FAILED": "aws cloudformation continue-update-rollback --stack-name {}",
}


class AWSStacks(Stacks[AWSCloud]):
    """Stacks by change sets."""

    # docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
    largest = 51_200
    keeps = ("volume",)

    def of(self, cloud: AWSCloud, identifier: str) -> str:
        try:
            found = cloud.client("cloudformation").describe_stack_resources(PhysicalResourceId=identifier)
        except Exception as error:
            if error_code(error) == NONE:
                return ""
            raise
        return next((str(each["StackName"]) for each in found["StackResources"]), "")

    def find(self, cloud: AWSCloud, name: str) -> Stack | None:
        client = cloud.client("cloudformation")
        try:
            (found,) = client.describe_stacks(StackName=name)["Stacks"]
        except Exception as error:
            if error_code(error) == NONE:
                return None
            raise
        status = str(found["StackStatus"])
        if status == _DELETED:
            return None
        is_failed = status == _FAILED or (status == _NOT_TAKEN_IN and not self._holds(cloud, str(found["StackId"])))
        is_begun = status != _NOT_BEGUN
        planned = {} if is_begun else change_sets(cloud, name)
        others = [each for each in planned if not is_ours(each)]
        problem = f"it is {status}; {_STUCK[status].format(name)} helps" if status in _STUCK else ""
        if others:
            problem = f"others have made change sets for it, which were not carried out: {', '.join(others)}"
        # Of a stack that was only planned, that of a change set which a run of ours has left.
        which = [{"ChangeSetName": identifier} for identifier in planned.values()] if not others else []
        template = ""
        if is_begun or which:
            template = text_of(client.get_template(StackName=name, **(which[0] if which else {})))
        return Stack(
            name,
            str(found["StackId"]),
            status,
            template,
            is_begun=is_begun,
            is_busy=is_begun and status.endswith("_IN_PROGRESS"),
            is_failed=is_failed,
            problem=problem,
            is_protected=bool(found.get("EnableTerminationProtection")),
            parts=texts_of_parts(cloud, str(found["StackId"])) if is_begun and STACK in template else {},
        )

    def _holds(self, cloud: AWSCloud, stack_id: str) -> bool:
        """Whether anything is in a stack."""
        found = cloud.paged("cloudformation", "list_stack_resources", "StackResourceSummaries", StackName=stack_id)
        return any(each["ResourceStatus"] != _DELETED for each in found)

    def fixed(self, cloud: AWSCloud, kinds: Collection[str]) -> dict[str, set[str]]:
        return {kind: {*properties(cloud.once(schema_of, kind), "createOnlyProperties")} for kind in sorted(kinds)}

    def imported(
        self, cloud: AWSCloud, resources: Mapping[str, Any], tasks: Mapping[str, Any], names: Collection[str]
    ) -> list[Imported]:
        return imported(cloud, resources, tasks, names)

    def wait(self, cloud: AWSCloud, stack: Stack) -> None:
        follow(cloud, stack.id, start_of_operation(cloud, stack.id), tell=cloud.tell)

    def make(
        self,
        cloud: AWSCloud,
        name: str,
        text: Text,
        stack: Stack | None,
        *,
        names: Mapping[str, str],
        replaced: Collection[str],
    ) -> None:
        if stack is not None and not stack.is_begun and text.has_parts:
            # What was planned for nested stacks, CloudFormation does not take over.
            remove_ours(cloud, name)
        change_set = make_change_set(cloud, name, text, is_new=self._is_new(cloud, stack))
        if change_set is not None:
            carry_out(cloud, change_set, names, replaced)

    def take_in(
        self,
        cloud: AWSCloud,
        name: str,
        text: Text,
        stack: Stack | None,
        objects: Sequence[Imported],
        names: Mapping[str, str],
    ) -> Stack:
        change_set = make_change_set(cloud, name, text, is_new=self._is_new(cloud, stack), imported=objects)
        if change_set is not None:
            carry_out(cloud, change_set, names, ())
        found = self.find(cloud, name)
        if found is None:
            raise KopsError(f"the stack {name} was deleted meanwhile; run it again to plan anew")
        return found

    def let_go(self, cloud: AWSCloud, stack: Stack, text: Text, names: Mapping[str, str]) -> None:
        change_set = make_change_set(cloud, stack.name, text, is_new=False)
        if change_set is not None:
            carry_out(cloud, change_set, names, ())
        # What CloudFormation has not taken, or somebody has changed since, it would delete.
        found = self.find(cloud, stack.name)
        texts = [found.template, *found.parts.values()] if found is not None else []
        going = [each for text in texts for each in not_kept(read_template(text.encode(), stack.name))]
        if found is None or found.id != stack.id or found.is_busy or going:
            more = f": {', '.join(going[:5])} would go with it" if going else ""
            raise KopsError(
                f"the stack {stack.name} does not keep all that it has{more}. It was not deleted; run it again, and if"
                " that does not help, look at its template"
            )
        self.delete(cloud, found)

    def _is_new(self, cloud: AWSCloud, stack: Stack | None) -> bool:
        """Whether a change set makes the stack. What is left of a creation that has failed is deleted."""
        if stack is not None and stack.is_failed:
            cloud.tell(f"deleting the stack {stack.name}, which holds nothing, as its creation has failed")
            self.delete(cloud, stack)
            return True
        return stack is None or not stack.is_begun

    def drifted(self, cloud: AWSCloud, stack: Stack) -> Iterable[Drifted]:
        return drifted(cloud, stack)

    def delete(self, cloud: AWSCloud, stack: Stack) -> None:
        if stack.is_busy:
            self.wait(cloud, stack)
        if not stack.is_begun:
            remove_ours(cloud, stack.name)
        since = last_event(cloud, stack.id)
        cloud.client("cloudformation").delete_stack(StackName=stack.id)
        follow(cloud, stack.id, since, tell=cloud.tell).raise_unless_done(stack.name)
