# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbooks check their variables before they do anything else, wherever these come from."""

from __future__ import annotations

import json
import os
import pathlib
import re
import sys
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.integration.conftest import ansible_environment
from ansible_collections.kubeops.kops.tests.support import warm_ansible

HEADLINE = "wrong variables for "


class User:
    """A user with a state store in a directory, which does not exist before something is written."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory, self.store = directory, directory / "store"

    def write(self, name: str, content: Any) -> str:
        """A file in the working directory."""
        (self.directory / name).write_text(json.dumps(content))
        return name

    def run(self, playbook: str, *options: str, **variables: Any) -> str:
        """What the terminal shows of a run."""
        given = {"kops_state_store": f"file://{self.store}", **variables}
        command = ["ansible-playbook", playbook, "-e", json.dumps(given), *options]
        environment = {**os.environ, **ansible_environment(), "ANSIBLE_CALLBACK_RESULT_FORMAT": "json"}
        done = warm_ansible.run(command, directory=self.directory, environment=environment)
        return done.stdout

    def problems(self, playbook: str, *options: str, **variables: Any) -> list[str]:
        """What the check of a playbook's variables says; nothing if they are right."""
        shown = self.run(playbook, *options, **variables)
        if HEADLINE not in shown:
            return []
        # Nothing has been done, on no host.
        assert len(re.findall(r"^PLAY \[", shown, re.MULTILINE)) == 1, shown
        assert not self.store.exists()
        found: list[str] = json.loads(shown.partition("FAILED! => ")[2].partition("\n}")[0] + "}")["problems"]
        return found


@pytest.fixture
def user(tmp_path: pathlib.Path) -> User:
    return User(tmp_path)


# A limit of localhost alone is refused by Ansible itself, unless the inventory names it.
@pytest.mark.parametrize(("limit", "stops"), [("n1", True), ("all", True), ("n1,localhost", False), ("", False)])
def test_a_limit_without_localhost_would_do_nothing_and_is_an_error(user: User, limit: str, stops: bool) -> None:
    hosts = user.write("hosts.json", {"all": {"hosts": {"n1": {"ansible_connection": "local"}, "n2": {}}}})
    options = ["--limit", limit] if limit else []
    shown = user.run("kubeops.kops.get", "-i", hosts, *options)
    assert (f"--limit ({limit}) leaves out localhost, where get does most of its work" in shown) == stops
    assert ("PLAY [Get clusters]" in shown) == (not stops)


def test_variables_of_a_host_are_not_taken_for_those_of_the_run(user: User) -> None:
    """With a limit that leaves out localhost, the task sees the variables of another host."""
    own = {"ansible_connection": "local", "kops_validate_wait": "soon", "kops_addres": "192.0.2.1"}
    hosts = user.write("hosts.json", {"all": {"hosts": {"n1": own}}})
    shown = user.run("kubeops.kops.rolling_update", "-i", hosts, "--limit", "n1", kops_cluster_name="a.example.com")
    assert "--limit (n1) leaves out localhost" in shown
    assert "kops_addres" not in shown
    assert "kops_validate_wait" not in shown


@pytest.mark.parametrize(
    ("playbook", "limit"),
    [
        ("update_cluster", "localhost,c1"),
        ("rolling_update", "localhost,c1"),
        ("delete_cluster", "localhost"),
        ("etcd_restore", "localhost,c1"),
    ],
)
def test_a_limit_that_leaves_out_hosts_of_the_cluster_is_an_error(user: User, playbook: str, limit: str) -> None:
    """They would be taken for hosts that do not exist: etcd restored on one member, a store deleted under its nodes."""
    known = {name: {"ansible_connection": "local"} for name in ("localhost", "c1", "c2", "w1")}
    hosts = user.write("hosts.json", {"all": {"hosts": known}})
    shown = user.run(f"kubeops.kops.{playbook}", "-i", hosts, "--limit", limit, kops_cluster_name="a.example.com")
    left_out = "c1, c2, w1" if limit == "localhost" else "c2, w1"
    assert f"--limit ({limit}) leaves out {left_out}, and {playbook} needs all hosts of a cluster" in shown
    assert "failed=1" in shown
    assert re.findall(r"^PLAY \[(.*)\]", shown, re.MULTILINE) == ["Check the variables"]


@pytest.mark.parametrize("options", [(), ("--check",)])
def test_all_problems_at_once(user: User, options: tuple[str, ...]) -> None:
    cluster = {"kops_cluster_name": "a.example.com", "kops_cloud": "hetzner", "kops_zones": "fsn1"}
    wrong = {"kops_node_cuont": 9, "kops_node_count": "three", "kops_topology": "secret", "kops_limit": 1}
    assert user.problems("kubeops.kops.create_cluster", *options, **cluster, **wrong) == [
        "kops_limit: create_cluster has no such variable; preflight, rolling_update have it",
        "kops_node_count: must be a whole number, not three",
        "kops_node_cuont: no playbook has this variable; did you mean kops_node_count?",
        "kops_topology: must be one of public, private, not secret",
    ]


