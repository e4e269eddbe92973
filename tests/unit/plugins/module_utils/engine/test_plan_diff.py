# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible's diff of a plan: what changes is whole, what new objects have in common is said once."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_data import Action, Entry, entry_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_diff import plan_diff

# An object that is alone on one side of the diff: action, and its side.
ALONE = [(Action.CREATE, "after"), (Action.DELETE, "before")]
TEXT = "".join(f"line {index}\n" for index in range(50))


def alone(action: Action, kind: str, name: str, **fields: Any) -> Entry:
    return entry_of(kind, name, action, **{dict(ALONE)[action]: fields})


def lines(entries: list[Entry], side: str) -> list[str]:
    return plan_diff(entries)[side].splitlines()


def test_what_changes_is_whole_and_has_a_line_for_each_part() -> None:
    tags = {f"example.com/{index}": "x" * 20 for index in range(5)}
    entry = entry_of(
        "Box", "a", Action.UPDATE, {"text": TEXT, "tags": tags}, {"text": TEXT + "more\n", "tags": {**tags, "b": ""}}
    )
    before, after = lines([entry], "before"), lines([entry], "after")
    assert before[:2] == after[:2] == ["Box/a:", "  text: |"]
    assert before[2:52] == after[2:52] == [f"    line {index}" for index in range(50)]
    assert [line for line in after if line not in before] == [
        "    more",
        '    b: ""',
    ]


def test_no_line_of_what_changes_depends_on_others() -> None:
    """A comma, for example, would show the part before a new one as changed."""
    rules = [{"name": letter, "text": "x" * 30} for letter in "abc"]
    old = {"rules": rules, "zone": ["a", "b"], "deep": {"size": 1}, "one": {"a": "z" * 100}}
    new = {
        "rules": [*rules, {"name": "d", "text": "y" * 100}],
        "zone": ["a", "b"],
        "deep": {"size": 2},
        "one": {},
        "zz": None,
    }
    entry = entry_of("Box", "a", Action.UPDATE, {"field": old}, {"field": new})
    before, after = lines([entry], "before"), lines([entry], "after")
    assert before == [
        "Box/a:",
        "  field:",
        '    deep: {"size": 1}',
        "    one:",
        f'      a: "{"z" * 100}"',
        "    rules:",
        *(f'      - {{"name": "{letter}", "text": "{"x" * 30}"}}' for letter in "abc"),
        '    zone: ["a", "b"]',
    ]
    assert [line for line in after if line not in before] == [
        '    deep: {"size": 2}',
        "    one: {}",
        "      -",
        '        name: "d"',
        f'        text: "{"y" * 100}"',
        "    zz: (not set)",
    ]


def test_both_sides_have_the_same_form() -> None:
    """Though one of them would have room on a line."""
    short, long = {"a": "1"}, {"a": "1", "b": "x" * 100}
    for old, new in ((short, long), (long, short)):
        entry = entry_of("Box", "a", Action.UPDATE, {"tags": old}, {"tags": new})
        assert lines([entry], "before")[:3] == lines([entry], "after")[:3] == ["Box/a:", "  tags:", '    a: "1"']


def test_both_sides_have_what_is_done_and_not_what_is_kept() -> None:
    entries = [
        entry_of("VPC", "demo", Action.CREATE, after={"cidr": "172.20.0.0/16", "amazon_ipv6": True}),
        entry_of("Group", "nodes", Action.UPDATE, {"max_size": 1, "zone": "a"}, {"max_size": 3, "zone": "b"}),
        entry_of("Template", "batch", Action.DELETE, {"size": 1}),
        entry_of("Template", "nodes: 1", Action.KEEP, {"size": 2}),
    ]
    assert plan_diff(entries) == {
        "before": "Group/nodes:\n  max_size: 1\n  zone: a\nTemplate/batch:\n  size: 1\n",
        "after": "Group/nodes:\n  max_size: 3\n  zone: b\nVPC/demo:\n  cidr: 172.20.0.0/16\n  amazon_ipv6: true\n",
    }


