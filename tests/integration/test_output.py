# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run shows, and to whom: a pipe that closes, a terminal, ansible-runner."""

from __future__ import annotations

import os
import pathlib
import pty
import re
import subprocess
from collections.abc import Mapping

import ansible_runner
import pytest
import yaml
from ansible_collections.kubeops.kops.tests.conftest import ROOT

NAME = "metal.example.com"
COMMAND = ("ansible-playbook", "kubeops.kops.create_cluster")
SECONDS = 120


def _variables(store: pathlib.Path) -> dict[str, str]:
    """A cluster that is only stored: the inventory has no hosts."""
    return {
        "kops_cloud": "metal",
        "kops_zones": "main",
        "kops_networking": "cni",
        "kops_kubernetes_version": "1.34.2",
        "kops_cluster_name": NAME,
        "kops_state_store": f"file://{store}",
    }


def _command(store: pathlib.Path) -> list[str]:
    return [*COMMAND, *(word for name, each in _variables(store).items() for word in ("-e", f"{name}={each}"))]


def _environment(**more: str) -> Mapping[str, str]:
    # Each line is written at once.
    usual = {"PYTHONUNBUFFERED": "1", "ANSIBLE_NOCOLOR": "1", "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false"}
    usual["ANSIBLE_LOCALHOST_WARNING"] = "false"
    path = f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"
    return {**os.environ, **usual, "PATH": path, **more}


@pytest.mark.parametrize("callback", ["default", "kubeops.kops.quiet"])
def test_a_run_goes_on_to_its_end_when_its_reader_is_gone(callback: str, tmp_path: pathlib.Path) -> None:
    """Ansible's thread for what tasks show would end, and the run would wait for it for ever."""
    with subprocess.Popen(
        _command(tmp_path / "store"),
        env=_environment(ANSIBLE_STDOUT_CALLBACK=callback),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None and run.stderr is not None
        # As head -1 does.
        run.stdout.readline()
        run.stdout.close()
        told = run.stderr.read()
        assert run.wait(SECONDS) == 2
    assert told.count("the run goes on to its end without it") == 1, told
    # The end, which is that there are no hosts.
    assert (tmp_path / "store" / NAME / "cluster-completed.spec").is_file()


def test_a_terminal_has_one_line_of_progress_and_nothing_is_left_of_it(tmp_path: pathlib.Path) -> None:
    ours, theirs = pty.openpty()
    environment = _environment(ANSIBLE_STDOUT_CALLBACK="kubeops.kops.quiet", TERM="xterm", COLUMNS="100")
    with subprocess.Popen(_command(tmp_path / "store"), env=environment, stdout=theirs, stderr=theirs) as run:
        os.close(theirs)
        shown = bytearray()
        try:
            while chunk := os.read(ours, 65536):
                shown += chunk
        except OSError:
            # Linux' way to say that the other end is closed.
            pass
        os.close(ours)
        assert run.wait(SECONDS) == 2
    written = shown.decode().replace("\r\n", "\n")
    assert re.search(r"\r\x1b\[K  Check the variables  \d+ s", written)
    left = "\n".join(line.rpartition("\r\x1b[K")[2] for line in written.split("\n"))
    assert "Check the variables" not in left and "TASK" not in left and "created Keypair" not in left, left
    assert left.startswith(f"kubeops.kops.create_cluster: {NAME}\n\n  Plan: "), left
    assert left.count("the inventory has no hosts that could become nodes of the cluster") == 1
    assert "\nkubeops.kops.create_cluster: failed after " in left


@pytest.mark.long
def test_a_job_of_ansible_runner_has_all_events_and_short_output(tmp_path: pathlib.Path) -> None:
    """AWX runs jobs in a terminal, and stores what it reads there."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "job.yml").write_text(yaml.safe_dump([{"import_playbook": "kubeops.kops.create_cluster"}]))
    done = ansible_runner.interface.run(
        private_data_dir=str(tmp_path),
        playbook="job.yml",
        extravars={**_variables(tmp_path / "store"), "kops_dry_run": True},
        envvars=_environment(ANSIBLE_STDOUT_CALLBACK="kubeops.kops.quiet", TERM="xterm"),
        quiet=True,
    )
    events = list(done.events)
    assert done.status == "successful"
    assert {"playbook_on_task_start", "runner_on_ok", "playbook_on_stats"} <= {each["event"] for each in events}
    output = "\n".join(each["stdout"] for each in events if each["stdout"])
    assert "\x1b[K" not in output and "TASK" not in output
    assert "job.yml: " in output and "kind: Cluster" in output
