# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A misspelled variable of a playbook is an error; variables of other playbooks and of the inventory are none."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils import variables
from ansible_collections.kubeops.kops.plugins.plugin_utils.variables import (
    is_own_playbook,
    known_variables,
    unknown_variables,
)
from ansible_collections.kubeops.kops.tests.conftest import ROOT


def test_what_playbooks_document_use_and_set_is_known() -> None:
    assert {"kops_node_count", "kops_instance_group", "kops_observed", "kops_plan_id"} <= known_variables()


@pytest.mark.parametrize("file", ["get.yml", "tasks/get.yml", "parts/deeper/get.yml"])
def test_files_that_playbooks_include_are_read(
    file: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text("- ansible.builtin.debug: {msg: '{{ kops_only_here }}'}\n")
    monkeypatch.setattr(variables, "_PLAYBOOKS", tmp_path)
    assert "kops_only_here" in known_variables.__wrapped__()


@pytest.mark.parametrize(
    ("names", "given", "told"),
    [
        (
            [],
            ["kops_node_cuont", "kops_xyzzy", "kops_zones", "verbose"],
            [
                "kops_node_cuont: no playbook has this variable; did you mean kops_node_count?",
                "kops_xyzzy: no playbook has this variable",
            ],
        ),
        # An inventory may have its own variables, and those of other playbooks.
        (["kops_bucket", "kops_team", "kops_keyset", "ansible_host"], [], []),
        # The inventory plugin of the collection sets this one, which no playbook reads.
        (["kops_zone", "kops_tags"], [], []),
        (["kops_zone"], ["kops_zone"], ["kops_zone: no playbook has this variable; did you mean kops_zones?"]),
        (
            ["kops_instance_gruop"],
            [],
            ["kops_instance_gruop: no playbook has this variable; did you mean kops_instance_group?"],
        ),
    ],
)
def test_misspelled(names: list[str], given: list[str], told: list[str]) -> None:
    assert unknown_variables(names, given) == told


def test_own_playbooks(tmp_path: pathlib.Path) -> None:
    assert is_own_playbook(f"{ROOT}/playbooks/get.yml:12")
    assert not is_own_playbook(f"{tmp_path}/get.yml:12")
    assert not is_own_playbook("")


def play(directory: pathlib.Path, playbook: str, *options: str) -> str:
    done = subprocess.run(
        ["ansible-playbook", playbook, "-e", f"kops_state_store=file://{directory}/store", *options],
        cwd=directory,
        env={**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_LOCALHOST_WARNING": "false"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def test_a_playbook_stops_before_anything_is_done(tmp_path: pathlib.Path) -> None:
    (tmp_path / "hosts.yml").write_text("all: {vars: {kops_bucket: b, kops_node_cuont: 9}, hosts: {localhost: {}}}\n")
    options = ["-e", "kops_cluster_name=a.example.com kops_cloud=hetzner kops_zones=fsn1 kops_xyzzy=x"]
    shown = play(tmp_path, "kubeops.kops.create_cluster", "-i", "hosts.yml", *options)
    assert "kops_node_cuont: no playbook has this variable; did you mean kops_node_count?" in shown
    assert "kops_xyzzy: no playbook has this variable" in shown
    assert "kops_bucket" not in shown
    assert not (tmp_path / "store").exists()


def test_a_play_of_a_user_has_any_variables(tmp_path: pathlib.Path) -> None:
    task = {"kubeops.kops.cluster_info": {"state_store": "{{ kops_state_store }}"}}
    (tmp_path / "own.yml").write_text(
        json.dumps([{"hosts": "localhost", "gather_facts": False, "connection": "local", "tasks": [task]}])
    )
    python = f"ansible_python_interpreter={sys.executable}"
    assert "failed=0" in play(tmp_path, "own.yml", "-e", "kops_node_cuont=9", "-e", python)
