# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Change sets: what CloudFormation says that it would do, and that it does so."""

from __future__ import annotations

import dataclasses
import re
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....base.errors import KopsError
from ....engine.targets.template_parts import STACK
from ...stacks import Imported, Text
from ..cloud import AWSCloud
from .events import follow, last_event
from .polling import ask_until

# Ours, among those that others have made.
_PREFIX = "kops-"
_READY, _FAILED = "CREATE_COMPLETE", "FAILED"
# How CloudFormation says that a template changes nothing. It has no code for that.
_NOTHING = ("didn't contain changes", "No updates are to be performed")
# How it says that the change set of a nested stack has failed, which says why.
_NESTED = re.compile(r"Nested change set (\S+) was not successfully created")
_CAPABILITIES = ["CAPABILITY_NAMED_IAM"]


@dataclass(frozen=True)
class ChangeSet:
    """A change set that can be carried out.

    id: of it. stack, stack_id: whose. is_new: whether the stack is there for it alone. changes: as AWS says them.
    """

    id: str
    stack: str
    stack_id: str
    is_new: bool
    changes: list[dict[str, Any]]


def make_change_set(
    cloud: AWSCloud, stack: str, text: Text, *, is_new: bool, imported: Sequence[Imported] = ()
) -> ChangeSet | None:
    """Make a change set, in the place of what runs before this one have left; None if nothing changes.

    imported: what the stack takes in; a change set does nothing else then. Raises KopsError if CloudFormation refuses
    it.
    """
    client = cloud.client("cloudformation")
    if not is_new:
        remove_ours(cloud, stack)
    made = client.create_change_set(
        StackName=stack,
        ChangeSetName=f"{_PREFIX}{uuid.uuid4().hex}",
        ChangeSetType="IMPORT" if imported else "CREATE" if is_new else "UPDATE",
        Capabilities=_CAPABILITIES,
        IncludeNestedStacks=text.has_parts,
        **({"ResourcesToImport": [_to_import(each) for each in imported]} if imported else {}),
        **({"TemplateURL": text.url} if text.url else {"TemplateBody": text.content}),
    )
    status, reason, changes = _when_ready(cloud, made["Id"])
    found = ChangeSet(made["Id"], stack, made["StackId"], is_new, changes)
    if status == _READY:
        return dataclasses.replace(found, changes=[*_with_nested(cloud, changes)])
    nested = _NESTED.search(reason)
    why = _when_ready(cloud, nested[1])[1] if nested else reason
    _give_up(cloud, found)
    if any(each in reason for each in _NOTHING):
        return None
    raise KopsError(f"CloudFormation refuses the template: {why}. Nothing was changed in the stack {stack}")


def _to_import(imported: Imported) -> dict[str, Any]:
    return {
        "ResourceType": imported.type,
        "LogicalResourceId": imported.name,
        "ResourceIdentifier": dict(imported.identifier),
    }


def carry_out(cloud: AWSCloud, change_set: ChangeSet, names: Mapping[str, str], replaced: Collection[str]) -> None:
    """Carry out a change set, and follow it to its end.

    names: ids in the template -> what a user calls them. replaced: ids of what may be replaced. Raises KopsError, and
    does nothing, if it would replace more; ApplyError if it fails.
    """
    more = sorted(names.get(each, each) for each in _replaced(change_set) if each not in replaced)
    if more:
        _give_up(cloud, change_set)
        raise KopsError(
            f"CloudFormation would replace {', '.join(more)}, which the plan does not say. Nothing was changed in the"
            f" stack {change_set.stack}"
        )
    since = last_event(cloud, change_set.stack_id)
    cloud.client("cloudformation").execute_change_set(ChangeSetName=change_set.id)
    kinds = [each.get("ResourceChange", {}).get("ResourceType") for each in change_set.changes]
    # How much is in a nested stack that goes, it does not say.
    expected = len(kinds) if STACK not in kinds else 0
    operation = follow(cloud, change_set.stack_id, since, names, tell=cloud.tell, expected=expected)
    operation.raise_unless_done(change_set.stack)


def _with_nested(cloud: AWSCloud, changes: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Changes, with those in a nested stack in the place of its own."""
    for each in changes:
        nested = each.get("ResourceChange", {}).get("ChangeSetId")
        if nested:
            yield from _when_ready(cloud, nested)[2]
        else:
            yield each


def _replaced(change_set: ChangeSet) -> Iterator[str]:
    for each in change_set.changes:
        change = each.get("ResourceChange", {})
        if change.get("Replacement") == "True":
            yield str(change["LogicalResourceId"])


def _when_ready(cloud: AWSCloud, identifier: str) -> tuple[str, str, list[dict[str, Any]]]:
    """How a change set has ended, why, and its changes."""
    client = cloud.client("cloudformation")
    found = ask_until(
        lambda: client.describe_change_set(ChangeSetName=identifier), lambda said: said["Status"] in (_READY, _FAILED)
    )
    changes, page = list(found.get("Changes", ())), found
    while page.get("NextToken"):
        page = client.describe_change_set(ChangeSetName=identifier, NextToken=page["NextToken"])
        changes += page.get("Changes", ())
    return str(found["Status"]), str(found.get("StatusReason", "")), changes


def change_sets(cloud: AWSCloud, stack: str) -> dict[str, str]:
    """The change sets of a stack: name -> id."""
    found = cloud.paged("cloudformation", "list_change_sets", "Summaries", StackName=stack)
    return {str(each["ChangeSetName"]): str(each["ChangeSetId"]) for each in found if each["StackName"] == stack}


def is_ours(name: str) -> bool:
    """Whether a run of ours has made a change set, by its name."""
    return name.startswith(_PREFIX)


def remove_ours(cloud: AWSCloud, stack: str) -> None:
    """Remove change sets of runs that were broken off; nested stacks that are there for nothing else go with them."""
    for name, identifier in change_sets(cloud, stack).items():
        if is_ours(name):
            cloud.client("cloudformation").delete_change_set(ChangeSetName=identifier)


def _give_up(cloud: AWSCloud, change_set: ChangeSet) -> None:
    """Take a change set away, and the stack that is there for nothing else."""
    client = cloud.client("cloudformation")
    client.delete_change_set(ChangeSetName=change_set.id)
    if change_set.is_new:
        client.delete_stack(StackName=change_set.stack_id)
