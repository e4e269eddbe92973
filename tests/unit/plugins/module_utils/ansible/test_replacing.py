# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes after instances were replaced, or would be."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.ansible import replacing
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.cloud import RollingUpdate


def following(check: bool, *, work: bool = True, problems: Sequence[str] = (), **given: Any) -> list[str]:
    """Of an update that has, or has no work; of which this went wrong."""
    engine = SimpleNamespace(changed=work and not check, warnings=[])
    update = SimpleNamespace(
        plans=[],
        records=[],
        lines=[],
        violations=[],
        is_forbidden=False,
        has_work=work,
        problems=problems,
        engine=engine,
    )
    outcome = replacing.outcome_of("rolling_update", Call({}, given, check=check), cast(RollingUpdate, update))
    return list(outcome.as_result().get("next", []))


def test_a_plan_is_followed_by_doing_it() -> None:
    assert following(True) == ["the same without --check"]
    assert following(True, work=False) == []


def test_what_has_stopped_is_continued() -> None:
    (again,) = following(False, problems=["n1 is not drained"], limit=1)
    assert again.startswith("the same once more")


@pytest.mark.parametrize(
    ("given", "words"), [({}, []), ({"limit": 1}, ["kops_limit"]), ({"cloudonly": True}, ["validate_cluster"])]
)
def test_what_is_left_after_a_part(given: dict[str, Any], words: list[str]) -> None:
    steps = following(False, **given)
    assert len(steps) == len(words)
    assert all(word in step for word, step in zip(words, steps))
    assert following(False, work=False, **given) == []
