# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.waiting import Patience


@pytest.fixture()
def slept(monkeypatch):
    found = []
    monkeypatch.setattr("time.sleep", found.append)
    monkeypatch.setattr("random.uniform", lambda low, high: 1.0)
    return found


def failing(*errors):
    """Fails so often, then succeeds."""
    left = [*errors]

    def attempt():
        if left:
            raise left.pop(0)
        return "done"

    return attempt


def test_each_failure_is_said_and_pauses_grow_to_their_end(slept, capsys):
    errors = [
        KopsError("not yet"),
        OSError("no route"),
        ValueError("no JSON"),
        TimeoutError(),
        *[KopsError("a\nb")] * 5,
    ]
    assert Patience().until_done("the store", failing(*errors)) == "done"
    assert slept == [1, 2, 4, 8, 10, 10, 10, 10, 10]
    said = capsys.readouterr().out.splitlines()
    assert said[:5] == [
        "kubeops: waiting for the store: not yet; next try in 1 s",
        "kubeops: waiting for the store: no route; next try in 2 s",
        "kubeops: waiting for the store: no JSON; next try in 4 s",
        "kubeops: waiting for the store: TimeoutError; next try in 8 s",
        "kubeops: waiting for the store: a",
    ]
    assert said[5] == "kubeops: b; next try in 10 s"


def test_the_last_line_says_what_is_wrong_and_not_how_a_log_ends(slept, capsys):
    error = KopsError("kubelet is not healthy\nits log ends:\nsystemd: Scheduled restart job")
    error.brief = "kubelet is not healthy; its last words: unknown flag"
    Patience().until_done("this machine", failing(error))
    assert capsys.readouterr().out.splitlines() == [
        "kubeops: this machine: kubelet is not healthy",
        "kubeops: its log ends:",
        "kubeops: systemd: Scheduled restart job",
        "kubeops: waiting for this machine: kubelet is not healthy; its last words: unknown flag; next try in 1 s",
    ]


def test_attempts_can_be_limited(slept):
    with pytest.raises(KopsError, match="second"):
        Patience(attempts=2).until_done("it", failing(KopsError("first"), KopsError("second")))
    assert slept == [1]


def test_a_fault_of_the_program_is_not_waited_out(slept):
    with pytest.raises(KeyError):
        Patience().until_done("it", failing(KeyError("a")))
    assert slept == []
