# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbooks for hosts ask the policy about the hosts that they would change."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import yaml
from ansible_collections.kubeops.kops.tests.integration.conftest import run_ansible
from ansible_collections.kubeops.kops.tests.support.playbooks import FOLDER, tasks_in

RULES = """\
rules:
- {name: all, message: Ask., about: operation, field: instances, max: 1}
- {name: servers, message: Ask., about: change, kinds: [Host], when: before.role == 'ControlPlane', never: true}
- {name: groups, message: Ask., about: change, field: before.instance_group, required: true}
"""
PLAN = {
    "controlPlane": ["c1"],
    "hosts": {
        "c1": {"instanceGroup": "control-plane", "role": "ControlPlane", "node": "c1", "secrets": {"key": "x"}},
        "n1": {"instanceGroup": "nodes", "role": "Node", "node": "n1", "secrets": {"key": "x"}},
    },
}
REMOVAL = {"hosts": ["n1", "c1"], "removals": PLAN["hosts"]}
GROUPS = [
    {"name": "control-plane", "role": "ControlPlane", "nodes": ["c1"]},
    {"name": "nodes", "role": "Node", "nodes": ["n1"]},
]


def asked(part: str, **variables: Any) -> dict[str, Any]:
    """A play with the task of a part that asks the policy."""
    (play, task), *_others = (
        (play, task)
        for play in yaml.safe_load((FOLDER / "parts" / f"{part}.yml").read_text())
        for task in tasks_in(play)
        if "kubeops.kops.check_policy" in task
    )
    return {**play, "vars": {**play["vars"], **variables}, "tasks": [{**task, "ignore_errors": True}]}


def test_all_hosts_are_asked_about(tmp_path: pathlib.Path) -> None:
    (tmp_path / "rules.yml").write_text(RULES)
    hosts = {name: {"ansible_connection": "local", "kops_next": ["c1", "n1"]} for name in ("c1", "n1")}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
    steps = {"steps": ["kubernetes-ca: add a key pair"]}
    plays = [
        asked("roll_hosts", kops_plan=PLAN),
        asked("repair_hosts", kops_plan=PLAN, kops_repair=["n1", "c1"]),
        asked("remove_hosts", kops_removal=REMOVAL, playbook_name="remove_hosts"),
        asked("remove_hosts", kops_removal=REMOVAL, playbook_name="delete_instance", kops_rejoining=True),
        asked("rotation_steps", kops_expected={"groups": GROUPS}, kops_foreseen=steps),
        asked("rotation_steps", kops_expected={"groups": GROUPS}, kops_foreseen={"steps": []}),
    ]
    (tmp_path / "play.yml").write_text(yaml.safe_dump(plays, sort_keys=False))
    # As it is in the working directory.
    given = json.dumps({"kops_policy": ["rules.yml"]})
    output = run_ansible("ansible-playbook", "-i", "hosts.yml", "play.yml", "-e", given, directory=tmp_path)
    operations = ["rolling_update", "repair", "remove_hosts", "delete_instance", "rotate"]
    # Ansible breaks long lines.
    *told, idle = (" ".join(text.split()) for text in output.split("\nPLAY RECAP")[0].split("\nPLAY [")[1:])
    for name, action, text in zip(operations, ("update", "update", "delete", "update", "update"), told):
        assert f"Operation/{name}: instances is 2; at most 1 is allowed. Ask. (rule all, rules.yml, line 2)" in text
        assert f"Host/c1: {action} is forbidden. Ask. (rule servers, rules.yml, line 3)" in text
        assert "before.instance_group" not in text
    assert "the policy forbids this" not in idle
