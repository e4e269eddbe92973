# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML of playbooks and roles: no key is given twice, not by a merge either.

Ansible warns of every such key in each run ("Found duplicate mapping key"), and linters pass over merged ones.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.conftest import ROOT

FILES = sorted(path for room in ("playbooks", "roles") for path in (ROOT / room).rglob("*.yml"))
MERGE = "tag:yaml.org,2002:merge"


def keys_given_twice(text: str) -> list[str]:
    """The keys that a mapping has beside one of the same name, its own or a merged one: "line: name"."""
    found = []
    for mapping in _mappings(yaml.compose(text)):
        seen: set[str] = set()
        for key in _keys(mapping):
            if key.value in seen:
                found.append(f"{key.start_mark.line + 1}: {key.value}")
            seen.add(key.value)
    return found


def _mappings(node: yaml.Node | None) -> Iterator[yaml.MappingNode]:
    """Every mapping below a node. Aliases are followed: what they name is looked at once for each."""
    if isinstance(node, yaml.MappingNode):
        yield node
        for key, value in node.value:
            yield from _mappings(key)
            yield from _mappings(value)
    elif isinstance(node, yaml.SequenceNode):
        for each in node.value:
            yield from _mappings(each)


def _keys(mapping: yaml.MappingNode) -> Iterator[yaml.ScalarNode]:
    """The keys of a mapping: first those that it merges, then its own."""
    for key, value in mapping.value:
        if key.tag == MERGE:
            for merged in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                yield from _keys(merged)
    yield from (key for key, _value in mapping.value if key.tag != MERGE)


@pytest.mark.parametrize(
    ("text", "twice"),
    [
        ("a: &a {x: 1}\nb:\n  <<: *a\n  y: 2\n", []),
        ("a: &a {x: 1}\nb:\n  <<: *a\n  x: 2\n", ["4: x"]),
        ("a: &a {x: 1}\nb: &b\n  <<: *a\n  y: 2\nc:\n  <<: *b\n  x: 2\n", ["7: x"]),
        ("a: &a {x: 1}\nb: &b {x: 2}\nc:\n- <<: [*a, *b]\n", ["2: x"]),
        ("a:\n  <<: &a\n    x: 1\n  y: 2\nb:\n  <<: *a\n  y: 3\n", []),
        ("x: 1\nx: 2\n", ["2: x"]),
    ],
)
def test_keys_that_are_given_twice_are_found(text: str, twice: list[str]) -> None:
    assert keys_given_twice(text) == twice


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_no_key_is_given_twice(path: pathlib.Path) -> None:
    assert keys_given_twice(path.read_text(encoding="utf-8")) == []
