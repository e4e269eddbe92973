# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible's programs as the other tests run them do what they do when a user starts them."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest
from ansible_collections.kubeops.kops.tests.integration.conftest import ansible_environment
from ansible_collections.kubeops.kops.tests.support import warm_ansible

pytestmark = pytest.mark.long

CREATE = "kops_cluster_name=a.example.com kops_cloud=metal kops_zones=main kops_networking=flannel kops_dry_run=true"


@pytest.mark.parametrize(
    "command",
    [
        ("ansible-playbook", "kubeops.kops.create_cluster", "--check", "-e", CREATE),
        ("ansible", "here", "-m", "kubeops.kops.update_cluster"),
    ],
)
def test_as_in_a_process_of_its_own(command: tuple[str, ...], tmp_path: pathlib.Path) -> None:
    settings = {"KOPS_STATE_STORE": f"file://{tmp_path}/store", "KUBECONFIG": str(tmp_path / "kubeconfig")}
    inventory = tmp_path / "hosts"
    inventory.write_text("[here]\nlocalhost ansible_connection=local\n")
    environment = {**os.environ, **ansible_environment(), **settings, "ANSIBLE_INVENTORY": str(inventory)}
    warm = warm_ansible.run(command, directory=tmp_path, environment=environment)
    own = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert "localhost" in own.stdout
    assert (warm.returncode, warm.stdout) == (own.returncode, own.stdout)
