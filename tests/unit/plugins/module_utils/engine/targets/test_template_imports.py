# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates by which a stack takes in what is there, and lets go of it."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.cloudformation import cluster_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.template_changes import changes_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.template_imports import (
    letting_go,
    with_imports,
)

NAME = "demo.example.com"
VOLUME = {
    "Type": "AWS::EC2::Volume",
    "Properties": {"Size": 20},
    "DeletionPolicy": "RetainExceptOnCreate",
    "UpdateReplacePolicy": "Retain",
}
TEMPLATE: dict[str, Any] = {
    "AWSTemplateFormatVersion": "2010-09-09",
    "Metadata": {"KubeopsKops": {"Cluster": NAME}},
    "Resources": {
        "Group": {
            "Type": "AWS::AutoScaling::AutoScalingGroup",
            "Properties": {"VPCZoneIdentifier": [{"Ref": "Subnet"}]},
            "DependsOn": ["Gateway", "Policy"],
        },
        "Subnet": {"Type": "AWS::EC2::Subnet", "Properties": {"VpcId": {"Ref": "VPC"}}},
        "VPC": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "172.20.0.0/16"}},
        "Gateway": {"Type": "AWS::EC2::InternetGateway", "Properties": {}},
        "Policy": {"Type": "AWS::SQS::QueuePolicy", "Properties": {}},
        "Volume": VOLUME,
    },
    "Outputs": {"VpcId": {"Description": "The VPC", "Value": {"Ref": "VPC"}}},
}
TASKS = {name: f"Kind/{name}" for name in TEMPLATE["Resources"]}
THERE = ["Group", "Subnet", "VPC", "Gateway", "Volume"]


def test_a_new_stack_takes_in_what_is_there_and_nothing_else() -> None:
    ((names, template),) = with_imports({}, TEMPLATE, THERE)
    assert sorted(names) == sorted(THERE) == sorted(template["Resources"])
    assert names.index("VPC") < names.index("Subnet") < names.index("Group")
    assert (cluster_of(template), "Outputs" in template) == (NAME, False)
    assert {name: each["DeletionPolicy"] for name, each in template["Resources"].items()} == {
        **dict.fromkeys(THERE, "Delete"),
        "Volume": "RetainExceptOnCreate",
    }
    # The policy is not in the template yet.
    assert template["Resources"]["Group"]["DependsOn"] == ["Gateway"]
    rest = changes_of(template, TEMPLATE, TASKS, {}).entries
    assert [(each["action"], each["task"]) for each in rest] == [
        ("create", "Kind/Policy"),
        ("create", "StackOutput/VpcId"),
    ]


def test_more_than_a_change_set_takes_come_in_steps_each_after_what_it_refers_to() -> None:
    steps = [*with_imports({}, TEMPLATE, THERE, size=2)]
    assert [len(names) for names, _template in steps] == [2, 2, 1]
    taken = [name for names, _template in steps for name in names]
    assert taken.index("VPC") < taken.index("Subnet") < taken.index("Group")
    assert [{*template["Resources"]} for _names, template in steps] == [{*taken[:2]}, {*taken[:4]}, {*taken}]


def test_what_a_stack_has_stays_byte_for_byte() -> None:
    held = {**TEMPLATE, "Resources": {"VPC": TEMPLATE["Resources"]["VPC"]}}
    ((names, template),) = with_imports(held, TEMPLATE, ["Volume"])
    assert names == ["Volume"]
    assert template == {**held, "Resources": {"VPC": TEMPLATE["Resources"]["VPC"], "Volume": VOLUME}}
    assert [*with_imports(held, TEMPLATE, [])] == []


def test_a_stack_that_lets_go_keeps_all_and_changes_no_property() -> None:
    found = letting_go(TEMPLATE)
    assert {each["DeletionPolicy"] for each in found["Resources"].values()} == {"Retain"}
    assert {name: each["Properties"] for name, each in found["Resources"].items()} == {
        name: each["Properties"] for name, each in TEMPLATE["Resources"].items()
    }
    assert TEMPLATE["Resources"]["Volume"] == VOLUME
