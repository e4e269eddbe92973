# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long DigitalOcean is waited for, by what its answers say."""

from __future__ import annotations

import time

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.rate import RateLimit, pause_of

DATE = "Sat, 28 Nov 2026 17:00:00 GMT"
AT = 1795885200


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7", "ratelimit-reset": str(AT + 100), "date": DATE}, 7),
        ({"ratelimit-reset": str(AT + 100), "date": DATE}, 100),
        ({"ratelimit-reset": str(AT - 100), "date": DATE}, 0.5),
        ({"ratelimit-reset": str(AT + 100000), "date": DATE}, 3600),
        ({}, 15),
        ({"retry-after": "soon"}, 15),
    ],
)
def test_the_pause_is_as_digitalocean_says(headers: dict[str, str], seconds: float) -> None:
    assert pause_of(headers) == seconds


def test_without_its_time_that_of_the_machine_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: AT)
    assert pause_of({"ratelimit-reset": str(AT + 9)}) == 9


def test_all_wait_and_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    now, slept, told = [0.0], [], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    now[0] = 50.0
    limit = RateLimit(told.append, sleep)
    limit.wait()
    assert slept == []
    limit.exceeded({"retry-after": "5"})
    limit.exceeded({"retry-after": "8"})
    limit.wait()
    assert slept == [8.0]
    assert len(told) == 1
    limit.exceeded({"retry-after": "2"})
    assert told[1].endswith("takes the next one in 2 s")
