# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of variables that a playbook does not take, or not with such values."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.checks import Given, problems_of, value_problems

PARTS = "this playbook changes the whole cluster"


def test_variables_that_are_right() -> None:
    extra = {
        "kops_cluster_name": "a.example.com",
        "kops_target": "terraform",
        "kops_lease_wait": "1.5",
        "kops_prune": "no",
    }
    assert problems_of("update_cluster", Given({**extra, "kops_addon_checksums": {"a": "b"}, "kops_plan_id": 12})) == []


@pytest.mark.parametrize("value", ["", None])
def test_what_is_empty_is_not_set(value: Any) -> None:
    """Whatever it is: surveys send all variables of their form."""
    given = dict.fromkeys(["kops_target", "kops_lease_wait", "kops_prune", "kops_addon_checksums", "kops_zones"], value)
    assert problems_of("update_cluster", Given(given)) == []
    assert problems_of("reconcile", Given({"kops_phase": value, "kops_target": value})) == []
    assert problems_of("edit", Given({"kops_groups": value})) == []


def test_all_problems_at_once() -> None:
    extra = {
        "kops_lease_wait": "long",
        "kops_node_cuont": 3,
        "kops_phase": "all",
        "kops_prune": "perhaps",
        "kops_xyzzy": "",
        "kops_zones": "a",
        "verbose": True,
    }
    assert problems_of("update_cluster", Given({name: extra[name] for name in extra if name.startswith("kops_")})) == [
        "kops_lease_wait: must be a number, not long",
        "kops_node_cuont: no playbook has this variable; did you mean kops_node_count?",
        "kops_phase: must be one of network, security, cluster, not all",
        "kops_prune: must be true or false, not perhaps",
        "kops_xyzzy: no playbook has this variable",
        "kops_zones: update_cluster has no such variable; create_cluster has it",
    ]


def test_variables_without_the_prefix_are_not_passed_over() -> None:
    """The cluster of the environment would be deleted."""
    options = {"cluster_name": "test.example.com", "KOPS_STATE_STORE": "file:///srv", "kops-yes": 1, "color": "red"}
    assert problems_of("delete_cluster", Given({}, unprefixed=options)) == [
        "KOPS_STATE_STORE: no playbook has this variable; did you mean kops_state_store?",
        "cluster_name: no playbook has this variable; did you mean kops_cluster_name?",
    ]


def test_an_inventory_may_read_such_variables() -> None:
    inventory = {"kops_cluster_name": "test.example.com"}
    given = Given({}, inventory, unprefixed={"cluster_name": "test.example.com", "zones": "a", "state_store": ""})
    assert problems_of("delete_cluster", given) == []


def test_names_of_an_inventory() -> None:
    """It may have variables of its own, those of other playbooks, and those of the collection's inventory plugin."""
    inventory = {"kops_bucket": "b", "kops_team": "t", "kops_keyset": "k", "kops_zone": "z", "kops_node_cuont": 9}
    inventory["kops_target"] = "nowhere"
    hosts = {"a": {"kops_instance_gruop": "nodes", "kops_zone": "z"}, "b": {"kops_instance_gruop": "nodes"}}
    assert problems_of("update_cluster", Given({}, inventory, hosts)) == [
        "kops_instance_gruop of a, b: no playbook has this variable; did you mean kops_instance_group?",
        "kops_node_cuont: no playbook has this variable; did you mean kops_node_count?",
        "kops_target: must be one of direct, terraform, cloudformation, not nowhere",
    ]


def test_an_inventory_plugin_s_variable_is_no_extra_variable() -> None:
    assert problems_of("get", Given({"kops_zone": "z"})) == [
        "kops_zone: no playbook has this variable; did you mean kops_zones?"
    ]


def test_what_playbooks_set_themselves() -> None:
    """Playbooks after them in a run see it. Given on the command line, it would stand in their way."""
    assert problems_of("validate_cluster", Given({}, {"kops_instances": {}, "kops_update": {}, "kops_plan": {}})) == []
    assert problems_of("update_cluster", Given({"kops_update": {}})) == ["kops_update: no playbook has this variable"]


def test_values_of_hosts() -> None:
    hosts = {f"w{number}": {"kops_become": "perhaps"} for number in range(6)}
    hosts["own"] = {"kops_address": 7, "kops_leave_out_unreachable": "x"}
    # Such as the facts of the host.
    hosts["later"] = {"kops_become": "{{ is_root }}"}
    hosts["empty"] = {"kops_become": ""}
    assert problems_of("hosts", Given({"kops_manifest": "a"}, {"kops_become": True}, hosts)) == [
        "kops_become of w0, w1, w2 and 3 more: must be true or false, not perhaps",
        "kops_leave_out_unreachable of own: must be true or false, not x",
    ]


