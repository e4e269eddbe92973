# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task that has failed returns."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.failures import for_readers, is_caught, is_refused, readable


def test_a_message_of_several_lines_is_a_list() -> None:
    failure = {
        "failed": True,
        "changed": False,
        "msg": "cluster a: 2 problems:\n- spec.a: is wrong\n- spec.b: is wrong",
    }
    assert readable(failure) == {
        "failed": True,
        "changed": False,
        "msg": "cluster a: 2 problems",
        "problems": ["spec.a: is wrong", "spec.b: is wrong"],
        "_ansible_verbose_always": True,
    }
    assert readable({"failed": True, "msg": "a.yaml: is wrong\nb.yaml: is wrong"})["msg"] == "2 problems"
    for unchanged in ({"failed": True, "msg": "is wrong:"}, {"msg": "a\nb"}):
        assert readable(unchanged) == unchanged


def _task(parent: Any = None, **given: Any) -> Any:
    return SimpleNamespace(**{"ignore_errors": None, "failed_when": [], **given}, _parent=parent)


def _block(parent: Any = None, **given: Any) -> Any:
    return SimpleNamespace(**{"rescue": [], "always": [], **given}, _parent=parent)


@pytest.mark.parametrize(
    "task",
    [
        _task(ignore_errors=True),
        _task(failed_when=["false"]),
        _task(_block(rescue=["a task"])),
        # An include lies in between.
        _task(SimpleNamespace(_parent=_block(always=["a task"]))),
    ],
)
def test_a_playbook_may_use_the_result_of_a_failed_task(task: Any) -> None:
    assert is_caught(task)


def test_otherwise_a_failed_result_is_for_readers() -> None:
    assert not is_caught(_task(_block(_block())))
    result = {
        "failed": True,
        "msg": "a",
        "problems": ["b"],
        "violations": [{}],
        "plan_id": "0",
        "_ansible_verbose_always": 1,
    }
    assert for_readers(result) == {"failed": True, "msg": "a", "problems": ["b"], "_ansible_verbose_always": 1}


def test_a_plan_is_refused_by_a_policy_or_if_another_one_was_approved() -> None:
    denied, warned = ([{"effect": effect}] for effect in ("deny", "warn"))
    assert is_refused({"failed": True, "violations": denied})
    assert is_refused({"failed": True, "plan_id": "0", "violations": []})
    # What has failed on the way.
    assert not is_refused({"failed": True, "violations": warned})
    assert not is_refused({"failed": False, "plan_id": "0", "violations": warned})
