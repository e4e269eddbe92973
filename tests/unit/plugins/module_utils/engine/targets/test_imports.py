# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks by which Terraform takes over what is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.imports import (
    Import,
    imports_file,
    imports_of,
    named_in,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Lifecycle, Task

BLOCKS = """import {
  id = "4/2"
  to = fake_disk.prefix_1-example-com
}

terraform {
  required_version = ">= 1.5.0"
}
"""


class Other(Task[Any]):
    """A kind that nobody imports."""


@dataclass(eq=False, repr=False)
class Disk(Task[Any]):
    """A kind that is imported, if it is there."""

    place: str = ""

    def terraform_imports(self) -> Iterator[Import]:
        if self.place:
            yield Import("fake_disk", self.name, self.place)


def test_each_object_that_is_there_has_a_block_and_names_are_terraforms() -> None:
    ignored = Disk("ignored", Lifecycle.IGNORE, place="5")
    found = imports_of([Other("other"), Disk("missing"), ignored, Disk("1.example.com", place="4/2")])
    assert found == [Import("fake_disk", "1.example.com", "4/2")]
    assert imports_file(found).decode() == BLOCKS


def test_blocks_of_what_is_not_wanted_any_more_go_and_others_stay() -> None:
    wanted = [Import("fake_disk", "a", "1"), Import("fake_disk", "b.c", "2")]
    written = imports_file(wanted)
    assert imports_file(named_in(written, wanted)) == written
    assert imports_file(named_in(written, [Import("fake_disk", "d", "1"), wanted[1]])) == imports_file(wanted[1:])


def test_what_was_made_again_since_has_its_new_id() -> None:
    written = imports_file([Import("fake_disk", "a", "1")])
    again = [Import("fake_disk", "a", "9")]
    assert named_in(written, again) == again
