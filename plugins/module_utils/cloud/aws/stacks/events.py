# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of a stack: what is done is told as it is done, and what has failed is said at the end."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....engine.executor import ApplyError
from ....engine.targets.template_parts import STACK
from ..cloud import AWSCloud
from .polling import FIRST_PAUSE, LONGEST_PAUSE

_BUSY, _FAILED = "_IN_PROGRESS", "_FAILED"
_DONE = {
    "CREATE_COMPLETE": "created",
    "UPDATE_COMPLETE": "changed",
    "DELETE_COMPLETE": "deleted",
    "IMPORT_COMPLETE": "taken in",
}
# How operations begin; what follows is of their ends.
_BEGINNINGS = ("CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS", "IMPORT_IN_PROGRESS")
_CANCELLED = re.compile(r"Resource \w+ cancelled")
# What is around the words of the service: its handler's, and the ids of the request.
_AROUND = re.compile(r'^Resource handler returned message: "(?P<said>.*)" \(RequestToken: .*\)$', re.DOTALL)
# How a stack has ended -> what that means, with its name; the last part is what comes next.
_MEANS = {
    "ROLLBACK_COMPLETE": (
        "CloudFormation could not make the stack {0}, and has taken away what it had made; run it again when this is"
        " mended:"
    ),
    "ROLLBACK_FAILED": (
        "CloudFormation could not make the stack {0}, and could not take away all that it had made; when this is"
        " mended, aws cloudformation delete-stack --stack-name {0}, and run it again:"
    ),
    "UPDATE_ROLLBACK_COMPLETE": (
        "CloudFormation could not change the stack {0}, and has undone what it had changed; run it again when this is"
        " mended:"
    ),
    "UPDATE_ROLLBACK_FAILED": (
        "CloudFormation could not change the stack {0}, and could not undo all that it had changed; when this is"
        " mended, aws cloudformation continue-update-rollback --stack-name {0}, and run it again:"
    ),
    "IMPORT_ROLLBACK_COMPLETE": (
        "CloudFormation could not take these objects into the stack {0}, and has left them as they were; run it again"
        " when this is mended:"
    ),
    "DELETE_FAILED": "CloudFormation could not delete all of the stack {0}:",
}
_UNKNOWN = "the stack {0} is {1}:"


@dataclass
class Operation:
    """How an operation on a stack has ended. status: of the stack. failed: what a user calls it -> why it failed."""

    status: str
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        """Whether all was done."""
        return self.status in _DONE

    def raise_unless_done(self, stack: str) -> None:
        """Raise ApplyError with what has failed."""
        if not self.is_done:
            head = _MEANS.get(self.status, _UNKNOWN).format(stack, self.status)
            raise ApplyError(self.failed or {stack: "CloudFormation does not say why"}, [], head)


def last_event(cloud: AWSCloud, stack_id: str) -> str:
    """The id of the newest event; "" if there is none."""
    return next((str(each["EventId"]) for each in _newest_first(cloud, stack_id)), "")


def start_of_operation(cloud: AWSCloud, stack_id: str) -> str:
    """The id of the event before the operation that goes on, or was the last one."""
    began = False
    for each in _newest_first(cloud, stack_id):
        if began:
            return str(each["EventId"])
        began = _is_of_stack(each, stack_id) and each["ResourceStatus"] in _BEGINNINGS
    return ""


def follow(
    cloud: AWSCloud,
    stack_id: str,
    since: str,
    names: Mapping[str, str] | None = None,
    *,
    tell: Callable[[str], None],
    expected: int = 0,
) -> Operation:
    """Tell what happens after an event, also in nested stacks, until the operation that has begun then is over.

    names: ids in the template -> what a user calls them; else their ids are told. expected: so many resources are
    changed; 0 if nobody knows.
    """
    account, parts = _Account(stack_id, names or {}, tell, expected), _Parts(stack_id)
    pause = FIRST_PAUSE
    while True:
        new = [*_after(cloud, stack_id, since)]
        for each in sorted([*reversed(new), *parts.events(cloud, new)], key=lambda each: each["Timestamp"]):
            account.take(each)
        if account.ended:
            return Operation(account.ended, account.all_failed())
        since = str(new[0]["EventId"]) if new else since
        pause = FIRST_PAUSE if new else min(pause * 2, LONGEST_PAUSE)
        time.sleep(pause)


