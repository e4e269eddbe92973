# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of a plan: counts, objects, fields; of any number of objects, in any width."""

from __future__ import annotations

import random
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_data import Action, Entry, entry_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import (
    LISTED,
    WIDTH,
    Fields,
    done_lines,
    plan_lines,
    plan_text,
)

NETWORK = entry_of("VPC", "demo.example.com", Action.CREATE, after={"cidr": "172.20.0.0/16", "amazon_ipv6": True})
NODES = entry_of("AutoscalingGroup", "nodes", Action.UPDATE, {"max_size": 1, "zone": "a"}, {"max_size": 3, "zone": "b"})
GONE = entry_of("LaunchTemplate", "batch", Action.DELETE, reason="its instance group is not in the state store")
OLD = entry_of("LaunchTemplateVersion", "nodes: 1", Action.KEEP, task="LaunchTemplate/nodes")
SMALL = [NETWORK, NODES, GONE, OLD]


def wide(action: Action = Action.CREATE, number: int = 102) -> list[Entry]:
    """What a cluster of a hundred instance groups has."""
    fields: dict[str, Any] = {
        "user_data": "".join(f"line {index}\n" for index in range(50)),
        "machine_type": "m5.large",
    }
    before = {"user_data": "other\n", "machine_type": "t3.medium"} if action is Action.UPDATE else {}
    return [
        entry_of(kind, f"nodes-{index:03}.demo.example.com", action, before, fields)
        for kind in ("LaunchTemplate", "AutoscalingGroup")
        for index in range(number)
    ]


def texts(entries: list[Entry], **options: Any) -> list[str]:
    return [line.text for line in plan_lines(entries, **options)]


def changed(before: Any, after: Any, **options: Any) -> list[str]:
    """The lines of one field."""
    return texts([entry_of("Box", "a", Action.UPDATE, {"field": before}, {"field": after})], **options)[3:]


def test_counts_then_objects_then_fields() -> None:
    assert plan_text(SMALL, unchanged=5, plan_id="0123", warnings=["kubelets answer anonymous requests"]) == (
        "Plan 0123: 1 to create, 1 to change, 1 to delete, 5 unchanged\n"
        "\n"
        "+ VPC/demo.example.com\n"
        "\n"
        "~ AutoscalingGroup/nodes\n"
        "    max_size  1 -> 3\n"
        "    zone      a -> b\n"
        "\n"
        "- LaunchTemplate/batch  (its instance group is not in the state store)\n"
        "\n"
        "Kept, as it may still be in use; to delete it, set prune: true (kops_prune=true in a playbook):\n"
        "= LaunchTemplateVersion/nodes: 1\n"
        "\n"
        "Warning: kubelets answer anonymous requests\n"
    )


def test_fields_are_left_out_or_all_shown() -> None:
    assert texts(SMALL, fields=Fields.NONE)[2:5] == ["+ VPC/demo.example.com", "", "~ AutoscalingGroup/nodes"]
    assert texts([NETWORK], fields=Fields.ALL)[3:] == ["    cidr         172.20.0.0/16", "    amazon_ipv6  true"]
    (field,) = texts(wide(number=1)[:1], fields=Fields.ALL)[3:4]
    assert field == "    user_data     (text of 50 lines)"


def test_the_order_of_entries_does_not_count() -> None:
    entries = [*wide(), *SMALL]
    shuffled = random.Random(1).sample(entries, len(entries))
    assert plan_lines(shuffled) == plan_lines(entries)


def test_each_line_says_what_it_tells_of() -> None:
    actions = [(line.action, line.text[:1]) for line in plan_lines(SMALL) if line.action]
    assert actions == [("create", "+"), ("update", "~"), ("delete", "-"), ("keep", "=")]


@pytest.mark.parametrize("action", [Action.CREATE, Action.UPDATE, Action.DELETE])
def test_a_wide_plan_is_grouped_by_kind_and_bounded(action: Action) -> None:
    shown = texts([*wide(action), NETWORK], more="(all with --diff)")
    mark = {"create": "+", "update": "~", "delete": "-"}[action.value]
    assert shown[0].startswith("Plan: ")
    assert f"{mark} 102 AutoscalingGroup" in shown
    assert f"{mark} 102 LaunchTemplate" in shown
    assert "+ VPC/demo.example.com" in shown
    assert shown.count("    and 97 more (all with --diff)") == 2
    assert [line for line in shown if "nodes-004" in line] == ["    nodes-004.demo.example.com"] * 2
    assert not [line for line in shown if "nodes-005" in line]
    assert len(shown) < 200
    # A thousand take no more lines than a hundred.
    assert len(texts([*wide(action, 1000), NETWORK])) == len(shown)


