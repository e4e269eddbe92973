# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of a policy on data, without a cluster."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.policy.rule import (
    CHANGE,
    CLUSTER,
    GROUP,
    Check,
    Rule,
    Subject,
)

NODES = Subject(
    GROUP,
    "InstanceGroup",
    "nodes",
    {"spec": {"role": "Node", "maxSize": 3, "machineType": "t3.medium", "subnets": ["a", "b"], "rootVolumeSize": 0}},
)
OPEN = Subject(CLUSTER, "Cluster", "demo", {"spec": {"kubernetesApiAccess": ["10.0.0.0/8", "0.0.0.0/0"]}})
GONE = Subject(CHANGE, "AutoscalingGroup", "a.masters.demo", {"action": "delete", "before": {}, "after": {}})


def what(subject: Subject, **keys: Any) -> list[str]:
    """What a rule finds wrong with a subject."""
    rule = Rule(name="r", message="Why.", about=subject.about, **keys)
    assert list(rule.problems()) == []
    return [each.what for each in Check(rule, "f, line 1").violations(subject)]


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({"allowed": ["t3.medium"]}, []),
        ({"allowed": ["m6i.large"]}, ["spec.machineType is t3.medium; allowed: m6i.large"]),
        ({"forbidden": ["t3.medium"]}, ["spec.machineType is t3.medium, which is forbidden"]),
        ({"matches": "t3"}, ["spec.machineType is t3.medium; it must match t3"]),
        ({"matches": r"t3\..*"}, []),
        ({"max": 3}, ["spec.machineType is t3.medium; it must be a number"]),
        ({"required": True}, []),
    ],
)
def test_a_text(keys: dict[str, Any], found: list[str]) -> None:
    assert what(NODES, field="spec.machineType", **keys) == found


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({"max": 3}, []),
        ({"min": 3}, []),
        ({"max": 2}, ["spec.maxSize is 3; at most 2 is allowed"]),
        ({"min": 3.5}, ["spec.maxSize is 3; at least 3.5 is allowed"]),
        ({"allowed": [True]}, ["spec.maxSize is 3; allowed: true"]),
    ],
)
def test_a_number(keys: dict[str, Any], found: list[str]) -> None:
    assert what(NODES, field="spec.maxSize", **keys) == found


@pytest.mark.parametrize("key", ["allowed", "matches", "min", "max", "required"])
def test_what_is_not_set_violates_all_but_forbidden(key: str) -> None:
    keys = {"allowed": [1], "matches": ".*", "min": 1, "max": 1, "required": True, "forbidden": [1]}
    assert len(what(NODES, field="spec.minSize", **{key: keys[key]})) == 1
    assert what(NODES, field="spec.minSize", forbidden=[1]) == []


def test_each_value_of_a_list_is_looked_at() -> None:
    found = what(OPEN, field="spec.kubernetesApiAccess[]", forbidden=["0.0.0.0/0", "::/0"])
    assert found == ["spec.kubernetesApiAccess[] is 0.0.0.0/0, which is forbidden"]
    assert what(OPEN, field="spec.sshAccess[]", allowed=["10.0.0.0/8"]) == [
        "spec.sshAccess[] is not set; allowed: 10.0.0.0/8"
    ]


def test_true_is_not_one() -> None:
    assert what(NODES, field="spec.maxSize == `3`", allowed=[1]) != []
    assert what(NODES, field="spec.maxSize == `3`", allowed=[True]) == []


def test_when_and_must_are_expressions() -> None:
    assert what(NODES, when="spec.role == 'Node'", must="spec.maxSize > `5`") == ["spec.maxSize > `5` does not hold"]
    assert what(NODES, when="spec.role == 'Master'", must="spec.maxSize > `5`") == []
    # JMESPath takes zero for true.
    assert what(NODES, must="spec.rootVolumeSize") == []
    assert what(NODES, must="spec.minSize") != []


def test_what_cannot_be_evaluated_is_a_violation() -> None:
    (found,) = what(NODES, must="contains(spec.maxSize, 'a')")
    assert found.startswith("\"contains(spec.maxSize, 'a')\" cannot be evaluated: ")


@pytest.mark.parametrize(
    ("keys", "count"),
    [
        ({}, 1),
        ({"kinds": ["Auto*"], "names": ["*.masters.*"], "actions": ["delete", "create"]}, 1),
        ({"kinds": ["autoscaling-group"]}, 0),
        ({"names": ["nodes.*"]}, 0),
        ({"actions": ["create"]}, 0),
    ],
)
def test_a_rule_selects_by_kind_name_and_action(keys: dict[str, Any], count: int) -> None:
    assert what(GONE, never=True, **keys) == ["delete is forbidden"] * count


def test_a_rule_is_about_one_kind_of_data() -> None:
    rule = Rule(name="r", message="Why.", about=CLUSTER, never=True)
    assert list(Check(rule, "").violations(NODES)) == []


def test_a_violation_says_all_that_is_needed() -> None:
    rule = Rule(name="types", message="Ask us.", about=GROUP, field="spec.machineType", allowed=["m6i.large"])
    (found,) = Check(rule, "p.yml, line 3").violations(NODES)
    text = "InstanceGroup/nodes: spec.machineType is t3.medium; allowed: m6i.large. Ask us. (rule types, p.yml, line 3)"
    assert found.as_dict() == {
        "rule": "types",
        "effect": "deny",
        "message": "Ask us.",
        "about": "group",
        "object": "InstanceGroup/nodes",
        "field": "spec.machineType",
        "value": "t3.medium",
        "what": "spec.machineType is t3.medium; allowed: m6i.large",
        "where": "p.yml, line 3",
    }
    assert str(found) == text
