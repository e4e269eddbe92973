# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hosts a rolling update changes together: the plays of roll_hosts, without what they do. No host is needed."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Sequence
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.integration.conftest import run_ansible
from ansible_collections.kubeops.kops.tests.support.playbooks import FOLDER

BATCHES = [["c1"], ["c2"], ["n1", "n2"], ["n3"]]
HOSTS = [host for batch in BATCHES for host in batch]


def play_of(name: str, **instead: Any) -> dict[str, Any]:
    """A play of roll_hosts with other tasks or variables."""
    plays = yaml.safe_load((FOLDER / "parts" / "roll_hosts.yml").read_text())
    (found,) = (play for play in plays if play["name"] == name)
    return {**found, "become": False, **instead}


def facts_of(host: str, **facts: Any) -> dict[str, Any]:
    """A play that sets what earlier plays have found."""
    return {"hosts": host, "gather_facts": False, "tasks": [{"ansible.builtin.set_fact": facts}]}


def turns(
    directory: pathlib.Path, unfinished: list[str], outdated: list[str], failing: Sequence[str] = ()
) -> list[list[str]]:
    """Who is changed together, as Ansible runs the plays."""
    plan = {"controlPlane": ["c1", "c2"], "hosts": {name: {} for name in HOSTS}, "rolling": {"batches": BATCHES}}
    look = {"ansible.builtin.set_fact": {"kops_outdated": f"{{{{ inventory_hostname in {outdated} }}}}"}}
    known = {name: {"ansible_connection": "local"} for name in ("localhost", *HOSTS)}
    (directory / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": known}}))
    plays = [
        facts_of("localhost", kops_plan=plan),
        facts_of("c1", kops_unfinished=unfinished, kops_failing=[*failing]),
        play_of("Find out what would change", tasks=[look]),
        play_of("Order the hosts to change"),
        play_of("Change the next hosts", vars={}, tasks=[{"ansible.builtin.debug": {"msg": "changed"}}]),
    ]
    (directory / "play.yml").write_text(yaml.safe_dump(plays, sort_keys=False))
    command = ["ansible-playbook", "-i", "hosts.yml", "play.yml"]
    told = (
        run_ansible(*command, directory=directory).split("\nPLAY RECAP")[0].split("\nPLAY [Change the next hosts]")[1:]
    )
    return [sorted(re.findall(r"^ok: \[(\w+)\]", text, re.MULTILINE)) for text in told]


@pytest.mark.parametrize(
    ("unfinished", "outdated", "expected"),
    [
        ([], HOSTS, BATCHES),
        ([], ["c2", "n2", "n3"], [["c2"], ["n2"], ["n3"]]),
        # The first control plane was killed before and after it was changed.
        (["c1"], HOSTS, BATCHES),
        (["c1"], HOSTS[1:], BATCHES),
        (["c2"], ["c2", "n1"], [["c2"], ["n1"]]),
        (["n1", "n2"], ["n1", "n2", "n3"], [["n1", "n2"], ["n3"]]),
        (["c1", "c2", "n3"], HOSTS, [["c1"], ["c2"], ["n3"], ["n1", "n2"]]),
    ],
)
def test_no_more_hosts_at_a_time_than_planned(
    tmp_path: pathlib.Path, unfinished: list[str], outdated: list[str], expected: list[list[str]]
) -> None:
    assert turns(tmp_path, unfinished, outdated) == expected


@pytest.mark.parametrize(
    ("unfinished", "outdated", "failing", "expected"),
    [
        # The first control plane would wait for the second one in vain.
        ([], HOSTS, ["c2"], [["c2"], ["c1"], ["n1", "n2"], ["n3"]]),
        ([], HOSTS, ["n2", "n3"], [["n2"], ["n3"], ["c1"], ["c2"], ["n1"]]),
        # What is as it should be is not changed, whatever fails of it.
        ([], ["c1", "n1"], ["c2"], [["c1"], ["n1"]]),
        (["n3"], ["c1", "c2"], ["c2", "n3"], [["n3"], ["c2"], ["c1"]]),
    ],
)
def test_what_fails_and_is_changed_comes_first(
    tmp_path: pathlib.Path, unfinished: list[str], outdated: list[str], failing: list[str], expected: list[list[str]]
) -> None:
    assert turns(tmp_path, unfinished, outdated, failing) == expected
