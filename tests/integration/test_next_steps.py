# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last plays of playbooks for hosts say what comes next, by what earlier plays have left. No host is needed."""

from __future__ import annotations

import pathlib
import re
import subprocess
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.support.playbooks import FOLDER

LOCAL = {"ansible_connection": "local"}
PLAN: dict[str, Any] = {
    "hosts": {name: {"config": {}, "node": name} for name in ("c1", "n1", "n2", "n3", "n4")},
    "controlPlane": ["c1"],
    "rolling": {"disabled": ["n2"]},
}
DONE = {"changed": True, "failed": False}
LATER = {**DONE, "changed": False, "deferred": True}
UNTOUCHED = {"changed": False}


def last_play(part: str, **variables: Any) -> dict[str, Any]:
    """The play that says what comes next, with what earlier plays have registered on localhost."""
    (found,) = (
        play
        for play in yaml.safe_load((FOLDER / "parts" / f"{part}.yml").read_text())
        if play["name"] == "What comes next" and "tasks" in play
    )
    return {**found, "vars": {**found["vars"], **variables}}


def said(directory: pathlib.Path, hosts: dict[str, Any], plays: list[dict[str, Any]], *options: str) -> list[list[str]]:
    """What each play says."""
    told = printed(directory, hosts, plays, *options).split("\nPLAY [")[1:]
    return [re.findall(r"^  Next: (.*)$", text, re.MULTILINE) for text in told]


def printed(directory: pathlib.Path, hosts: dict[str, Any], plays: list[dict[str, Any]], *options: str) -> str:
    """What Ansible prints until its recapitulation."""
    inventory = {"all": {"hosts": {name: {**LOCAL, **known} for name, known in hosts.items()}}}
    (directory / "hosts.yml").write_text(yaml.safe_dump(inventory))
    (directory / "play.yml").write_text(yaml.safe_dump(plays, sort_keys=False))
    command = ["ansible-playbook", "-i", "hosts.yml", "play.yml", *options]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split("\nPLAY RECAP")[0]


def test_after_a_run(tmp_path: pathlib.Path) -> None:
    hosts = {
        "c1": {"nodeup_result": DONE, "kops_next": ["n1"], "kops_validated": {"nodes": []}},
        "n1": {"nodeup_result": LATER},
        "n2": {"nodeup_result": LATER},
        "n3": {},
        "n4": {"nodeup_result": DONE},
    }
    seen = {"old_pods": [], "needs_update": False, "cordoned_for_update": ""}
    hosts["c1"]["kops_validated"]["nodes"] = [
        {**seen, "name": "c1", "old_pods": ["a"]},
        # By a rolling update that was killed.
        {**seen, "name": "n4", "cordoned_for_update": "2026-05-08T12:00:00Z"},
    ]
    new = {"is_new": True, "changed": True, "cloud": "metal"}
    plays = [
        last_play("next", playbook_name="create_cluster", kops_plan=PLAN, kops_update=new),
        last_play(
            "next", playbook_name="hosts", kops_plan=PLAN, kops_validate_wait=0, kops_kubeconfig="~/.kube/config"
        ),
        last_play("next", playbook_name="update_cluster"),
        last_play("roll_hosts_alone", kops_plan=PLAN, kops_cloudonly=True),
        last_play("roll_hosts_alone", kops_plan=PLAN),
        last_play("reconcile_hosts", playbook_name="reconcile", kops_plan=PLAN, kops_update=UNTOUCHED),
        last_play("remove_hosts", playbook_name="remove_hosts", kops_removal={"hosts": ["n1", "n2"]}),
        last_play(
            "rotation_hosts",
            kops_rotation={"left": []},
            kops_steps_taken=["kubernetes-ca: new"],
            kops_rotate_until="present",
        ),
        last_play("rotation_hosts", kops_rotation={"left": ["n1"]}, kops_steps_taken=["kubernetes-ca: new"]),
        last_play("rotation_hosts", kops_rotation={"left": []}, kops_steps_taken=[]),
    ]
    again = "the same once more when this is mended; it continues where it has stopped"
    later = [
        again,
        "kubeops.kops.rolling_update drains and changes n1,c1,n4, one after the other",
        "kubeops.kops.hosts -e kops_interrupt=true changes n2 without draining",
    ]
    wait = "kubeops.kops.validate_cluster -e kops_validate_wait=900 waits until it is valid"
    assert said(tmp_path, hosts, plays) == [
        [*later, "kubeops.kops.kubeconfig writes a kubeconfig for it"],
        [*later, wait],
        [],
        [wait],
        [],
        ["nothing; the cluster is as its specification says"],
        ["take n1,n2 out of the inventory, then run kubeops.kops.hosts"],
        [
            "kubeops.kops.kubeconfig writes a kubeconfig with the new CA; every user needs one",
            "the same without kops_rotate_until, when all users have theirs",
        ],
        [again],
        [],
    ]


def test_the_summary_says_what_was_done_with_hosts(tmp_path: pathlib.Path) -> None:
    """Also if the state store had everything already."""
    plan: dict[str, Any] = {
        **PLAN,
        "hosts": {name: {**each, "new": name in ("n3", "n4")} for name, each in PLAN["hosts"].items()},
        "leftOut": ["n5"],
    }
    hosts = {
        "c1": {"nodeup_result": {**DONE, "changed": False}},
        "n1": {"nodeup_result": LATER},
        "n2": {"nodeup_result": DONE},
        "n3": {"nodeup_result": {**DONE, "failed": True}},
        "n4": {"nodeup_result": DONE},
    }
    (play,) = yaml.safe_load((FOLDER / "parts" / "summary.yml").read_text())
    variables = {"kops_plan": plan, "kops_update": {"cloud": "metal", "changed": False, "report": ["metal: nothing"]}}
    plays = [{**play, "tasks": play["tasks"][:1], "vars": {**play["vars"], **variables}}]
    told = [
        "metal: nothing",
        "hosts: 1 are nodes now (n4), 1 changed (n2), 1 left to a rolling update (n1), 1 as they should be, "
        "1 failed (n3), 1 left out, because they cannot be reached (n5)",
    ]
    assert printed(tmp_path, hosts, plays).splitlines()[-3:-1] == told

    # Of a cluster that is not stored yet, nothing can be compared.
    del plan["hosts"]["n4"]["config"]
    hosts = {name: {} for name in hosts}
    assert "hosts: 1 would become nodes (n4), 4 failed" in printed(tmp_path, hosts, plays, "--check")


@pytest.mark.parametrize("changes", [True, False])
def test_after_a_plan(tmp_path: pathlib.Path, changes: bool) -> None:
    result = {"changed": changes, "failed": False}
    hosts = {name: {"nodeup_result": result, "kops_next": ["n1"] if changes else []} for name in PLAN["hosts"]}
    left = ["kubernetes-ca: new"] if changes else []
    plays = [
        last_play("next", playbook_name="hosts", kops_plan=PLAN),
        last_play("roll_hosts_alone", kops_plan=PLAN),
        last_play("remove_hosts", playbook_name="remove_hosts", kops_removal={"hosts": ["n1"] if changes else []}),
        last_play("rotation_hosts", kops_rotation={"left": left}, kops_steps_taken=left),
        last_play("reconcile_hosts", playbook_name="upgrade_cluster", kops_plan=PLAN, kops_update=UNTOUCHED),
    ]
    words = ["the same without --check"] if changes else []
    told = said(tmp_path, hosts, plays, "--check")
    assert told == [words] * 4 + [words or ["nothing; the cluster is as its specification says"]]
