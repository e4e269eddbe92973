# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the terminal shows of a long operation's result."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.action import delete_cluster, update_cluster
from ansible_collections.kubeops.kops.plugins.plugin_utils import progress

PLAN_TEXT = """Will create:
  VPC/demo.example.com
    cidr                   172.20.0.0/16

Will change:
  AutoscalingGroup/nodes
    max_size               1 -> 3

Will delete only when pruning (prune: true):
  launch template version 1

Warning: kubelets answer anonymous requests
Plan 0123: 1 to create, 1 to change, 0 to delete, 5 as they should be.
"""


def result(**values: Any) -> dict[str, Any]:
    actions = [{"action": action} for action in ("create", "update", "delete")]
    summary = {"create": 1, "update": 1, "delete": 0, "unchanged": 5}
    return {"changed": True, "plan": actions, "plan_text": PLAN_TEXT, "summary": summary, **values}


def nothing(**values: Any) -> dict[str, Any]:
    summary = {"create": 0, "update": 0, "delete": 0, "unchanged": 7}
    text = "Nothing to do: all 7 objects are as they should be.\n"
    return {"changed": False, "plan": [], "plan_text": text, "summary": summary, **values}


def outcome(module: Any, given: dict[str, Any], *, check: bool) -> list[str]:
    return module.ActionModule.__new__(module.ActionModule).outcome(given, check)


def test_a_plan_names_what_would_be_created_and_shows_what_would_change() -> None:
    shown = outcome(update_cluster, result(), check=True)
    assert shown == [
        "Will create (--diff shows every field):",
        "  VPC/demo.example.com",
        "",
        "Will change:",
        "  AutoscalingGroup/nodes",
        "    max_size               1 -> 3",
        "",
        "Will delete only when pruning (prune: true):",
        "  launch template version 1",
        "",
        # Ansible shows warnings by itself.
        "Plan 0123: 1 to create, 1 to change, 0 to delete, 5 as they should be.",
    ]


def test_all_of_the_plan_for_who_wants_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress.display, "verbosity", 1)
    assert "    cidr                   172.20.0.0/16" in outcome(update_cluster, result(), check=True)


def test_what_was_done_is_counted() -> None:
    assert outcome(update_cluster, result(), check=False) == [
        "Done: 1 created, 1 changed, 0 deleted, 5 were as they should be.",
        "Kept for instances that still run: 1. With prune: true they are deleted.",
    ]


@pytest.mark.parametrize("check", [True, False])
def test_nothing_to_do(check: bool) -> None:
    assert outcome(update_cluster, nothing(), check=check) == ["Nothing to do: all 7 objects are as they should be."]


@pytest.mark.parametrize(
    ("given", "check", "shown"),
    [
        (nothing(out="out", files=["kubernetes.tf"], changed=True), True, ["Files that would change in out: 1"]),
        (nothing(out="out", files=[]), True, ["Nothing to do in out"]),
        (nothing(out="out", files=[]), False, ["Nothing to do in out"]),
        (nothing(out="out", files=["kubernetes.tf"], changed=True), False, []),
    ],
)
def test_terraform(given: dict[str, Any], check: bool, shown: list[str]) -> None:
    assert outcome(update_cluster, given, check=check) == shown


def test_a_deletion_is_listed_before_and_counted_after() -> None:
    text = "Would delete 1 cloud objects\n     1 vpc\n"
    assert outcome(delete_cluster, {"text": text}, check=True) == ["Would delete 1 cloud objects", "     1 vpc"]
    assert outcome(delete_cluster, {"text": text}, check=False) == ["Would delete 1 cloud objects"]
