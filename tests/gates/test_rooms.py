# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrows between the rooms of plugins/module_utils: what docs/architecture.md says, and no more."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT

CODE = ROOT / "plugins" / "module_utils"
ROOMS = sorted(path.name for path in CODE.iterdir() if any(path.glob("*.py")))
CLOUDS = sorted(path.name for path in (CODE / "cloud").iterdir() if (path / "provider.py").is_file())
# A row of the table: `room/`, subject, what to look for, imports.
ROW = re.compile(r"^\| `(\w+)/` \|[^|]*\|[^|]*\|([^|]*)\|$", re.MULTILINE)

Import = tuple[str, tuple[str, ...], tuple[str, ...]]


def documented() -> dict[str, set[str]]:
    """Each room, and the rooms that it may import."""
    rows = ROW.findall((ROOT / "docs" / "architecture.md").read_text())
    return {room: set(re.findall(r"\w+", imports)) for room, imports in rows}


@functools.cache
def imports() -> list[Import]:
    """Each import of our own code: its place, the path of the importing module, that of what is imported."""
    return list(walk_imports())


def walk_imports() -> Iterator[Import]:
    for path in sorted(CODE.rglob("*.py")):
        module = path.relative_to(CODE).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                target = (*module[: len(module) - node.level], *(node.module or "").split("."))
                for name in node.names:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", module, tuple(filter(None, (*target, name.name)))


def own_cloud(module: tuple[str, ...]) -> str:
    """The cloud whose directory a module is in: cloud/<name>/ or model/<name>/; "" for what all clouds share."""
    return module[1] if module[0] in ("cloud", "model") and module[1] in CLOUDS else ""


def test_our_own_code_is_imported_by_its_relative_name() -> None:
    assert [path for path in CODE.rglob("*.py") if "ansible_collections" in path.read_text()] == []


def test_every_room_is_documented() -> None:
    assert sorted(documented()) == ROOMS


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_what_its_row_says(room: str) -> None:
    allowed = {room, *documented()[room]}
    found = [(place, target) for place, module, target in imports() if module[0] == room]
    assert [(place, target[0]) for place, target in found if target[0] not in allowed] == []
    assert {target[0] for _place, target in found} | {room} == allowed, "an arrow that nothing needs"


def test_a_room_that_is_imported_imports_nothing_back() -> None:
    table = documented()
    for room in table:
        reached: set[str] = set()
        ahead = set(table[room])
        while ahead:
            reached |= ahead
            ahead = {further for near in ahead for further in table[near]} - reached
        assert room not in reached


def test_clouds_do_not_know_each_other() -> None:
    assert len(CLOUDS) > 1
    assert [
        (place, ".".join(target))
        for place, module, target in imports()
        if module[0] != "operations" and own_cloud(target) not in ("", own_cloud(module))
    ] == []


def test_imports_are_found() -> None:
    """The walk sees plain, renamed and late imports of every depth; a walk that sees nothing would let all pass."""
    found = {(module, target) for _place, module, target in imports()}
    assert (("cloud", "aws", "tasks", "_task"), ("engine", "task", "Task")) in found
    assert (("operations", "clouds"), ("cloud", "aws", "provider", "AWSProvider")) in found
