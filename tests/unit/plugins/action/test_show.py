# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text as it is, and changes of hosts as plans are shown."""

from __future__ import annotations

import types
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.action import show


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of the terminal."""
    lines: list[str] = []
    monkeypatch.setattr(show.display, "display", lines.append)
    return lines


def run(**arguments: Any) -> dict[str, Any]:
    action = show.ActionModule.__new__(show.ActionModule)
    action._task = types.SimpleNamespace(check_mode=False)
    return action.run_module(arguments, {})


def test_a_text_keeps_its_lines_and_commas(shown: list[str]) -> None:
    text = 'a: [b, c]\n\n  d: "e"\n'
    assert run(text=text) == {"changed": False, "lines": ["a: [b, c]", "", '  d: "e"']}
    assert shown == ["a: [b, c]", "", '  d: "e"']


def test_an_error_comes_after_the_text(shown: list[str]) -> None:
    assert run(text="a\nb", error="no hosts") == {
        "changed": False,
        "lines": ["a", "b"],
        "failed": True,
        "msg": "no hosts",
    }
    assert shown == ["a", "b"]
    assert "failed" not in run(text="a", error="")


def test_nothing_is_shown_of_nothing(shown: list[str]) -> None:
    assert not run(text=[""])["lines"]
    assert shown == []


def test_changes_of_hosts(shown: list[str]) -> None:
    changes = [
        {"item": "file:/etc/kubelet", "before": {"mode": "0600"}, "after": {"mode": "0644"}},
        {"item": "unit:kubelet.service", "before": "running", "after": "restarted"},
        {"item": "file:/etc/new", "before": None, "after": {"content": "x"}},
    ]
    run(changes={"host1": changes})
    assert shown == [
        "host1:",
        "  Plan: 1 to create, 2 to change, 0 to delete",
        "",
        "  + file//etc/new",
        "",
        "  ~ file//etc/kubelet",
        "      mode  0600 -> 0644",
        "  ~ unit/kubelet.service",
        "      content  running -> restarted",
    ]
