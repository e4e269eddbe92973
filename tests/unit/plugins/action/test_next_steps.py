# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps that come next, in the terminal and in the result."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.action import next_steps
from ansible_collections.kubeops.kops.plugins.plugin_utils import progress


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of the terminal."""
    lines: list[str] = []
    monkeypatch.setattr(progress.display, "display", lambda line, **_how: lines.append(line))
    return lines


def run(**arguments: Any) -> dict[str, Any]:
    action = next_steps.ActionModule.__new__(next_steps.ActionModule)
    return action.run_module(arguments, {})


def test_steps_are_shown_and_returned(shown: list[str]) -> None:
    assert run(operation="hosts", ended={"planned": True}) == {"changed": False, "next": ["the same without --check"]}
    assert shown == ["  Next: the same without --check"]


def test_without_a_step_nothing_is_shown(shown: list[str]) -> None:
    assert run(operation="hosts", ended={"planned": False}) == {"changed": False}
    assert shown == []


def test_an_unknown_end_fails(shown: list[str]) -> None:
    assert run(operation="hosts", ended={"panned": True})["failed"]
    assert shown == []