def test_empty_texts_and_right_values(user: User) -> None:
    empty = dict.fromkeys(["kops_node_count", "kops_topology", "kops_limit", "kops_manifest", "kops_bastion"], "")
    cluster = {"kops_cluster_name": "a.example.com", "kops_cloud": "metal", "kops_zones": "main", **empty}
    shown = user.run("kubeops.kops.create_cluster", **cluster, kops_dry_run="true", kops_networking="cni")
    assert "failed=0" in shown
    assert "kind: Cluster" in shown
    assert user.problems("kubeops.kops.instancegroup", kops_groups="") == [
        "kops_groups: must be set: names of the instance groups"
    ]


def test_secrets_are_not_shown(user: User) -> None:
    wrong = {"kops_secret": "another", "kops_secret_value": "hunter2", "kops_keyset": "hunter3"}
    shown = user.run("kubeops.kops.secret", "-vvv", **wrong)
    known = "ciliumpassword, dockerconfig, encryptionconfig, openstack-application-credential"
    assert f"kops_secret: must be one of {known}, not another" in shown
    assert "hunter2" not in shown.partition("PLAY [")[2]


def test_variables_of_an_inventory_and_of_its_hosts(user: User) -> None:
    hosts = {"w1": {"kops_instance_gruop": "nodes"}, "w2": {"kops_leave_out_unreachable": "perhaps"}, "localhost": {}}
    variables = {
        "kops_bucket": "b",
        "kops_zones": "a",
        "kops_node_cuont": 9,
        "kops_interrupt": "{{ often }}",
        "often": 2,
    }
    inventory = user.write("hosts.json", {"all": {"vars": variables, "hosts": hosts}})
    assert user.problems("kubeops.kops.hosts", "-i", inventory) == [
        "kops_instance_gruop of w1: no playbook has this variable; did you mean kops_instance_group?",
        "kops_interrupt: must be true or false, not 2",
        "kops_leave_out_unreachable of w2: must be true or false, not perhaps",
        "kops_node_cuont: no playbook has this variable; did you mean kops_node_count?",
    ]


def test_a_value_that_is_known_later_is_left_to_the_playbook(user: User) -> None:
    inventory = user.write(
        "hosts.json", {"all": {"vars": {"kops_manifest": "{{ unknown_yet }}"}, "hosts": {"localhost": {}}}}
    )
    assert user.problems("kubeops.kops.get", "-i", inventory) == []


def test_a_playbook_that_a_user_s_own_one_imports(user: User) -> None:
    variables = {"kops_alll": True, "kops_all": "maybe"}
    first = {"import_playbook": "kubeops.kops.get", "vars": variables}
    site = user.write("site.yml", [first, {"import_playbook": "kubeops.kops.get_keypairs"}])
    # The second one has kops_keyset.
    assert user.problems(site, kops_keyset="a", kops_zones="b") == [
        "kops_all: must be true or false, not maybe",
        "kops_alll: no playbook has this variable; did you mean kops_all?",
        "kops_zones: get has no such variable; create_cluster has it",
    ]


def test_plays_of_a_user_have_any_variables(user: User) -> None:
    own = {"hosts": "localhost", "gather_facts": False, "connection": "local", "tasks": []}
    site = user.write("site.yml", [{"import_playbook": "kubeops.kops.get"}, own])
    assert user.problems(site, kops_zones="b") == []
    assert user.problems(site, kops_zonse="b") == [
        "kops_zonse: no playbook has this variable; did you mean kops_zones?"
    ]
    task = {"kubeops.kops.cluster_info": {"state_store": "{{ kops_state_store }}"}}
    site = user.write("own.yml", [{**own, "tasks": [task]}])
    assert "failed=0" in user.run(site, kops_zonse="b", ansible_python_interpreter=sys.executable)


def test_a_workflow_gives_its_variables_to_all_nodes(user: User) -> None:
    passed = {"kops_plan_id": "0123", "kops_plan_summary": {}, "kops_plan_text": "a"}
    assert user.problems("kubeops.kops.get", **passed) == []
    assert user.problems("kubeops.kops.get", awx_workflow_job_id=7, kops_zones="a") == []


def test_what_restricts_a_run_is_refused(user: User) -> None:
    (said,) = user.problems("kubeops.kops.reconcile", kops_cluster_name="a", kops_phase="network", kops_limit=0)
    assert said.startswith("kops_phase: this playbook changes the whole cluster")
