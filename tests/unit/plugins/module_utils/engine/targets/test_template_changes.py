# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of a stack that gets another template."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.template_changes import (
    Changes,
    changed_kinds,
    changes_of,
)

TASKS = {"Net": "VPC/demo", "NetBlock": "VPC/demo", "Sub": "Subnet/a", "Temp": "LaunchTemplate/n", "Group": "Group/n"}
FIXED = {"VPC": {"CidrBlock"}, "Subnet": {"VpcId", "Zone"}, "Temp": {"Name"}, "Group": {"Name"}, "Block": {"VpcId"}}
LATEST = {"Fn::GetAtt": ["Temp", "LatestVersionNumber"]}
BEFORE: dict[str, Any] = {
    "Net": {"Type": "VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
    "NetBlock": {"Type": "Block", "Properties": {"VpcId": {"Ref": "Net"}}},
    "Sub": {"Type": "Subnet", "Properties": {"VpcId": {"Ref": "Net"}, "Zone": "a"}},
    "Temp": {"Type": "Temp", "Properties": {"Name": "n", "Data": {"UserData": {"Fn::Base64": "one"}, "Type": "m"}}},
    "Group": {"Type": "Group", "Properties": {"Name": "n", "Template": {"Version": LATEST}}},
}


def template(resources: dict[str, Any], **outputs: Any) -> dict[str, Any]:
    return {"Resources": resources, "Outputs": {name: {"Value": value} for name, value in outputs.items()}}


def changed(resources: dict[str, Any], **outputs: Any) -> Changes:
    tasks = {name: task for name, task in TASKS.items() if name in resources}
    return changes_of(template(BEFORE), template(resources, **outputs), tasks, FIXED)


def told(changes: Changes) -> list[str]:
    return [f"{each['action']} {each['task']}: {each['reason']}" for each in changes.entries]


def with_properties(name: str, **properties: Any) -> dict[str, Any]:
    return {**BEFORE, name: {**BEFORE[name], "Properties": {**BEFORE[name]["Properties"], **properties}}}


def test_a_new_stack_has_an_entry_for_each_task() -> None:
    changes = changes_of({}, template(BEFORE), TASKS, {})
    assert told(changes) == [
        "create Group/n: ",
        "create LaunchTemplate/n: ",
        "create Subnet/a: ",
        "create VPC/demo: ",
    ]
    assert changes.entries[3]["after"] == {"CidrBlock": "10.0.0.0/16", "Block.VpcId": "${Net}"}
    assert changes.names["NetBlock"] == "VPC/demo (Block)"
    assert changes.unchanged == 0


def test_the_same_template_changes_nothing() -> None:
    changes = changed(BEFORE)
    assert (changes.entries, changes.replaced, changes.unchanged) == ([], set(), 4)
    assert changed_kinds(template(BEFORE), template(BEFORE)) == set()


def test_what_has_its_latest_version_changes_with_a_launch_template() -> None:
    after = with_properties("Temp", Data={"UserData": {"Fn::Base64": "two"}, "Type": "m"})
    changes = changed(after)
    assert told(changes) == ["update Group/n: gets the new version of LaunchTemplate/n", "update LaunchTemplate/n: "]
    assert (changes.entries[1]["before"], changes.entries[1]["after"]) == (
        {"Data.UserData": "one"},
        {"Data.UserData": "two"},
    )
    assert changed_kinds(template(BEFORE), template(after)) == {"Temp"}


def test_what_cannot_be_changed_is_replaced_with_all_that_refers_to_it_so() -> None:
    changes = changed(with_properties("Net", CidrBlock="10.1.0.0/16"))
    assert told(changes) == [
        "update Subnet/a: replaced with VPC/demo",
        "update VPC/demo: replaced, as CidrBlock cannot be changed",
    ]
    assert changes.replaced == {"Net", "NetBlock", "Sub"}


def test_another_kind_under_the_same_id_is_replaced() -> None:
    changes = changed({**BEFORE, "Sub": {"Type": "Block", "Properties": {}}})
    assert told(changes) == ["update Subnet/a: replaced, as Type cannot be changed"]


def test_what_no_task_has_any_more_is_deleted_or_leaves_the_stack() -> None:
    kept = {**BEFORE, "SubnetB": {"Type": "Subnet", "Properties": {"Zone": "b"}, "DeletionPolicy": "Retain"}}
    changes = changes_of(template({**kept, "SubnetC": {"Type": "Subnet"}}), template(BEFORE), TASKS, FIXED)
    assert told(changes) == ["delete Subnet/B: it stays, and leaves the stack", "delete Subnet/C: "]


def test_outputs_are_part_of_it() -> None:
    assert told(changed(BEFORE, Id={"Ref": "Net"})) == ["create StackOutput/Id: "]
