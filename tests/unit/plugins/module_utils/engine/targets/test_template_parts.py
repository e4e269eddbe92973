# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates in parts: what is in which, and that all of them together are the template."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets import template_parts
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.cloudformation import TooLarge
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.template_parts import (
    Parts,
    parts_in,
    split,
    whole,
)

# What is the cluster's: two resources.
OWN: dict[str, Any] = {
    "Net": {"Type": "Net", "Properties": {"Cidr": "10.0.0.0/16"}},
    "Gate": {"Type": "Gate", "Properties": {"Of": {"Ref": "Net"}}},
}


@pytest.fixture(autouse=True)
def small_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stack has room for two groups; the root, beside what is the cluster's, for one."""
    monkeypatch.setattr(template_parts, "ROOM_RESOURCES", 6)


def group(name: str, **properties: Any) -> dict[str, Any]:
    """A launch template, a group, and a hook."""
    template, of = f"Template{name}", {"Ref": f"Group{name}"}
    version = {"Fn::GetAtt": [template, "LatestVersionNumber"]}
    return {
        f"Group{name}": {
            "Type": "Group",
            "Properties": {"Net": [{"Ref": "Net"}], "Template": {"Id": {"Ref": template}, "Version": version}},
            "DependsOn": ["Gate"],
        },
        f"Hook{name}": {"Type": "Hook", "Properties": {"Of": of}, "DependsOn": [f"Group{name}"]},
        template: {"Type": "Template", "Properties": {"Arn": {"Fn::GetAtt": ["Net", "Arn"]}, **properties}},
    }


def template(*names: str, **more: Any) -> dict[str, Any]:
    resources = {**OWN, **{key: each for name in names for key, each in group(name).items()}, **more}
    return {"Description": "demo", "Metadata": {"Own": "demo"}, "Resources": resources}


def units(*names: str) -> list[list[str]]:
    return [[f"Group{name}", f"Template{name}"] for name in names]


def size(value: Mapping[str, Any]) -> int:
    return len(json.dumps(value))


def made(*names: str, held: Parts | None = None) -> Parts:
    return split(template(*names), units(*names), held, size)


def where(parts: Parts) -> dict[str, str]:
    """The groups in each stack."""

    def groups(one: Mapping[str, Any]) -> str:
        return "".join(name[-1] for name in one["Resources"] if name.startswith("Group") and len(name) == 6)

    return {"root": groups(parts.root), **{name: groups(each) for name, each in parts.parts.items()}}


def without_order(found: Mapping[str, Any]) -> dict[str, Any]:
    resources = {
        name: {key: value for key, value in each.items() if key != "DependsOn"}
        for name, each in found["Resources"].items()
    }
    return {**found, "Resources": resources}


def test_a_small_template_is_itself() -> None:
    found = made("A")
    assert (found.root, found.parts) == (template("A"), {})
    assert whole(found) == found.linked({}) == template("A")


def test_a_part_gets_what_it_needs_of_the_root() -> None:
    found = made("A", "B")
    assert found.parts == {
        "Groups1": {
            "Description": "demo: instance groups",
            "Metadata": {"Own": "demo"},
            "Parameters": {"Net": {"Type": "String"}, "ArnOfNet": {"Type": "String"}},
            "Resources": {
                "GroupB": {
                    "Type": "Group",
                    "Properties": {
                        "Net": [{"Ref": "Net"}],
                        "Template": {
                            "Id": {"Ref": "TemplateB"},
                            "Version": {"Fn::GetAtt": ["TemplateB", "LatestVersionNumber"]},
                        },
                    },
                },
                "HookB": {"Type": "Hook", "Properties": {"Of": {"Ref": "GroupB"}}, "DependsOn": ["GroupB"]},
                "TemplateB": {"Type": "Template", "Properties": {"Arn": {"Ref": "ArnOfNet"}}},
            },
        }
    }
    root = found.linked({"Groups1": "one.yaml"})
    assert root["Resources"]["Groups1"] == {
        "Type": "AWS::CloudFormation::Stack",
        "Properties": {
            "Parameters": {"Net": {"Ref": "Net"}, "ArnOfNet": {"Fn::GetAtt": ["Net", "Arn"]}},
            "TemplateURL": "one.yaml",
        },
        "DependsOn": ["Gate"],
    }
    assert parts_in(root) == ["Groups1"]


