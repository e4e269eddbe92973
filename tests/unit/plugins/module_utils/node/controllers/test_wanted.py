# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What controllers have read of the file that says what an update wants."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.controllers import Wanted, WantedRecord
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.wanted import WantedFile

from .fake_cloud import Clock

WANTED = Wanted({"nodes": {"a": "b"}}, True, "example.com", True, (WantedRecord("api", "A", "internal", "api"),))


def test_it_is_read_once_a_minute() -> None:
    clock, asked = Clock(), []

    def read(url: str) -> bytes:
        asked.append(url)
        return WANTED.text().encode()

    file = WantedFile("s3://store/demo/", read, clock)
    for _second in range(120):
        assert file.get() == WANTED
        clock.now += 1
    assert asked == ["s3://store/demo/igconfig/controllers.json"] * 2


def test_without_a_file_nothing_is_wanted() -> None:
    assert WantedFile("s3://store/demo", lambda _url: None).get() == Wanted()


def test_a_store_that_does_not_answer_is_asked_again() -> None:
    answers: Iterator[OSError | bytes] = iter([OSError("no answer"), WANTED.text().encode()])

    def read(_url: str) -> bytes:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    file = WantedFile("s3://store/demo", read)
    with pytest.raises(OSError, match="no answer"):
        file.get()
    assert file.get() == WANTED


@pytest.mark.parametrize("answer", [OSError("no answer"), b"not a file"])
def test_what_was_read_last_stays_in_force_and_is_said_once(
    answer: OSError | bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    clock, answers = Clock(), [WANTED.text().encode()]

    def read(_url: str) -> bytes:
        if answers:
            return answers.pop()
        if isinstance(answer, OSError):
            raise answer
        return answer

    file = WantedFile("s3://store/demo", read, clock)
    for _minute in range(5):
        assert file.get() == WANTED
        clock.now += 60
    assert capsys.readouterr().out.count("what was read last stays in force") == 1
    changed = Wanted({"nodes": {"a": "c"}})
    answers.append(changed.text().encode())
    assert file.get() == changed