@pytest.mark.parametrize(("action", "side"), ALONE)
def test_what_objects_of_a_kind_have_in_common_is_said_once(action: Action, side: str) -> None:
    entries = [
        alone(action, "Group", name, image="debian-12", zones=[name], tags={"Name": name, "role": "node"})
        for name in ("a", "b", "c")
    ]
    assert lines(entries, side) == [
        "Group, the same in all 3:",
        "  image: debian-12",
        '  tags: {"role": "node"}',
        *(
            line
            for name in ("a", "b", "c")
            for line in (f"Group/{name}:", f'  zones: ["{name}"]', f'  tags: {{"Name": "{name}"}}')
        ),
    ]


@pytest.mark.parametrize(("action", "side", "which"), [(*ALONE[0], "new"), (*ALONE[1], "deleted")])
def test_tags_of_all_objects_are_said_once(action: Action, side: str, which: str) -> None:
    entries = [
        alone(action, "Group", "a", tags={"Name": "a", "owner": "demo"}),
        alone(action, "Rule", "b", tags={"owner": "demo"}),
        # An object without tags, and one whose field of this name is something else.
        alone(action, "Route", "c", cidr="10.0.0.0/8"),
        alone(action, "Text", "d", tags="none"),
    ]
    assert lines(entries, side) == [
        f"All {which} objects with tags:",
        '  tags: {"owner": "demo"}',
        "Group/a:",
        '  tags: {"Name": "a"}',
        "Route/c:",
        "  cidr: 10.0.0.0/8",
        "Rule/b:",
        "Text/d:",
        "  tags: none",
    ]


def test_a_tag_that_one_object_lacks_is_not_said_of_all() -> None:
    entries = [
        alone(Action.CREATE, "Group", "a", tags={"owner": "demo", "team": "x"}),
        alone(Action.CREATE, "Rule", "b", tags={"owner": "demo"}),
        alone(Action.CREATE, "Rule", "c", tags={"owner": "other"}),
    ]
    assert lines(entries, "after") == [
        "Group/a:",
        '  tags: {"owner": "demo", "team": "x"}',
        "Rule/b:",
        '  tags: {"owner": "demo"}',
        "Rule/c:",
        '  tags: {"owner": "other"}',
    ]


@pytest.mark.parametrize(("action", "side"), ALONE)
def test_long_texts_and_empty_fields_are_left_out(action: Action, side: str) -> None:
    entry = alone(action, "Box", "a", text=TEXT, few=TEXT[:14], none=None, empty="", nothing=[], zero=0, off=False)
    assert lines([entry], side) == [
        "Box/a:",
        "  text: (text of 50 lines, in the result's plan)",
        "  few: |",
        "    line 0",
        "    line 1",
        "  zero: 0",
        "  off: false",
    ]


def test_long_values_take_few_lines() -> None:
    zones = [f"Subnet/us-east-1{letter}.demo.example.com" for letter in "abcd"]
    tags = {f"example.com/{index}": "x" * 25 for index in range(3)}
    assert lines([alone(Action.CREATE, "Box", "a", zones=zones, tags=tags)], "after") == [
        "Box/a:",
        "  zones:",
        '    ["Subnet/us-east-1a.demo.example.com", "Subnet/us-east-1b.demo.example.com",',
        '     "Subnet/us-east-1c.demo.example.com", "Subnet/us-east-1d.demo.example.com"]',
        "  tags:",
        f'    {{"example.com/0": "{"x" * 25}", "example.com/1": "{"x" * 25}",',
        f'     "example.com/2": "{"x" * 25}"}}',
    ]


def test_the_diff_of_many_groups_names_all_and_repeats_nothing() -> None:
    fields = {"user_data": TEXT, "machine_type": "m5.large"}
    names = [f"nodes-{index:03}.demo.example.com" for index in range(102)]
    found = lines([alone(Action.CREATE, "LaunchTemplate", name, **fields) for name in names], "after")
    assert found[3:] == [f"LaunchTemplate/{name}:" for name in names]
    assert len(found) == 3 + len(names)
