# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The play with which all playbooks for bare metal begin: which hosts, by which SSH, and what is known afterwards.

SSH is a script that notes its arguments and reaches nobody, or one that runs its command here.
"""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.tests.integration.conftest import run_ansible
from ansible_collections.kubeops.kops.tests.support.playbooks import FOLDER

KEPT_ALIVE = "-o ServerAliveInterval=15 -o ServerAliveCountMax=4"
AFTERWARDS = {
    "hosts": "all",
    "gather_facts": False,
    "tasks": [
        {"ansible.builtin.debug": {"msg": "{{ inventory_hostname }} says {{ kops_observed.facts is defined }}"}},
        {"ansible.builtin.ping": {}, "ignore_unreachable": True},
        {"ansible.builtin.ping": {}, "ignore_unreachable": True, "delegate_to": "delegated"},
    ],
}


class Hosts:
    """Hosts of an inventory, and playbooks that are run on them."""

    def __init__(self, directory: pathlib.Path) -> None:
        self._directory = directory
        self._calls = directory / "calls"
        script = directory / "ssh"
        script.write_text(f'#!/bin/sh\necho "$@" >> {self._calls}\nexit 255\n')
        script.chmod(0o755)
        self.answering = directory / "answering-ssh"
        self.answering.write_text('#!/bin/sh\nfor last in "$@"; do :; done\nexec sh -c "$last"\n')
        self.answering.chmod(0o755)
        self._common = {"ansible_ssh_executable": str(script), "ansible_host": "192.0.2.1", "ansible_user": "root"}

    def play(
        self, hosts: dict[str, dict[str, Any]], *plays: object, options: tuple[str, ...] = (), code: int = 0
    ) -> str:
        """Run plays on hosts with these variables, to this exit code; returns what was printed."""
        known = {name: {**self._common, **variables} for name, variables in hosts.items()}
        for name, content in (("hosts.yml", {"all": {"hosts": known}}), ("play.yml", list(plays))):
            (self._directory / name).write_text(yaml.safe_dump(content))
        command = ("ansible-playbook", "-i", "hosts.yml", "play.yml", *options)
        return run_ansible(*command, directory=self._directory, expect=code)

    def extra_arguments(self) -> list[str]:
        """Of each call of SSH, the arguments that are none of Ansible's own; and forget the calls."""
        calls = self._calls.read_text().splitlines()
        self._calls.unlink()
        return [call.partition("ConnectTimeout=10")[2].partition("-o ControlPath")[0].strip() for call in calls]


@pytest.fixture()
def hosts(tmp_path: pathlib.Path) -> Hosts:
    return Hosts(tmp_path)


def asking() -> dict[str, object]:
    return {"import_playbook": "kubeops.kops.host_facts"}


HERE = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}


def test_hosts_that_answer_and_hosts_that_do_not(hosts: Hosts) -> None:
    play = {**AFTERWARDS, "tasks": AFTERWARDS["tasks"][:1]}
    printed = hosts.play({"here": HERE, "dead": {}}, asking(), play)
    assert "here says True" in printed
    assert "dead says False" in printed


def test_nobody_is_asked_of_a_cluster_in_a_cloud(hosts: Hosts) -> None:
    variables = {"kops_is_metal": "{{ 'aws' == 'metal' }}"}
    part = {"import_playbook": str(FOLDER / "parts" / "host_facts.yml"), "vars": variables}
    printed = hosts.play({"dead": {}}, part)
    assert "no hosts matched" in printed


def test_hosts_that_do_not_let_us_become_root_are_named_with_the_reason(hosts: Hosts, tmp_path: pathlib.Path) -> None:
    """Each problem is shown once, on a line of its own, before anything is changed."""
    name, store = "metal.example.com", f"file://{tmp_path / 'store'}"
    arguments = {"name": name, "state_store": store, "cloud": "metal", "zones": ["main"], "networking": "flannel"}
    create_cluster(arguments, check_mode=False)
    update_cluster(UpdateOptions(store, name))
    common = {"ansible_ssh_executable": str(hosts.answering), "ansible_user": "admin", "ansible_pipelining": True}
    given = {
        "nosudo": {"ansible_become_exe": "/nonexistent/sudo", "kops_instance_group": "nodes-main"},
        "denied": {"ansible_become_exe": str(tmp_path / "sudo"), "kops_instance_group": "control-plane-main"},
    }
    (tmp_path / "sudo").write_text("#!/bin/sh\necho admin is not in the sudoers file. >&2\nexit 1\n")
    (tmp_path / "sudo").chmod(0o755)
    printed = hosts.play(
        {host: {**common, **variables} for host, variables in given.items()},
        {
            "import_playbook": "kubeops.kops.preflight",
            "vars": {"kops_cluster_name": name, "kops_state_store": store},
        },
        code=2,
    )
    lines = [line.strip() for line in printed.splitlines()]
    assert lines.count("- denied: Python cannot be run as root with sudo: admin is not in the sudoers file.") == 1
    (nosudo,) = [line for line in lines if line.startswith("- nosudo: Python cannot be run as root with sudo: ")]
    assert nosudo.endswith("not found")
    assert printed.count("not in the sudoers file") == 1
    assert "no host was changed: " in printed
    assert "json" not in printed


@pytest.mark.parametrize(
    ("of_the_host", "options", "expected"),
    [
        ("", (), KEPT_ALIVE),
        ("", ("--ssh-extra-args", "-o Compression=no"), f"-o Compression=no {KEPT_ALIVE}"),
        ("-o ProxyJump={{ 'jump' }}", (), f"-o ProxyJump=jump {KEPT_ALIVE}"),
        ("-o ServerAliveInterval=7", (), "-o ServerAliveInterval=7"),
    ],
)
def test_a_dead_host_is_noticed_by_all_plays(
    hosts: Hosts, of_the_host: str, options: tuple[str, ...], expected: str
) -> None:
    """What the user gives to SSH stays, and comes first; asking again adds nothing."""
    own = {"ansible_ssh_extra_args": of_the_host} if of_the_host else {}
    hosts.play({"delegated": own, "other": own}, asking(), asking(), AFTERWARDS, options=options)
    assert set(hosts.extra_arguments()) == {expected}


@pytest.mark.parametrize("playbook", ["etcd_backup", "etcd_restore"])
def test_hosts_without_etcd_are_an_error(hosts: Hosts, playbook: str) -> None:
    printed = hosts.play({"here": HERE}, {"import_playbook": f"kubeops.kops.{playbook}"}, code=2)
    assert "none of these hosts runs an etcd member" in printed
