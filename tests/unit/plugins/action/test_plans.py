# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the terminal shows of a long operation's result."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.action import create_cluster, delete_cluster, update_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_data import Action, counts_of, entry_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import Line
from ansible_collections.kubeops.kops.plugins.plugin_utils import progress

NAME = "demo.example.com"
PLAN = (
    entry_of("VPC", "demo.example.com", Action.CREATE, after={"cidr": "172.20.0.0/16"}),
    entry_of("AutoscalingGroup", "nodes", Action.UPDATE, {"max_size": 1}, {"max_size": 3}),
)


def result(plan: Any = PLAN, **values: Any) -> dict[str, Any]:
    summary = {**counts_of(plan), "unchanged": 5}
    return {
        "changed": bool(plan),
        "plan": list(plan),
        "plan_id": "0123",
        "plan_text": "?",
        "report": [f"{NAME}: done"],
        "to_replace": {},
        "summary": summary,
        **values,
    }


def lines(module: Any, given: dict[str, Any], *, check: bool, diff: bool = False) -> list[str]:
    action = module.ActionModule.__new__(module.ActionModule)
    action._task = SimpleNamespace(diff=diff)
    return [line.text for line in action.lines(given, check)]


def test_a_plan_names_what_would_be_created_and_shows_what_would_change() -> None:
    assert lines(update_cluster, result(), check=True) == [
        "Plan 0123: 1 to create, 1 to change, 0 to delete, 5 unchanged",
        "",
        "+ VPC/demo.example.com",
        "",
        "~ AutoscalingGroup/nodes",
        "    max_size  1 -> 3",
    ]


def test_fields_are_left_to_ansibles_diff() -> None:
    shown = lines(update_cluster, result(), check=True, diff=True)
    assert shown[2:] == ["+ VPC/demo.example.com", "", "~ AutoscalingGroup/nodes"]


@pytest.mark.parametrize(("diff", "names"), [(False, 5), (True, 30)])
def test_a_wide_plan_names_everything_with_diff_only(diff: bool, names: int) -> None:
    wide = [entry_of("Subnet", f"subnet-{index}", Action.CREATE) for index in range(30)]
    shown = lines(update_cluster, result(wide), check=True, diff=diff)
    assert len([line for line in shown if "subnet-" in line]) == names
    assert ("    and 25 more (all with --diff)" in shown) is not diff


def test_all_of_the_plan_for_those_who_want_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress.display, "verbosity", 1)
    assert "    cidr  172.20.0.0/16" in lines(update_cluster, result(), check=True)


def test_what_was_done_is_counted() -> None:
    told = "Done: 1 created, 1 changed, 0 deleted, 5 unchanged"
    assert lines(update_cluster, result(), check=False) == [told]


@pytest.mark.parametrize("check", [True, False])
def test_nothing_to_do(check: bool) -> None:
    told = "Nothing to do: all 5 objects are as they should be"
    assert lines(update_cluster, result([]), check=check) == [told]


def test_what_is_only_stored_is_something() -> None:
    assert lines(update_cluster, result([], changed=True), check=False) == [f"{NAME}: done"]


@pytest.mark.parametrize("check", [True, False])
def test_instances_that_have_to_be_replaced_are_named(check: bool) -> None:
    many = [f"i-{number}" for number in range(7)]
    shown = lines(update_cluster, result(to_replace={"nodes-b": many, "nodes-a": ["i-9"]}), check=check)
    assert shown[-4:] == [
        "",
        "To be replaced, by a rolling update (kubeops.kops.rolling_update):",
        "    nodes-a: i-9",
        "    nodes-b: i-0, i-1, i-2, i-3, i-4 and 2 more",
    ]


@pytest.mark.parametrize("refused", [{"violations": [{"effect": "deny"}]}, {}])
def test_a_plan_that_is_refused_is_shown(refused: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(progress.display, "display", lambda text, color=None: shown.append(text))
    action = update_cluster.ActionModule.__new__(update_cluster.ActionModule)
    action._task = SimpleNamespace(diff=False, check_mode=False)
    action._shown(result(failed=True, **refused))
    assert shown[0] == "  Plan 0123: 1 to create, 1 to change, 0 to delete, 5 unchanged"


@pytest.mark.parametrize(
    ("given", "check", "shown"),
    [
        (result([], out="out", files=["kubernetes.tf"], changed=True), True, ["Files that would change in out: 1"]),
        (result([], out="out", files=[]), True, ["Nothing to do in out"]),
        (result([], out="out", files=[]), False, ["Nothing to do in out"]),
        (result([], out="out", files=["kubernetes.tf"], changed=True), False, []),
    ],
)
def test_terraform(given: dict[str, Any], check: bool, shown: list[str]) -> None:
    assert lines(update_cluster, given, check=check) == shown


def test_a_deletion_is_listed_before_and_counted_after() -> None:
    plan = [entry_of("vpc", "demo.example.com", Action.DELETE, {"id": "vpc-1"})]
    given = {"changed": True, "plan": plan, "summary": counts_of(plan)}
    listed = ["Plan: 0 to create, 0 to change, 1 to delete", "", "- vpc/demo.example.com"]
    assert lines(delete_cluster, given, check=True) == listed
    assert lines(delete_cluster, given, check=False) == ["Done: 0 created, 0 changed, 1 deleted"]
    nothing = {"changed": False, "plan": [], "summary": counts_of([])}
    for check in (True, False):
        assert lines(delete_cluster, nothing, check=check) == ["Nothing to delete: there is no such cluster"]


def test_lines_have_the_colours_of_ansible(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[str, Any]] = []
    monkeypatch.setattr(progress.display, "display", lambda text, color=None: shown.append((text, color)))
    progress.show([Line("Plan"), Line(""), Line("+ VPC/a", "create"), Line("- VPC/b", "delete")])
    assert shown == [("  Plan", None), ("", None), ("  + VPC/a", "green"), ("  - VPC/b", "red")]


@pytest.mark.parametrize("can_be_applied", [True, False])
def test_what_create_cluster_leaves_to_the_update_is_a_plan(can_be_applied: bool) -> None:
    action = create_cluster.ActionModule.__new__(create_cluster.ActionModule)
    action._task = SimpleNamespace(diff=False, args={"leave_to_update": "true"})
    (first, *_others) = action.lines(result(can_be_applied=can_be_applied), False)
    assert first.text.startswith("Plan" if can_be_applied else "Done")


@pytest.mark.parametrize("failed", [True, False])
def test_what_comes_next_is_the_last_line(failed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of what has failed; not before its playbook ends."""
    shown: list[str] = []
    monkeypatch.setattr(progress.display, "display", lambda text, color=None: shown.append(text))
    given = result([], failed=failed, next=["the same once more"])
    if failed:
        # Of what has failed on the way, there is no plan.
        del given["plan_id"]
    for module in (delete_cluster, update_cluster):
        action = module.ActionModule.__new__(module.ActionModule)
        action._task = SimpleNamespace(diff=False, check_mode=True)
        action._shown(given)
    assert shown.count("  Next: the same once more") == 1
    assert len(shown) == (1 if failed else 3)