def test_a_wrong_value_of_all_hosts_is_told_once() -> None:
    hosts = {name: {"kops_become": "perhaps"} for name in ("a", "b")}
    assert problems_of("hosts", Given({}, {"kops_become": "perhaps"}, hosts)) == [
        "kops_become: must be true or false, not perhaps"
    ]
    # What is given for this playbook is of all hosts.
    assert problems_of("hosts", Given({"kops_become": True}, {}, hosts)) == []


def test_variables_about_the_environment_are_for_every_playbook() -> None:
    extra = {"kops_state_store": "s3://a", "kops_become": True, "kops_kubeconfig": "k", "kops_feature_flags": "+A"}
    assert problems_of("get_secrets", Given(extra)) == []


def test_what_another_node_of_a_workflow_passes_on_is_for_every_playbook() -> None:
    assert problems_of("get_secrets", Given({"kops_plan_text": "a", "kops_plan_id": "b", "kops_images": []})) == []


def test_variables_of_the_other_playbooks_of_a_run() -> None:
    extra = {"kops_validate_count": 2, "kops_zones": "a"}
    said = "kops_zones: update_cluster has no such variable; create_cluster has it"
    assert problems_of("update_cluster", Given(extra, others={"update_cluster", "validate_cluster"})) == [said]
    # Any may come.
    assert problems_of("update_cluster", Given(extra, others=None)) == []


def test_many_playbooks_have_it() -> None:
    (said,) = problems_of("get", Given({"kops_break_lease": True}))
    having = r"create_cluster, delete_cluster, delete_instance and 1\d more"
    assert re.fullmatch(rf"kops_break_lease: get has no such variable; {having} have it", said)


@pytest.mark.parametrize("playbook", ["reconcile", "upgrade_cluster", "rotate"])
def test_what_is_refused(playbook: str) -> None:
    extra, inventory = {"kops_limit": 1, "kops_force": "yes"}, {"kops_phase": "network", "kops_plan_id": ""}
    (said,) = problems_of(playbook, Given(extra, inventory))
    assert said.startswith(f"kops_phase, kops_limit, kops_force: {PARTS}")
    nothing = {"kops_limit": 0, "kops_force": "False", "kops_cloudonly": False, "kops_instance_groups": []}
    assert problems_of(playbook, Given(nothing)) == []


def test_what_is_refused_for_one_value() -> None:
    (said,) = problems_of("reconcile", Given({"kops_target": "terraform"}))
    assert said.startswith("kops_target: with Terraform or CloudFormation there are steps in between")
    assert problems_of("reconcile", Given({"kops_target": "direct"})) == []
    # It knows what to do then.
    assert problems_of("upgrade_cluster", Given({"kops_target": "terraform"})) == []


@pytest.mark.parametrize("given", [{}, {"kops_groups": ""}])
def test_what_must_be_set(given: dict[str, Any]) -> None:
    assert problems_of("instancegroup", Given(given)) == ["kops_groups: must be set: names of the instance groups"]
    assert problems_of("instancegroup", Given({}, {"kops_groups": "a"})) == []


def test_what_a_continuation_needs_is_not_required() -> None:
    assert problems_of("delete_instance", Given({"kops_instance": "i"})) == []


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ({"type": "int"}, "3", []),
        ({"type": "int"}, "3s", ["must be a whole number, not 3s"]),
        ({"type": "str"}, 1.34, []),
        ({"type": "list", "elements": "str"}, "a,b", []),
        ({"type": "list", "elements": "int"}, ["1", "b"], ["each element must be a whole number, not ['1', 'b']"]),
        ({"type": "list", "elements": "str", "choices": ["a", "b"]}, "a,b", []),
        ({"type": "list", "elements": "str", "choices": ["a", "b"]}, "a,c", ["must be of a, b, not a,c"]),
        ({"type": "dict"}, "a=b", []),
        ({"type": "dict"}, "ab", ["must be a mapping, not ab"]),
        ({"type": "raw"}, {"a": 1}, []),
        ({"type": "int"}, "9" * 70 + "s", [f"must be a whole number, not {'9' * 60}..."]),
    ],
)
def test_values(option: dict[str, Any], value: Any, said: list[str]) -> None:
    assert value_problems(option, value) == said


@pytest.mark.parametrize(
    "option",
    [{"type": "int"}, {"type": "str", "choices": ["a"]}, {"type": "list", "elements": "int"}, {"type": "dict"}],
)
def test_a_secret_is_not_shown(option: dict[str, Any]) -> None:
    (said,) = value_problems({**option, "no_log": True}, "hunter2")
    assert "hunter2" not in said
