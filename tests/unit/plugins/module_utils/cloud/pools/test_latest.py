# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever waits shares the reading of a moment ago."""

from __future__ import annotations

import time

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.latest import Latest


class Readings:
    """Counts what is read."""

    def __init__(self) -> None:
        self.objects: dict[str, dict[str, str]] = {}
        self.count = 0

    def __call__(self, _kind: str) -> dict[str, dict[str, str]]:
        self.count += 1
        return {name: dict(each) for name, each in self.objects.items()}


def test_a_moment_is_shared_and_what_is_new_is_looked_for() -> None:
    readings, seen = Readings(), Latest()
    readings.objects = {"a": {"state": "new"}, "b": {"state": "new"}}
    assert [seen.of("server", name, readings) for name in ("a", "b", "a")] == [{"state": "new"}] * 3
    assert readings.count == 1
    readings.objects["c"] = {"state": "made"}
    assert seen.of("server", "c", readings) == {"state": "made"}
    assert seen.of("volume", "c", readings) == {"state": "made"}
    assert readings.count == 3
    assert seen.of("server", "gone", readings) is None


def test_a_moment_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    readings, seen = Readings(), Latest()
    readings.objects["a"] = {"state": "new"}
    assert seen.of("server", "a", readings) == {"state": "new"}
    readings.objects["a"] = {"state": "ready"}
    assert seen.of("server", "a", readings) == {"state": "new"}
    now += 1
    assert seen.of("server", "a", readings) == {"state": "ready"}


def test_what_was_there_before_a_moment_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    readings, seen = Readings(), Latest()
    assert seen.of("server", "a", readings, 0.0) is None
    readings.objects["a"] = {"state": "new"}
    # Whoever waits for its end is content with what others have read.
    assert seen.of("server", "a", readings, 0.0) is None
    now += 0.1
    assert seen.of("server", "a", readings, now) == {"state": "new"}
    assert readings.count == 2
