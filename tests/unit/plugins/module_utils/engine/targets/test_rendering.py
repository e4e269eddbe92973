# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What targets share: values that are known later, and who renders a kind of tasks."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.rendering import FOUND, Marked, renderers
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Lifecycle, Task

POSTCARD = Marked("postcard")


@dataclass(eq=False)
class Lamp(Task):
    def postcard(self, target: list[str]) -> None:
        target.append(self.name)


@dataclass(eq=False)
class Desk(Task):
    pass


@dataclass(eq=False)
class Chair(Task):
    pass


def test_what_is_made_first_is_found() -> None:
    addresses: list[str] = []
    found = FOUND.late("addresses", lambda: addresses)
    addresses.append("172.20.0.9")
    assert found() == ["172.20.0.9"]
    assert FOUND.marks_in(POSTCARD.mark("addresses")) == {}


def test_what_another_program_knows_is_marked() -> None:
    (mark,) = POSTCARD.late("addresses", list)()
    assert mark == "@@postcard:addresses@@"
    text = f"{POSTCARD.mark('b')} {mark} {mark} @@OTHER@@ {Marked('letter').mark('addresses')}"
    assert POSTCARD.marks_in(text) == {"addresses": mark, "b": "@@postcard:b@@"}


def test_all_kinds_that_cannot_be_rendered_are_told_at_once() -> None:
    written: list[str] = []
    tasks = [Lamp("b"), Lamp("a"), Desk("left", lifecycle=Lifecycle.IGNORE)]
    for add_to in renderers(tasks, "postcard"):
        add_to(written)
    assert written == ["b", "a"]
    with pytest.raises(KopsError, match="target postcard cannot be used for this cluster: .*: Chair, Desk$"):
        renderers([*tasks, Desk("right"), Desk("third"), Chair("a")], "postcard")
