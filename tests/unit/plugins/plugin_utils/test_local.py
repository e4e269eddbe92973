# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules in the controller's process give what they would give in a process of their own."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.modules import create_cluster, secret, update_cluster, upgrade_cluster
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import (
    _collect_less_garbage,
    plain,
    run_here,
)

NAME = "metal.example.com"
ARGUMENTS = {"name": NAME, "cloud": "metal", "zones": "main", "networking": "cni", "kubernetes_version": "1.34.2"}


def in_a_process_of_its_own(module: Any, arguments: dict[str, Any], *, check: bool) -> dict[str, Any]:
    given = {"ANSIBLE_MODULE_ARGS": {**arguments, "_ansible_check_mode": check}}
    command = [sys.executable, module.__file__]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)
    result: dict[str, Any] = json.loads(done.stdout)
    # What AnsibleModule adds.
    result.pop("invocation", None)
    return result


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        (create_cluster, {**ARGUMENTS, "image": ""}),
        (create_cluster, {**ARGUMENTS, "kubernetes_version": "1.2"}),
        (create_cluster, {**ARGUMENTS, "colour": "blue"}),
        (upgrade_cluster, {"cluster_name": NAME}),
        (update_cluster, {"name": NAME, "target": "terraform"}),
        (update_cluster, {"name": NAME, "prune": "perhaps"}),
        (secret, {"cluster_name": NAME, "name": "dockerconfig", "value": "not JSON, and hidden"}),
    ],
)
def test_both_ways_give_the_same(module: Any, arguments: dict[str, Any], tmp_path: pathlib.Path) -> None:
    store = {"state_store": f"file://{tmp_path}"}
    here = run_here(module, {**arguments, **store}, check=True)
    there = in_a_process_of_its_own(module, {**arguments, **store}, check=True)
    assert "hidden" not in json.dumps(here)
    if here.get("failed"):
        assert there["failed"]
        # Ansible's own message for an unknown option names the module.
        assert here["msg"].partition(".")[0].split(":")[0] in there["msg"]
    else:
        here.pop("warnings", None)
        # When it was made is another moment.
        assert {**here, "manifest": "", "diff": []} == {**json.loads(json.dumps(there)), "manifest": "", "diff": []}


def test_nothing_is_written_in_check_mode(tmp_path: pathlib.Path) -> None:
    arguments = {**ARGUMENTS, "state_store": f"file://{tmp_path}"}
    assert run_here(create_cluster, arguments, check=True)["changed"]
    assert os.listdir(tmp_path) == []
    assert run_here(create_cluster, arguments, check=False)["changed"]
    assert not run_here(create_cluster, arguments, check=False)["changed"]


def test_an_error_of_several_lines_is_shown_once_line_by_line(tmp_path: pathlib.Path) -> None:
    (tmp_path / "cluster.yaml").write_text("apiVersion: kops.k8s.io/v1alpha2\nkind: Cluster\nspecs: {}\nkinds: {}\n")
    command = ["ansible-playbook", "kubeops.kops.replace", "-e", "kops_manifest=cluster.yaml"]
    done = subprocess.run(
        [*command, "-e", f"kops_state_store=file://{tmp_path}/store"],
        cwd=tmp_path,
        env={**os.environ, "ANSIBLE_NOCOLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stdout
    assert done.stdout.count("specs: unknown field") == done.stdout.count("kinds: unknown field") == 1, done.stdout
    assert "\\n" not in done.stdout


def test_a_worker_does_not_look_for_garbage_in_what_ansible_has_loaded() -> None:
    context = multiprocessing.get_context("fork")
    answers: Any = context.SimpleQueue()

    def work() -> None:
        _collect_less_garbage()
        answers.put((gc.get_freeze_count(), gc.get_threshold()[0], gc.isenabled()))

    worker = context.Process(target=work)
    worker.start()
    frozen, threshold, is_enabled = answers.get()
    worker.join()
    assert frozen > 10_000
    assert threshold > gc.get_threshold()[0]
    assert is_enabled


def test_the_process_that_is_no_worker_keeps_its_garbage_collection() -> None:
    before = gc.get_freeze_count(), gc.get_threshold()
    _collect_less_garbage()
    assert (gc.get_freeze_count(), gc.get_threshold()) == before


def test_arguments_are_plain_texts_at_any_depth() -> None:
    """A text of Ansible's own type, as results have up to ansible-core 2.18, is none that LibYAML reads."""

    class Text(str):
        __slots__ = ()

        # It stays what it is, as Ansible's does.
        def __str__(self) -> str:  # pylint: disable=invalid-str-returned
            return self

    made = plain({Text("manifest"): [Text("a"), {"b": Text("c")}, 1, None, True]})
    assert made == {"manifest": ["a", {"b": "c"}, 1, None, True]}
    assert {type(each) for each in (*made, made["manifest"][0], made["manifest"][1]["b"])} == {str}
