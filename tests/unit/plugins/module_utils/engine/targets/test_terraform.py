# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Terraform target: what is written, and what of a directory it touches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS, AZURE
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError, look_up
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.files import changed_files
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.hcl import Block, Literal, quote
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.imports import Import
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import (
    CONFIGURATION,
    VALUES,
    TerraformTarget,
    stale_files,
    write_files,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Lifecycle, Task, computed


@dataclass(eq=False)
class Lamp(Task):
    id: str | None = computed()
    note: str = ""

    found_before_rendering: ClassVar[bool] = True

    def find(self, cloud: dict[str, Any]) -> Lamp | None:
        if isinstance(cloud.get(self.name), Exception):
            raise cloud[self.name]
        return Lamp(self.name, id=cloud[self.name]) if self.name in cloud else None

    def terraform(self, target: TerraformTarget) -> None:
        note = target.file("aws_lamp", self.name, "note", self.note)
        target.resource("aws_lamp", self.name, {"id": self.id, "note": note})


def rendered(*tasks: Task) -> dict[str, bytes]:
    return TerraformTarget(PROVIDERS[AWS], {"region": "us-east-1"}).render(tasks)


def test_keys_are_sorted_and_aligned_and_none_is_left_out() -> None:
    target = TerraformTarget(PROVIDERS[AWS], {"region": "us-east-1"})
    attributes = {
        "zone": "a",
        "id": None,
        "size_in_gib": 3,
        "tags": {"b": "2", "a": "1"},
        "disk": [Block({"fast": True}), Block({"fast": False})],
        "link": Literal("aws_vpc.main.id"),
    }
    target.resource("aws_lamp", "1.a/b:c", attributes)
    text = target.render([])[CONFIGURATION].decode()
    expected = """resource "aws_lamp" "prefix_1-a--b_c" {
  disk {
    fast = true
  }
  disk {
    fast = false
  }
  link        = aws_vpc.main.id
  size_in_gib = 3
  tags = {
    "a" = "1"
    "b" = "2"
  }
  zone = "a"
}
"""
    assert expected in text


def test_text_means_itself() -> None:
    assert quote('a"b\\c\n${d}%{e}') == '"a\\"b\\\\c\\n$${d}%%{e}"'


def test_two_objects_of_one_name_are_refused() -> None:
    with pytest.raises(KopsError, match=r"aws_lamp\.a-b"):
        rendered(Lamp("a.b"), Lamp("a-b"))


@pytest.mark.parametrize("lifecycle", Lifecycle)
def test_only_what_is_ignored_is_left_out(lifecycle: Lifecycle) -> None:
    """A layer that must exist stays in the configuration: Terraform would destroy what is left out."""
    written = "aws_lamp" in rendered(Lamp("desk", lifecycle=lifecycle))[CONFIGURATION].decode()
    assert written == (lifecycle is not Lifecycle.IGNORE)


def test_equal_files_are_not_touched(tmp_path: Path) -> None:
    files = rendered(Lamp("desk", note="on"), Lamp("floor", note="off"))
    assert write_files(files, str(tmp_path / "out"))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert changed_files(files, str(tmp_path / "out")) == {}
    assert not write_files(files, str(tmp_path / "out"))
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    changed = rendered(Lamp("desk", note="dim"), Lamp("floor", note="off"))
    assert list(changed_files(changed, str(tmp_path / "out"))) == ["data/aws_lamp_desk_note"]


def test_files_of_an_earlier_rendering_go_and_foreign_ones_stay(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    foreign = [tmp_path / "network.tf", tmp_path / "data" / "aws_lamp_garden_note"]
    for path in foreign:
        path.write_text("somebody else's")
    write_files(rendered(Lamp("desk"), Lamp("floor")), str(tmp_path))
    files = rendered(Lamp("desk"))
    assert stale_files(files, str(tmp_path)) == ["data/aws_lamp_floor_note"]
    write_files(files, str(tmp_path))
    left = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert left == ["aws_lamp_desk_note", "aws_lamp_garden_note", CONFIGURATION, "network.tf"]
    assert [path.read_text() for path in foreign] == ["somebody else's"] * 2


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    place = tmp_path / "out"
    place.write_text("a file")
    with pytest.raises(KopsError, match=str(place)):
        write_files(rendered(Lamp("desk")), str(place))


def test_blocks_that_a_provider_needs_are_there_though_empty() -> None:
    files = TerraformTarget(PROVIDERS[AZURE], {}).render([])
    assert re.search(r'provider "azurerm" \{\s+features \{\s+\}\s+\}', files[CONFIGURATION].decode())


def test_what_is_found_is_referred_to_by_its_id() -> None:
    lamp = Lamp("desk")
    look_up([lamp, Lamp("floor")], {"desk": "lamp-1"})
    assert lamp.id == "lamp-1"


def test_all_that_cannot_be_looked_up_is_told_at_once() -> None:
    cloud = {"desk": ValueError("dark"), "floor": ValueError("gone")}
    with pytest.raises(PlanError) as caught:
        look_up([Lamp("desk"), Lamp("floor")], cloud, explain=lambda error: f"the cloud says {error}")
    assert caught.value.problems == ["Lamp/desk: the cloud says dark", "Lamp/floor: the cloud says gone"]


def test_what_only_an_object_says_that_is_there_is_kept() -> None:
    there = [
        Import("aws_lamp", "1.desk", "lamp-1", {"colour": "red", "note": "old", "size": None}),
        Import("aws_lamp", "elsewhere", "lamp-2", {"colour": "red"}),
        Import("aws_lamp", "floor", "lamp-3"),
    ]
    target = TerraformTarget(PROVIDERS[AWS], {})
    text = target.render([Lamp("1.desk"), Lamp("floor")], there)[CONFIGURATION].decode()
    assert text.count("colour") == 1
    assert re.search(r'"prefix_1-desk" \{\n  colour = "red"\n  note   = file\(', text)


def test_terraform_puts_what_only_it_knows_into_files() -> None:
    target = TerraformTarget(PROVIDERS[AWS], {"region": "us-east-1"})
    target.local("addresses", Literal("[aws_lamp.a.ip]"))
    plain = target.file("aws_lamp", "a", "note", f"at {VALUES.mark('addresses')} and {VALUES.mark('addresses')}")
    assert plain == Literal(
        'replace(file("${path.module}/data/aws_lamp_a_note"), "@@terraform:addresses@@", join(",", local.addresses))'
    )
    assert target.file("aws_lamp", "b", "note", VALUES.mark("addresses"), base64=True).text.startswith(
        "base64encode(replace("
    )
    assert target.file("aws_lamp", "c", "note", "@@OTHER@@", base64=True).text.startswith("filebase64(")
    configuration = target.render([])[CONFIGURATION].decode()
    assert "  addresses = [aws_lamp.a.ip]\n" in configuration
    assert "output" not in configuration
    with pytest.raises(KopsError, match="local value addresses"):
        target.local("addresses", Literal("[]"))
