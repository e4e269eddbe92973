# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory plugin with a running cluster: groups by health, the cache, ad-hoc commands, also by the bastion."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.lab import hosts, running
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite
from ansible_collections.kubeops.kops.tests.support.lab_programs import lab_program

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager",)
SSH = """Host *
  User root
  IdentityFile {key}
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
"""


@pytest.fixture(scope="module")
def site(new_site: Callable[..., CloudSite]) -> CloudSite:
    """A control plane, a worker and a bastion, valid."""
    clusters.make_private_zone()
    made = new_site({"networking": "flannel", "node_count": 1, "bastion": True, **clusters.PRIVATE})
    run = made.create(kops_validate_wait=600)
    assert run.code == 0, f"{run.output}\n{made.state()}"
    print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
    (made.directory / "ssh").write_text(SSH.format(key=hosts.key_pair()))
    return made


def inventory(site: CloudSite, **options: Any) -> pathlib.Path:
    """A file of the plugin."""
    file = site.directory / "kops.yml"
    content = {"plugin": "kubeops.kops.kops", "clusters": [clusters.NAME], "source": "both", "strict": True}
    file.write_text(yaml.safe_dump({**content, "ssh_user": "root", **options}))
    return file


def ansible(site: CloudSite, program: str, *arguments: str) -> str:
    """What a program of Ansible prints, as a user of the account runs it."""
    own = {"ANSIBLE_SSH_ARGS": f"-F {site.directory / 'ssh'}", "ANSIBLE_NOCOLOR": "1"}
    done = subprocess.run(
        [str(pathlib.Path(sys.executable).with_name(program)), *arguments],
        env={**os.environ, **running.environment(), **clusters.environment(), **own},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def groups(site: CloudSite, file: pathlib.Path, *options: str) -> dict[str, list[str]]:
    """Group -> its hosts."""
    found = json.loads(ansible(site, "ansible-inventory", "-i", str(file), "--list", *options))
    return {name: group.get("hosts", []) for name, group in found.items() if name != "_meta"}


def of_group(site: CloudSite, group: str) -> str:
    (name,) = (name for name, each in site.instances().items() if each["group"].startswith(group))
    return name


def test_hosts_are_grouped_and_have_their_addresses(site: CloudSite) -> None:
    file = inventory(site, address="private")
    found = groups(site, file)
    server, worker, bastion = (of_group(site, each) for each in ("control-plane", "nodes", "bastions"))
    assert (found["role_control_plane"], found["role_node"], found["role_bastion"]) == ([server], [worker], [bastion])
    assert set(found["health_healthy"]) >= {server, worker}
    assert set(found["cloud_instances"]) == {server, worker, bastion}
    values = json.loads(ansible(site, "ansible-inventory", "-i", str(file), "--host", worker))
    assert values["ansible_host"] == site.instances()[worker]["PrivateIpAddress"]
    assert values["kops_kubelet_version"] == site.nodes()[worker]["status"]["nodeInfo"]["kubeletVersion"]


@pytest.mark.parametrize("address", ["private", "auto"])
def test_ad_hoc_commands(site: CloudSite, address: str) -> None:
    """auto is by the bastion, where there is one."""
    file = inventory(site, address=address)
    printed = ansible(site, "ansible", "-i", str(file), "role_node:role_control_plane", "-m", "ansible.builtin.ping")
    assert printed.count('"ping": "pong"') == 2
    printed = ansible(site, "ansible", "-i", str(file), "role_node", "-m", "ansible.builtin.raw", "-a", "hostname")
    assert site.instances()[of_group(site, "nodes")]["PrivateDnsName"].partition(".")[0] in printed
    if address == "auto":
        values = json.loads(ansible(site, "ansible-inventory", "-i", str(file), "--host", of_group(site, "nodes")))
        assert "-o ProxyJump=root@bastion-" in values["ansible_ssh_common_args"]


def test_a_node_that_is_not_ready(site: CloudSite) -> None:
    """The cache does not know, until it is emptied. The playbooks leave the hosts to the cloud."""
    cache = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_timeout": 600}
    file = inventory(site, address="private", cache_connection=str(site.directory / "cache"), **cache)
    worker = of_group(site, "nodes")
    assert worker in groups(site, file)["health_healthy"]
    ansible(site, "ansible", "-i", str(file), "role_node", "-a", "systemctl stop kubelet")
    seconds = site.wait(lambda: worker not in site.ready(), 120)
    print(f"\nnot ready after {seconds:.0f} s")
    assert worker in groups(site, file)["health_healthy"]
    assert groups(site, file, "--flush-cache")["health_unhealthy"] == [worker]
    invalid = site.run("validate_cluster", "--inventory", str(file))
    assert invalid.code != 0
    assert f"Node {worker}: is not ready" in invalid.output
    assert "Observe the hosts" not in invalid.output
    ansible(site, "ansible", "-i", str(file), "health_unhealthy", "-a", "systemctl start kubelet")
    site.wait(lambda: worker in site.ready(), 120)
    valid = site.run("validate_cluster", "--inventory", str(file), kops_validate_wait=120)
    assert valid.code == 0, valid.output
    assert groups(site, file, "--flush-cache")["health_healthy"]


def test_kubectl_with_the_credential_plugin(site: CloudSite) -> None:
    """Against a real API server."""
    kubeconfig = site.directory / "kubeconfig"
    run = site.run("kubeconfig", kops_kubeconfig=str(kubeconfig), kops_kubeconfig_auth_plugin="true")
    assert run.code == 0, run.output
    again = site.run("kubeconfig", kops_kubeconfig=str(kubeconfig), kops_kubeconfig_auth_plugin="true")
    assert again.changed == 0
    assert "client-key" not in kubeconfig.read_text()
    environment = {**os.environ, **clusters.environment(), "HOME": str(site.directory)}
    done = subprocess.run(
        [
            str(lab_program("kubernetes-*", "kubectl")),
            f"--kubeconfig={kubeconfig}",
            "auth",
            "whoami",
            "--output=jsonpath={.status}",
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "system:masters" in done.stdout