class _Parts:
    """The nested stacks of a stack. Each is known once an event of the stack names it."""

    def __init__(self, stack_id: str) -> None:
        self._stack_id = stack_id
        self._began: Any = None
        self._last: dict[str, str] = {}

    def events(self, cloud: AWSCloud, new: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Their next ones since the operation began, in their orders. new: those of the stack, the newest first."""
        if self._began is None and new:
            self._began = new[-1]["Timestamp"]
        for each in new:
            part = each.get("PhysicalResourceId")
            if _is_of_part(each) and part and part != self._stack_id:
                self._last.setdefault(part, "")
        found = []
        for part, last in self._last.items():
            since = itertools.takewhile(lambda each: each["Timestamp"] >= self._began, _after(cloud, part, last))
            theirs = [*since]
            if theirs:
                self._last[part] = str(theirs[0]["EventId"])
            found += reversed(theirs)
        return found


class _Account:
    """What is known of an operation. ended: the status of the stack, once it is over."""

    def __init__(self, stack_id: str, names: Mapping[str, str], tell: Callable[[str], None], expected: int) -> None:
        self._stack_id, self._names, self._tell = stack_id, names, tell
        self._of = f"/{expected}" if expected else ""
        self._finished: set[str] = set()
        self._undoes = False
        self._failed: dict[str, str] = {}
        # Nested stacks -> their ids in the template, of which those say why they failed as a whole.
        self._parts: dict[str, str] = {}
        self._failed_parts: dict[str, str] = {}
        # Stacks that say what has failed in them.
        self._explained: set[str] = set()
        self.ended = ""

    def take(self, event: Mapping[str, Any]) -> None:
        """The next event, in their order."""
        status, reason = str(event["ResourceStatus"]), _said(event.get("ResourceStatusReason") or "")
        if _is_of_stack(event, self._stack_id):
            self._take_of_stack(status)
            return
        identifier = str(event["LogicalResourceId"])
        if _is_of_part(event):
            self._take_of_part(event, status, reason)
            return
        name = self._names.get(identifier, identifier)
        if status.endswith(_FAILED):
            if not _CANCELLED.fullmatch(reason) and name not in self._failed:
                self._failed[name] = reason
                self._explained.add(str(event["StackId"]))
                self._tell(f"failed: {name}: {reason}")
        elif status in _DONE and not self._undoes:
            self._finished.add(identifier)
            self._tell(f"[{len(self._finished)}{self._of}] {_DONE[status]} {name}")

    def all_failed(self) -> dict[str, str]:
        """What has failed -> why. A nested stack is named only if none of its own resources is."""
        explained = {self._parts.get(each) for each in self._explained}
        parts = {f"Stack/{part}": why for part, why in self._failed_parts.items() if part not in explained}
        return {**self._failed, **parts}

    def _take_of_part(self, event: Mapping[str, Any], status: str, reason: str) -> None:
        self._look_for_undoing(status)
        if event["StackId"] == self._stack_id:
            part = str(event["LogicalResourceId"])
            self._parts[str(event.get("PhysicalResourceId"))] = part
            if status.endswith(_FAILED) and not _CANCELLED.fullmatch(reason):
                self._failed_parts.setdefault(part, reason)

    def _take_of_stack(self, status: str) -> None:
        if not status.endswith(_BUSY):
            self.ended = status
        else:
            self._look_for_undoing(status)

    def _look_for_undoing(self, status: str) -> None:
        if status.endswith(_BUSY) and "ROLLBACK" in status and not self._undoes:
            self._undoes = True
            self._tell("CloudFormation undoes what it has done")


def _newest_first(cloud: AWSCloud, stack_id: str) -> Iterator[dict[str, Any]]:
    pages = cloud.client("cloudformation").get_paginator("describe_stack_events").paginate(StackName=stack_id)
    for page in pages:
        yield from page["StackEvents"]


def _after(cloud: AWSCloud, stack_id: str, since: str) -> Iterator[dict[str, Any]]:
    """Events that are newer than one, the newest first."""
    for each in _newest_first(cloud, stack_id):
        if each["EventId"] == since:
            return
        yield each


def _is_of_stack(event: Mapping[str, Any], stack_id: str) -> bool:
    return event.get("ResourceType") == STACK and event.get("PhysicalResourceId") == stack_id


def _is_of_part(event: Mapping[str, Any]) -> bool:
    return event.get("ResourceType") == STACK


def _said(reason: str) -> str:
    found = _AROUND.match(reason)
    return found["said"] if found else reason
