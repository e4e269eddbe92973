# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of the documentation that need hosts are in a part of the life that tests/lab gives a cluster."""

from __future__ import annotations

from ansible_collections.kubeops.kops.tests.documented.on_hosts import (
    ELSEWHERE,
    LAB,
    LIFE,
    chapter_of,
    needs_hosts,
    typed,
)
from ansible_collections.kubeops.kops.tests.documented.shell import commands

CHAPTERS = [chapter for chapters in (*LIFE.values(), *LAB.values()) for chapter in chapters]


def test_every_command_that_needs_hosts_is_typed() -> None:
    words = {str(command) for chapter in CHAPTERS for command in typed(chapter)}
    left = [each for each in commands() if needs_hosts(each) and chapter_of(each) not in ELSEWHERE]
    assert [f"{command.where} {command}" for command in left if str(command) not in words] == []


def test_every_chapter_is_there() -> None:
    there = {chapter_of(command) for command in commands() if needs_hosts(command)}
    assert [chapter for chapter in (*CHAPTERS, *ELSEWHERE) if chapter not in there] == []