@pytest.mark.parametrize("names", ["A", "AB", "ABC", "ABCDEFG"])
def test_parts_together_are_the_template(names: str) -> None:
    before = copy.deepcopy(template(*names))
    found = made(*names)
    linked = Parts(found.linked({name: f"{name}.yaml" for name in found.parts}), found.parts)
    assert without_order(whole(linked)) == without_order(template(*names)) == without_order(before)


def test_what_is_there_stays_and_others_get_the_first_room() -> None:
    first = made(*"ABCDE")
    assert where(first) == {"root": "A", "Groups1": "BC", "Groups2": "DE"}
    assert made(*"ABCDE", held=first) == first
    second = made(*"BCDEF", held=first)
    assert where(second) == {"root": "F", "Groups1": "BC", "Groups2": "DE"}
    third = made(*"CDEFGH", held=second)
    assert where(third) == {"root": "F", "Groups1": "CG", "Groups2": "DE", "Groups3": "H"}
    fourth = made(*"DEFH", held=third)
    assert where(fourth) == {"root": "F", "Groups2": "DE", "Groups3": "H"}
    assert where(made(*"DEFHIJK", held=fourth)) == {"root": "F", "Groups2": "DE", "Groups3": "HI", "Groups1": "JK"}


def test_a_large_template_that_is_there_as_one_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Parts(template(*"ABC"))
    assert where(made(*"ABC", held=held)) == {"root": "ABC"}
    assert where(made(*"ABCD", held=held)) == {"root": "ABC", "Groups1": "D"}


@pytest.mark.parametrize(("limit", "room"), [("ROOM_BYTES", 2 * size(group("A"))), ("ROOM_PARAMETERS", 3)])
def test_room_is_of_bytes_and_of_parameters_too(limit: str, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template_parts, "ROOM_RESOURCES", 300)
    monkeypatch.setattr(template_parts, limit, room)
    own = {f"Net{name}": OWN["Net"] for name in "ABCD"}
    needing = {key: each for name in "ABCD" for key, each in group(name, More={"Ref": f"Net{name}"}).items()}
    found = split({"Resources": {**OWN, **own, **needing}}, units(*"ABCD"), None, size)
    assert len(found.parts) > 1


def test_what_others_need_to_know_stays_in_the_root() -> None:
    alarm = {"Alarms": {"Type": "Alarm", "Properties": {"Of": [{"Ref": "GroupB"}, {"Ref": "GroupC"}]}}}
    found = split(template(*"ABCDE", **alarm), units(*"ABCDE"), None, size)
    assert where(found) == {"root": "BC", "Groups1": "AD", "Groups2": "E"}
    output = {**template(*"ABC"), "Outputs": {"Last": {"Value": {"Fn::GetAtt": ["GroupC", "Arn"]}}}}
    assert where(split(output, units(*"ABC"), None, size)) == {"root": "C", "Groups1": "AB"}


@pytest.mark.parametrize(
    ("limit", "most", "names", "said"),
    [
        ("MOST_RESOURCES", 2, "A", "5 resources, and CloudFormation takes 2"),
        ("MOST_OUTPUTS", 0, "A", "1 outputs, and CloudFormation takes 0"),
        ("MOST_PARAMETERS", 1, "AB", "2 parameters, and CloudFormation takes 1"),
        ("MOST_AT_ONCE", 8, "AB", "9 resources in all its stacks, and CloudFormation takes 8"),
    ],
)
def test_what_cloudformation_does_not_take_is_refused(
    limit: str, most: int, names: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(template_parts, limit, most)
    wanted = {**template(*names), "Outputs": {"Id": {"Value": {"Ref": "Net"}}}}
    with pytest.raises(TooLarge, match=f"would have {said}"):
        split(wanted, units(*names), None, size)


def test_stacks_of_others_are_no_parts() -> None:
    others = {"Theirs": {"Type": "AWS::CloudFormation::Stack"}, "Groups1": {"Type": "AWS::EC2::VPC"}}
    for root in ({}, {"Resources": []}, {"Resources": others}):
        assert parts_in(root) == []