def test_a_wide_plan_names_everything_where_that_is_asked_for() -> None:
    shown = texts(wide(), listed=None)
    assert "    nodes-101.demo.example.com" in shown
    assert not [line for line in shown if "more" in line]
    assert len(texts(wide(Action.UPDATE), listed=None)) > 102 * 50


def test_no_line_says_that_one_more_is_left_out() -> None:
    many = [entry_of(f"Kind{number}", "a", Action.CREATE) for number in range(20)]
    groups = [entry_of("Box", f"{index}", Action.CREATE) for index in range(LISTED + 2)]
    assert "and" not in " ".join(texts([*many, *groups[:-1]]))
    assert "    and 2 more" in texts([*many, *groups])


def test_lines_keep_to_a_width_but_names_are_whole() -> None:
    name = "from-0.0.0.0/0-ingress-" * 8
    long = entry_of("Rule", name, Action.UPDATE, {"f": "x" * 300}, {"f": "y" * 300}, reason="because " * 30)
    for width in (60, 79, WIDTH):
        shown = texts([long, *wide(Action.UPDATE)], width=width, fields=Fields.ALL)
        assert f"~ Rule/{name}" in shown
        assert max(len(line) for line in shown if name not in line) <= width


def test_of_a_mapping_only_the_keys_that_differ_are_shown() -> None:
    assert changed(
        {"a": "1", "b": "2", "d": {"e": 1, "f": 2}}, {"a": "1", "b": "3", "c": "", "d": {"e": 1, "f": 3}}
    ) == [
        "    field[b]     2 -> 3",
        "    field[c]     (not set) -> ",
        "    field[d][f]  2 -> 3",
    ]
    assert changed(None, ["sg-1"]) == ['    field  (not set) -> ["sg-1"]']


def test_of_a_text_the_lines_that_differ_are_shown() -> None:
    assert changed("a\nb\nc\n", "a\nB\nc\n") == ["    field:", "      -b", "      +B"]
    lines = changed("", "".join(f"{index}\n" for index in range(100)))
    assert lines[-1] == "      and 88 more lines"
    ids = [f"sg-{index:017}" for index in range(9)]
    assert changed(ids, ids[1:]) == ["    field:", f'      -  "{ids[0]}",']


def test_long_values_are_shown_where_they_begin_to_differ() -> None:
    _field, old, new = changed(f"{'x' * 200}old{'z' * 200}", f"{'x' * 200}new{'z' * 200}")
    assert old.startswith("      -...xxxxxxxxxxxxold")
    assert new.startswith("      +...xxxxxxxxxxxxnew")


def test_nothing_to_do_is_said_whatever_is_kept() -> None:
    assert texts([], unchanged=7) == ["Nothing to do: all 7 objects are as they should be"]
    assert texts([], unchanged=0) == ["Nothing to do: no object is concerned"]
    kept = "Nothing to do: 7 objects are as they should be, and 1 kept that the specification does not have"
    assert texts([OLD], unchanged=7)[0] == kept
    assert [line.text for line in done_lines([], unchanged=7)] == texts([], unchanged=7)


def test_what_was_done_is_counted() -> None:
    assert [line.text for line in done_lines(SMALL, unchanged=5)] == [
        "Done: 1 created, 1 changed, 1 deleted, 5 unchanged",
        "Kept, as it may still be in use: 1; to delete it, set prune: true (kops_prune=true in a playbook)",
    ]


def test_what_is_kept_for_a_reason_is_named_by_every_run() -> None:
    rules = [entry_of("SecurityGroupRule", f"sg-1: port={port}", Action.KEEP, reason="still open") for port in range(7)]
    lines = [line.text for line in done_lines([OLD, *rules], unchanged=5)]
    assert lines[1].startswith("Kept, as it may still be in use: 8;")
    assert lines[2] == "  = SecurityGroupRule/sg-1: port=0  (still open)"
    assert lines[-1] == "  and 2 more"
    assert len(lines) == 8
