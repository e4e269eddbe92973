# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outcomes and reports, in the form in which Ansible takes them."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Difference, Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.base.report import Report, Step


def test_parts_that_are_empty_are_left_out() -> None:
    assert Outcome(values={"names": []}).as_result() == {"changed": False, "names": []}


def test_all_parts_have_ansible_s_keys() -> None:
    lists = Difference.of_lines("members", before=["a"], after=["a", "b"])
    assert Outcome(True, {"count": 2}, [lists], ["an alarm"], "not healthy").as_result() == {
        "changed": True,
        "count": 2,
        "diff": [{"before_header": "members", "after_header": "members", "before": "a\n", "after": "a\nb\n"}],
        "warnings": ["an alarm"],
        "failed": True,
        "msg": "not healthy",
    }


def test_a_report_tells_what_changed() -> None:
    steps = [Step("user:a"), Step("file:/x", True, None, {"mode": "0644", "content": "a\nb"})]
    assert Report(steps=steps, warnings=["odd"]).outcome(count=2) == Outcome(
        True,
        {"changes": [{"item": "file:/x", "before": None, "after": {"mode": "0644", "content": "a\nb"}}], "count": 2},
        [Difference("file:/x", "", "mode: 0644\ncontent:\na\nb\n")],
        ["odd"],
    )


def test_what_is_deferred_is_told_and_is_no_change() -> None:
    report = Report(steps=[Step("unit:a", True, "active", None, deferred=True), Step("unit:b")])
    outcome = report.outcome()
    assert (outcome.changed, outcome.values["changes"], outcome.differences) == (False, [], [])
    assert report.deferred
    assert report.deferred_changes() == [{"item": "unit:a", "before": "active", "after": None}]
    report.steps[1].changed = True
    assert report.changed
    assert [each["item"] for each in report.changes()] == ["unit:b"]
