# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for what a cloud does later."""

from __future__ import annotations

import time

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools import making
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.making import until, wait_until_gone
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "_PAUSE", 0.0)


def test_what_is_not_ready_is_asked_again() -> None:
    answers = iter([TryAgainLater("not yet"), TryAgainLater("not yet"), None])

    def do() -> None:
        answer = next(answers)
        if answer is not None:
            raise answer

    until(time.monotonic() + 60, do)
    assert list(answers) == []


def test_time_ends() -> None:
    def never() -> None:
        raise TryAgainLater("not yet")

    with pytest.raises(TryAgainLater, match="not yet"):
        until(time.monotonic() - 1, never)
    with pytest.raises(KopsError, match="server nodes-1 is still there 0 s after it was deleted"):
        wait_until_gone("nodes-1", 0.0, lambda: False)


def test_a_server_goes() -> None:
    answers = iter([False, False, True])
    wait_until_gone("nodes-1", 60.0, lambda: next(answers))
    assert list(answers) == []
