# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of plugins/module_utils import each other in one direction, however late or for types only they do it."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.gates.test_rooms import CODE, imports

# A circle that must be -> the sentence of docs/architecture.md that says why.
EXCEPTIONS: dict[frozenset[str], str] = {}


def arrows() -> dict[str, set[str]]:
    """Each file, and the files that it imports at its top, in a function, or for types."""
    files = {path.relative_to(CODE).with_suffix("").parts for path in CODE.rglob("*.py") if path.stem != "__init__"}
    found: dict[str, set[str]] = {".".join(each): set() for each in files}
    for _place, module, target in imports():
        # What is imported is a file, or a name in one.
        for length in (len(target), len(target) - 1):
            if target[:length] in files:
                found[".".join(module)].add(".".join(target[:length]))
                break
    return found


def circles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """The sets of files of which each reaches each."""
    reached = {each: _reached(graph, each) for each in graph}
    return {
        frozenset({each, *(other for other in reached[each] if each in reached[other])})
        for each in graph
        if each in reached[each]
    }


def _reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    ahead = set(graph[start])
    while ahead:
        reached |= ahead
        ahead = {further for near in ahead for further in graph[near]} - reached
    return reached


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": set(), "f": {"f"}}
    assert circles(graph) == {frozenset("abc"), frozenset("f")}


def test_every_kind_of_import_is_an_arrow() -> None:
    graph = arrows()
    assert "engine.task" in graph["engine.plan"]
    assert "api.manifest" in graph["ansible.store"], "imported in a function"
    assert "engine.targets.terraform" in graph["cloud.tasks.keypair"], "imported for types only"


def test_no_circles_but_those_that_are_explained() -> None:
    new = circles(arrows()) - EXCEPTIONS.keys()
    assert sorted(map(sorted, new)) == []


def test_the_parts_of_node_import_each_other_in_one_direction() -> None:
    """A part is a folder, or a file beside the folders. What boots and serves nodes knows no cloud."""
    parts: dict[str, set[str]] = {}
    for _place, (room, part, *_rest), target in imports():
        if room == "node":
            parts.setdefault(part, set()).update({target[1]} - {part} if target[0] == room else ())
    assert circles({**{target: set() for targets in parts.values() for target in targets}, **parts}) == set()
    assert parts["cloud"] == {"system"}
    # Clouds import stores, and no store a cloud: so any cloud's program can have any store.
    assert parts["stores"] == {"cloud", "system"}
    assert {"boot", "bootstrap", "controllers"} == {part for part in parts if "clouds" in parts[part]}


def test_exceptions_go_with_their_circles() -> None:
    gone = EXCEPTIONS.keys() - circles(arrows())
    assert sorted(map(sorted, gone)) == [], "remove it from EXCEPTIONS, and its sentence from docs/architecture.md"


def test_exceptions_are_documented() -> None:
    text = " ".join((ROOT / "docs" / "architecture.md").read_text().split())
    assert [reason for reason in EXCEPTIONS.values() if reason not in text] == []
