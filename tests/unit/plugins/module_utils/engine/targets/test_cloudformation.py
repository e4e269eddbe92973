# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates: how objects are called in them, what comes before what, and what is left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.cloudformation import (
    VALUES,
    CloudFormationTarget,
    cluster_of,
    tags,
    user_data_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Lifecycle, Task

CLUSTER = "demo.example.com"


@dataclass(eq=False)
class Thing(Task[Any]):
    """An object. of: another one. text: for instances that it starts. keep: its data stay."""

    of: Thing | None = None
    text: str = ""
    keep: bool = False
    existing: str | None = None
    after: list[str] = field(default_factory=list)

    def cloudformation(self, target: CloudFormationTarget) -> None:
        if self.existing is not None:
            return
        of, data = target.ref(self.of), {"LaunchTemplateName": self.name}
        if self.text:
            data["LaunchTemplateData"] = {"UserData": {"Fn::Base64": target.text(self.text)}}
        target.resource(self, "AWS::Test::Thing", {"Of": of, **data}, after=self.after, keep=self.keep)


def template(*things: Thing) -> dict[str, Any]:
    return CloudFormationTarget(CLUSTER).template(list(things))


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        (CLUSTER, "Thing"),
        (f"nodes-us-east-1a.{CLUSTER}", "ThingNodesUsEast1a"),
        ("other.example.com", "ThingOtherExampleCom"),
        ("from-1.23.4.5/32", "ThingFrom1x23x4x5x32"),
        ("from-12.3.4.5/32", "ThingFrom12x3x4x5x32"),
        ("from-2001:db8::/32", "ThingFrom2001Db8x32"),
    ],
)
def test_ids_say_kind_and_name(name: str, identifier: str) -> None:
    assert CloudFormationTarget(CLUSTER).id_of(Thing(name)) == identifier


def test_two_objects_with_one_id_are_named() -> None:
    with pytest.raises(KopsError, match="Thing/a-b and Thing/a.b would have one name in a template, ThingAB"):
        template(Thing("a-b"), Thing("a.b"))


def test_what_exists_is_named_by_its_id_and_all_else_by_reference() -> None:
    made, there = Thing("made"), Thing("there", existing="x-1")
    resources = template(Thing("a", of=made), Thing("b", of=there), made, there)["Resources"]
    assert resources["ThingA"]["Properties"]["Of"] == {"Ref": "ThingMade"}
    assert resources["ThingB"]["Properties"]["Of"] == "x-1"
    assert "Of" not in resources["ThingMade"]["Properties"]
    assert "ThingThere" not in resources


def test_order_is_by_ids_and_by_types_of_what_is_there() -> None:
    resources = template(Thing("a", after=["ThingB", "ThingNone", "AWS::Test::None"]), Thing("b"))["Resources"]
    assert resources["ThingA"]["DependsOn"] == ["ThingB"]
    assert "DependsOn" not in resources["ThingB"]


def test_data_outlive_the_stack() -> None:
    kept, plain = template(Thing("a", keep=True), Thing("b"))["Resources"].values()
    assert (kept["DeletionPolicy"], kept["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    assert "DeletionPolicy" not in plain


def test_what_is_added_to_a_resource_has_one_order_whoever_adds_first() -> None:
    def made(*values: str) -> Any:
        target, thing = CloudFormationTarget(CLUSTER), Thing("a")
        for each in values:
            target.add(thing, "Roles", each)
        return target.template([thing])

    assert made("b", "a") == made("a", "b")


def test_what_names_a_value_that_is_not_known_waits_with_all_that_needs_it() -> None:
    waiting = Thing("waiting", text=f"servers: {VALUES.mark('addresses')}")
    target = CloudFormationTarget(CLUSTER)
    target.add(waiting, "Roles", "x")
    target.order(Thing("plain"), waiting)
    user = Thing("user", of=waiting)
    found = target.template([Thing("of-user", of=user), user, waiting, Thing("plain", text="servers: none")])
    assert list(found["Resources"]) == ["ThingPlain"]
    assert sorted(target.waiting) == ["Thing/of-user", "Thing/user", "Thing/waiting"]


def test_what_refers_to_an_object_that_is_left_alone_is_named() -> None:
    ignored = Thing("ignored", lifecycle=Lifecycle.IGNORE)
    with pytest.raises(KopsError, match="Thing/user refers to ThingIgnored, which is not in the template"):
        template(ignored, Thing("user", of=ignored))


def test_a_template_says_whose_it_is_and_what_instances_are_told() -> None:
    made = template(Thing("nodes", text="#!/bin/sh\n"), Thing("a"))
    assert cluster_of(made) == CLUSTER
    assert user_data_of(made) == {"nodes": "#!/bin/sh\n"}
    for other in ({}, None, {"Metadata": {}, "Resources": {"A": {"Type": "x"}}}, {"Resources": []}):
        assert (cluster_of(other), user_data_of(other)) == ("", {})


def test_tags_are_in_order() -> None:
    assert tags({"b": "2", "a": "1"}) == [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]
    assert tags({"a": "1"}, PropagateAtLaunch=True) == [{"Key": "a", "Value": "1", "PropagateAtLaunch": True}]
    assert tags(None) is None
